"""The filter of system calls, played step by step for machines that are not here."""

import errno
import struct

import pytest

from goalkeeper.system.seccomp import build_filter

X86, ARM, COMPATIBLE = 0xC000003E, 0xC00000B7, 0x40000003
ALLOW, KILL = 0x7FFF0000, 0x80000000
NEW_USER, NEW_NET = 0x10000000, 0x40000000
X32 = 0x40000000


def decide(machine: str, architecture: int, number: int, *arguments: int) -> int:
    """Return what the kernel would do: it allows or kills, or the number of the error."""
    given = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("=IIQ6Q", number, architecture, 0, *given)
    program = [*struct.iter_unpack("=HBBI", build_filter(machine))]
    loaded = at = 0
    while True:
        code, if_true, if_false, operand = program[at]
        at += 1
        match code:
            case 0x20:
                (loaded,) = struct.unpack_from("=I", data, operand)
            case 0x06:
                return int(operand if operand in (ALLOW, KILL) else operand & 0xFFFF)
            case _:
                tests = {
                    0x15: loaded == operand,
                    0x25: loaded > operand,
                    0x35: loaded >= operand,
                    0x45: bool(loaded & operand),
                }
                at += if_true if tests[code] else if_false


@pytest.mark.parametrize(
    ("number", "arguments", "answer"),
    [
        (0, (), ALLOW),  # read
        (250, (), errno.EPERM),  # keyctl
        (250 | X32, (), errno.ENOSYS),  # the same by another interface
        (165, (), errno.EPERM),  # mount
        (435, (), errno.ENOSYS),  # clone3
        (425, (), errno.ENOSYS),  # io_uring_setup
        (56, (NEW_USER | 17,), errno.EPERM),  # clone
        (56, (17,), ALLOW),
        (272, (NEW_USER | NEW_NET,), errno.EPERM),  # unshare
        (272, (NEW_NET,), ALLOW),
        (16, (0, 0x5412), errno.EPERM),  # ioctl, TIOCSTI
        (16, (0, 0x1_0000_5412), errno.EPERM),  # the kernel reads the low half only
        (16, (0, 0x5413), ALLOW),
        *[(41, (family,), ALLOW) for family in (1, 2, 10, 16)],  # socket
        *[(41, (family,), errno.EAFNOSUPPORT) for family in (0, 3, 17, 38, 40)],
        (53, (40,), errno.EAFNOSUPPORT),  # socketpair
        (29, (0, 1 << 20), ALLOW),  # shmget
        (29, (0, (1 << 20) + 1), errno.ENOSPC),
        (29, (0, 1 << 32), errno.ENOSPC),
    ],
)
def test_a_call_is_refused_by_its_number_and_arguments(
    number: int, arguments: tuple[int, ...], answer: int
) -> None:
    assert decide("x86_64", X86, number, *arguments) == answer


def test_calls_by_the_numbers_of_another_machine_end_the_program() -> None:
    assert decide("x86_64", COMPATIBLE, 0) == KILL
    assert decide("aarch64", X86, 0) == KILL
    assert decide("aarch64", ARM, 219) == errno.EPERM
    assert decide("aarch64", ARM, 63) == ALLOW
    assert build_filter("riscv64") == b""
