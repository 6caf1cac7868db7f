"""A hostile program: it tries ways out of a check one after another, and prints which were open.

It is run as a text inside the check. Every call has arguments with which it does no harm where it
is not stopped: a refusal says EPERM, and any other answer means that the kernel would listen.
"""

import ctypes
import errno
import fcntl
import json
import os
import platform
import resource
import signal
import socket
import stat
import sys
from collections.abc import Callable
from typing import Any

LIBC: Any = ctypes.CDLL(None, use_errno=True)
COLUMN = ["x86_64", "aarch64"].index(platform.machine())
NEW_USER = 0x10000000
KNOWN = json.loads(sys.argv[1]) if __name__ == "__main__" else {}
Try = Callable[[], object]
TRIES: dict[str, Try] = {}


def tries(name: str) -> Callable[[Try], Try]:
    def keep(attempt: Try) -> Try:
        TRIES[name] = attempt
        return attempt

    return keep


def is_heard(numbers: tuple[int, int], *words: object) -> bool:
    """Return whether the kernel does more with a call than refuse it."""
    given = [ctypes.c_long(w) if isinstance(w, int) else w for w in words]
    done = LIBC.syscall(ctypes.c_long(numbers[COLUMN]), *given)
    return bool(done != -1) or ctypes.get_errno() not in {errno.EPERM, errno.ENOSYS}


CALLS = {
    "reads the session's keys": ((250, 219), 0, -3, 0),
    "adds a key to a keyring": ((248, 217), b"user", b"goalkeeper-try", b"x", 1, -2),
    "asks for a key": ((249, 218), b"user", b"goalkeeper-try", 0, 0),
    "makes a user namespace": ((272, 97), NEW_USER),
    "mounts a file system": ((165, 40), 0, 0, 0, 0, 0),
    "takes a mount away": ((166, 39), b"/nowhere", 0),
    "mounts by the new calls": ((430, 430), b"no-such-system", 0),
    "copies a tree of mounts": ((428, 428), -1, b"nowhere", 0),
    "moves a mount": ((429, 429), -1, b"nowhere", -1, b"nowhere", 0),
    "changes a mount": ((442, 442), -1, b"nowhere", 0, 0, 0),
    "exchanges the root": ((155, 41), b"/nowhere", b"/nowhere"),
    "enters another namespace": ((308, 268), -1, 0),
    "loads a program into the kernel": ((321, 280), 99, 0, 0),
    "watches the machine's counters": ((298, 241), 0, 0, -1, -1, 0),
    "handles page faults itself": ((323, 282), 0xFFFF),
    "asks the kernel by rings": ((425, 425), 0, 0),
    "loads a module": ((175, 105), 0, 0, 0),
    "loads a module from a file": ((313, 273), -1, 0, 0),
    "takes a module out": ((176, 106), b"no-such-module", 0),
    "loads another kernel": ((246, 104), 0, 99, 0, 0),
    "restarts the machine": ((169, 142), 0, 0, 0, 0),
    "adds swap space": ((167, 224), 1, 0),
    "turns accounting on": ((163, 89), 1),
    "opens a file by its number": ((304, 265), -1, 0, 0),
    "changes quotas": ((179, 60), -1, 0, 0, 0),
    "changes its root": ((161, 51), b"/"),
    "names the machine": ((170, 161), 0, -1),
    "reads the kernel's messages": ((103, 116), 10, 0, 0),
}
for NAME, CALL in CALLS.items():
    TRIES[NAME] = lambda call=CALL: is_heard(*call)  # type: ignore[misc]


