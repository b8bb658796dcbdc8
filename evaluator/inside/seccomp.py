"""A system call filter without a library. It denies calls that no kernel needs and calls that affect other processes.

The filter is a BPF program, written here as a list of instructions; no jump is longer than one rule. A denied call
fails with an errno instead of killing the process, since harmless programs may probe for features.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
from collections.abc import Iterable

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32_BIT = 0x40000000

# name: (number on x86-64, number on aarch64)
REFUSED = {
    # access to other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    # namespaces and mounts
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    # memory that our limits do not count, and objects that outlive a process
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    # large kernel interfaces; io_uring would also bypass this filter
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "kexec_load": (246, 104),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "acct": (163, 89),
    "quotactl": (179, 60),
}
# allowed or denied depending on one argument
BY_ARGUMENT = {
    "clone": (56, 220),
    "clone3": (435, 435),
    "kill": (62, 129),
    "tgkill": (234, 131),
    "prlimit64": (302, 261),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "fcntl": (72, 25),
    "ioctl": (16, 29),
}
NEW_NAMESPACES = 0x7E020080  # CLONE_NEW* of time, mount, cgroup, uts, ipc, user, pid, net
AF_UNIX = 1
F_SETOWN, F_SETOWN_EX = 8, 15  # can send any signal to any process
FIOSETOWN, SIOCSPGRP, TIOCSTI, TIOCLINUX = 0x8901, 0x8902, 0x5412, 0x541C
EVERYBODY = 0xFFFFFFFF  # kill(-1)

LOAD, JUMP_EQUAL, JUMP_ABOVE, JUMP_ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, FAIL, KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data
PR_SET_SECCOMP, MODE_FILTER = 22, 2

Instruction = tuple[int, int, int, int]


def install(guarded: Iterable[int]) -> bool:
    """Install the filter for this process and all its children, which must not signal the `guarded` processes.

    It needs no_new_privs. Returns False on machines with unknown system call numbers.
    """
    if platform.machine() not in AUDIT_ARCH:
        return False
    code = b"".join(struct.pack("HBBI", *step) for step in _program(platform.machine(), guarded))
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    holder = ctypes.create_string_buffer(program, len(program))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.byref(holder), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "the system call filter was not accepted")
    return True


def _program(machine: str, guarded: Iterable[int]) -> list[Instruction]:
    column = 0 if machine == "x86_64" else 1
    number = {name: numbers[column] for name, numbers in BY_ARGUMENT.items()}
    signalled = [EVERYBODY, *(value & 0xFFFFFFFF for pid in guarded for value in (pid, -pid))]
    code = _only(AUDIT_ARCH[machine])
    for numbers in REFUSED.values():
        code += _refuse(numbers[column], errno.EPERM)
    code += _refuse(number["clone3"], errno.ENOSYS)  # its flags are in memory; glibc falls back to clone
    code += _refuse_where(number["clone"], 0, [NEW_NAMESPACES], errno.EPERM, JUMP_ANY_BIT)
    code += _refuse_where(number["kill"], 0, signalled, errno.EPERM)
    code += _refuse_where(number["tgkill"], 0, signalled, errno.EPERM)
    code += _refuse_where(number["fcntl"], 1, [F_SETOWN, F_SETOWN_EX], errno.EPERM)
    code += _refuse_where(number["ioctl"], 1, [FIOSETOWN, SIOCSPGRP, TIOCSTI, TIOCLINUX], errno.EPERM)
    code += _refuse_unless(number["prlimit64"], 0, 0, errno.EPERM)  # 0: itself
    code += _refuse_unless(number["socket"], 0, AF_UNIX, errno.EAFNOSUPPORT)
    code += _refuse_unless(number["socketpair"], 0, AF_UNIX, errno.EAFNOSUPPORT)
    return [*code, (RETURN, 0, 0, ALLOW)]


def _only(architecture: int) -> list[Instruction]:
    """Kill on calls of another architecture or of x32, whose numbers differ."""
    return [
        (LOAD, 0, 0, ARCHITECTURE),
        (JUMP_EQUAL, 1, 0, architecture),
        (RETURN, 0, 0, KILL_PROCESS),
        (LOAD, 0, 0, NUMBER),
        (JUMP_ABOVE, 0, 1, X32_BIT),
        (RETURN, 0, 0, FAIL | errno.ENOSYS),
    ]


def _refuse(number: int, code: int) -> list[Instruction]:
    return [(JUMP_EQUAL, 0, 1, number), (RETURN, 0, 0, FAIL | code)]


def _refuse_where(
    number: int, argument: int, values: list[int], code: int, test: int = JUMP_EQUAL
) -> list[Instruction]:
    """Deny the call if the low 32 bits of an argument, all that the kernel reads of an int, are one of the values."""
    tests: list[Instruction] = []
    for value in values:
        tests += [(test, 0, 1, value), (RETURN, 0, 0, FAIL | code)]
    body = [(LOAD, 0, 0, FIRST_ARGUMENT + 8 * argument), *tests, (LOAD, 0, 0, NUMBER)]
    return [(JUMP_EQUAL, 0, len(body), number), *body]


def _refuse_unless(number: int, argument: int, value: int, code: int) -> list[Instruction]:
    body = [
        (LOAD, 0, 0, FIRST_ARGUMENT + 8 * argument),
        (JUMP_EQUAL, 1, 0, value),
        (RETURN, 0, 0, FAIL | code),
        (LOAD, 0, 0, NUMBER),
    ]
    return [(JUMP_EQUAL, 0, len(body), number), *body]
