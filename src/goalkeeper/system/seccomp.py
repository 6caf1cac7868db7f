"""A filter by which the kernel refuses system calls that no check needs.

It is a program for the kernel's packet filter (BPF), and bubblewrap loads it. Calls that are not
named here are allowed: the kernel's own rules, the namespaces and the missing rights hold for them.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

# The names of machines, and how the kernel names their system calls to a filter.
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_FOREIGN_CALLS = 0x40000000  # numbers of the x32 interface begin here, on x86_64 only

# The number of each call on x86_64 and on aarch64. Programs fall back where a call is unknown.
_UNKNOWN = {
    "clone3": (435, 435),  # the filter cannot read its flags; every program falls back to clone
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "userfaultfd": (323, 282),
}  # fmt: skip
_FORBIDDEN = {
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    "bpf": (321, 280), "perf_event_open": (298, 241), "syslog": (103, 116),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "setns": (308, 268),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "open_tree_attr": (467, 467), "open_by_handle_at": (304, 265),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "reboot": (169, 142),
    "acct": (163, 89), "swapon": (167, 224), "swapoff": (168, 225), "quotactl": (179, 60),
}  # fmt: skip
_CLONE, _UNSHARE, _IOCTL = (56, 220), (272, 97), (16, 29)
_SOCKET, _SOCKETPAIR, _SHMGET = (41, 198), (53, 199), (29, 194)

_NEW_USER_NAMESPACE = 0x10000000
_TERMINAL_INPUT = (0x5412, 0x541C)  # TIOCSTI and TIOCLINUX type into somebody's terminal
_FAMILIES = (1, 2, 10, 16)  # unix, IPv4, IPv6, netlink: those that a network namespace shuts in
_SEGMENT_BYTES = 1 << 20  # memory that programs share by number is seen by no watch

_LOAD, _EQUAL, _GREATER, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x25, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000, 0x80000000

_Step = tuple[int, int, int, int]  # operation, steps to skip if true, if false, operand


@cache
def build_filter(machine: str = "") -> bytes:
    """Return the filter for this machine; it is empty for a machine that we do not know."""
    machine = machine or os.uname().machine
    if machine not in _ARCHITECTURES:
        return b""
    column = list(_ARCHITECTURES).index(machine)
    steps: list[_Step] = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_EQUAL, 1, 0, _ARCHITECTURES[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_AT_LEAST, 0, 1, _FOREIGN_CALLS),
        (_RETURN, 0, 0, _REFUSE | errno.ENOSYS),
    ]
    for number in _UNKNOWN.values():
        steps += _refuse_call(number[column], (), errno.ENOSYS)
    for number in _FORBIDDEN.values():
        steps += _refuse_call(number[column], (), errno.EPERM)
    for number in (_CLONE, _UNSHARE):
        flags = (_load_argument(0), (_ANY_BIT, 0, 1, _NEW_USER_NAMESPACE))
        steps += _refuse_call(number[column], flags, errno.EPERM)
    for request in _TERMINAL_INPUT:
        asked = (_load_argument(1), (_EQUAL, 0, 1, request))
        steps += _refuse_call(_IOCTL[column], asked, errno.EPERM)
    for number in (_SOCKET, _SOCKETPAIR):
        steps += _refuse_call(number[column], (*_find_other_family(),), errno.EAFNOSUPPORT)
    large = (
        _load_argument(1, high=True), (_EQUAL, 0, 2, 0),
        _load_argument(1), (_GREATER, 0, 1, _SEGMENT_BYTES),
    )  # fmt: skip
    steps += _refuse_call(_SHMGET[column], large, errno.ENOSPC)
    steps.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _refuse_call(number: int, test: Sequence[_Step], error: int) -> Iterable[_Step]:
    """Return steps that refuse a call if the test, whose last step may skip one, does not skip."""
    behind = [*test, (_RETURN, 0, 0, _REFUSE | error)]
    if test:
        behind.append((_LOAD, 0, 0, _NUMBER_AT))  # the test has loaded an argument
    return [(_EQUAL, 0, len(behind), number), *behind]


def _find_other_family() -> Iterator[_Step]:
    yield _load_argument(0)
    for left, family in reversed([*enumerate(_FAMILIES)]):
        yield (_EQUAL, left + 1, 0, family)


def _load_argument(place: int, *, high: bool = False) -> _Step:
    """Return the step that loads one half of an argument; both machines store the low one first."""
    return (_LOAD, 0, 0, _ARGUMENTS_AT + 8 * place + 4 * high)


def find_number(name: str) -> int:
    """Return the number of a call that the filter knows, on this machine."""
    known = {**_UNKNOWN, **_FORBIDDEN, "unshare": _UNSHARE}
    return known[name][list(_ARCHITECTURES).index(os.uname().machine)]