@tries("forks into a user namespace")
def forks_into_a_namespace() -> bool:
    child = LIBC.syscall(ctypes.c_long((56, 220)[COLUMN]), NEW_USER | signal.SIGCHLD, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    return bool(child > 0 and os.waitpid(child, 0))


@tries("forks so by the new call")
def forks_by_the_new_call() -> bool:
    told = (ctypes.c_uint64 * 8)(NEW_USER, 0, 0, 0, signal.SIGCHLD, 0, 0, 0)
    child = LIBC.syscall(ctypes.c_long(435), told, ctypes.c_long(64))
    if child == 0:
        os._exit(0)
    return bool(child > 0 and os.waitpid(child, 0))


def opens(path: str, flags: int = os.O_RDONLY) -> bool:
    os.close(os.open(path, flags | os.O_NONBLOCK))
    return True


def reads(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(1)


TRIES |= {
    "reads the passwords": lambda: reads("/etc/shadow"),
    "reads the passwords of groups": lambda: reads("/etc/gshadow"),
    "lists keys by name": lambda: reads("/proc/keys"),
    "counts keys": lambda: reads("/proc/key-users"),
    "reads the memory of the kernel": lambda: opens("/proc/kcore"),
    "presses the kernel's emergency keys": lambda: opens("/proc/sysrq-trigger", os.O_WRONLY),
    "changes a setting of a device": lambda: opens(
        "/sys/kernel/mm/transparent_hugepage/enabled", os.O_WRONLY
    ),
    "reads a disk": lambda: opens(KNOWN["disk"]),
    "replaces a tool": lambda: opens("/usr/bin/env", os.O_WRONLY),
    "replaces a library of the interpreter": lambda: opens(json.__file__, os.O_WRONLY),
    "reads the system's logs": lambda: os.listdir("/var/log"),
    "reads other projects": lambda: reads(KNOWN["other"]),
    "reads another check's checkout": lambda: reads(KNOWN["neighbour"]),
    "looks into the account's home": lambda: any(
        [os.stat(home).st_dev, os.stat(home).st_ino] == marks for home, marks in KNOWN["homes"]
    ),
    "lists the homes of others": lambda: (
        {f"/home/{name}" for name in os.listdir("/home")} - {home for home, _ in KNOWN["homes"]}
    ),
    "makes a device": lambda: does(os.mknod, "device", 0o600 | stat.S_IFCHR, os.makedev(1, 3)),
    "becomes another user": lambda: does(os.setuid, 65534),
    "gives a file away": lambda: does(os.chown, os.open("given", os.O_CREAT), 65534, -1),
    "has rights of root": lambda: int(status("CapEff"), 16),
    "may get rights of root": lambda: int(status("CapBnd"), 16),
    "gains rights by a program of root": lambda: status("NoNewPrivs") == "0",
    "finds a first process without a filter": lambda: status("Seccomp", "1") != "2",
    "signals a process outside": lambda: does(os.kill, KNOWN["pid"], 0),
    "traces a process outside": lambda: LIBC.ptrace(0x4206, KNOWN["pid"], 0, 0) != -1,
    "reads the memory of a process outside": lambda: reads_memory(KNOWN["pid"]),
    "reads the variables of a process outside": lambda: KNOWN["variable"] in variables(),
    "holds a handle of a process outside": lambda: name_of(os.pidfd_open(KNOWN["pid"])),
    "slows a process outside": lambda: does(os.setpriority, os.PRIO_PROCESS, KNOWN["pid"], 19),
    "limits a process outside": lambda: resource.prlimit(KNOWN["pid"], resource.RLIMIT_CORE),
    "talks to the host of a virtual machine": lambda: socket.socket(40, socket.SOCK_STREAM),
    "uses the kernel's ciphers": lambda: socket.socket(38, socket.SOCK_SEQPACKET),
    "sends raw packets": lambda: socket.socket(17, socket.SOCK_RAW),
    "talks over bluetooth": lambda: socket.socket(31, socket.SOCK_SEQPACKET),
    "asks over IPv6": lambda: connects(socket.AF_INET6, ("::1", KNOWN["port6"])),
    "sends a datagram": lambda: connects(2, ("192.0.2.1", 9), socket.SOCK_DGRAM),
    "sees the machine's networks": lambda: [n for _, n in socket.if_nameindex() if n != "lo"],
    "calls a socket without a file": lambda: connects(1, "\0" + KNOWN["abstract"]),
    "calls a socket in a temporary folder": lambda: connects(1, KNOWN["socket"]),
    "calls a socket in a folder of the system": lambda: connects(1, KNOWN["system socket"]),
    "attaches shared memory of others": lambda: is_heard_shm(KNOWN["segment"]),
    "reads shared memory of others": lambda: reads(KNOWN["shared"]),
    "keeps memory without a file": lambda: os.memfd_create("x"),
    "keeps large memory by number": lambda: makes_segment(64 << 20),
    "types into a terminal": lambda: fcntl.ioctl(os.openpty()[1], 0x5412, b"x") == b"x",
    "writes to a pipe in a folder of the system": lambda: opens(KNOWN["pipe"], os.O_WRONLY),
    "locks a file that others see": lambda: locks(KNOWN["lockable"]),
}


def does(act: Callable[..., object], *words: object) -> bool:
    """Return True, unless the act raises an error."""
    act(*words)
    return True


def status(name: str, pid: str = "self") -> str:
    with open(f"/proc/{pid}/status") as file:
        return next(line.split()[1] for line in file if line.startswith(f"{name}:"))


def reads_memory(pid: int) -> bool:
    there = (ctypes.c_uint64 * 2)(0x1000, 1)
    LIBC.syscall(ctypes.c_long((310, 270)[COLUMN]), pid, there, 1, there, 1, 0)
    return ctypes.get_errno() == errno.EFAULT  # it looked, and there was nothing


def variables() -> str:
    with open(f"/proc/{KNOWN['pid']}/environ") as file:
        return file.read()


def name_of(pidfd: int) -> bool:
    with open(f"/proc/self/fdinfo/{pidfd}") as file:
        return f"Pid:\t{KNOWN['pid']}\n" in file.read()


def connects(family: int, address: object, kind: int = socket.SOCK_STREAM) -> bool:
    return socket.socket(family, kind).connect_ex(address) == 0  # type: ignore[arg-type]


def is_heard_shm(segment: int) -> bool:
    LIBC.shmat.restype = ctypes.c_long
    return bool(LIBC.shmat(segment, None, 0o10000) != -1)


def makes_segment(size: int) -> bool:
    segment = LIBC.shmget(0, ctypes.c_size_t(size), 0o600)
    return bool(segment != -1 and LIBC.shmctl(segment, 0, None) == 0)


def locks(path: str) -> bool:
    fcntl.flock(os.open(path, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    return True


def succeeds(attempt: Try) -> bool:
    """Try it in a process of its own, which may harm only itself."""
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        try:
            os.write(writing, b"1" if attempt() else b"0")
        except (OSError, StopIteration):
            pass
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    return os.read(reading, 1) == b"1"


if __name__ == "__main__":
    sys.stdout.write(json.dumps([name for name, attempt in TRIES.items() if succeeds(attempt)]))
