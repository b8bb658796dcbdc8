"""The system call filter's numbers, against the kernel's own headers; its program, instruction by instruction."""

from __future__ import annotations

import errno
import re
from pathlib import Path

import pytest

from evaluator.inside import seccomp

HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}


@pytest.mark.parametrize(("column", "machine"), list(enumerate(HEADERS)))
def test_its_numbers_are_those_of_the_kernel(column: int, machine: str) -> None:
    if not HEADERS[machine].exists():
        pytest.skip(f"{HEADERS[machine]} is not installed")
    text = HEADERS[machine].read_text()
    known = {name: int(number) for name, number in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text)}
    for name, numbers in (seccomp.REFUSED | seccomp.BY_ARGUMENT).items():
        assert known.get(name, numbers[column]) == numbers[column], name
    assert len(set(known) & set(seccomp.REFUSED | seccomp.BY_ARGUMENT)) > 40


def verdict(machine: str, name: str, *arguments: int, guarded: tuple[int, ...] = (1234,)) -> int:
    """Interpret the filter's program; return the errno of a denied call, 0 if it is allowed."""
    column = list(HEADERS).index(machine)
    number = (seccomp.REFUSED | seccomp.BY_ARGUMENT | {"read": (0, 63)})[name][column]
    words = {seccomp.ARCHITECTURE: seccomp.AUDIT_ARCH[machine], seccomp.NUMBER: number}
    for index in range(6):
        given = arguments[index] if index < len(arguments) else 0
        words[seccomp.FIRST_ARGUMENT + 8 * index] = given & 0xFFFFFFFF
    program, at, loaded = seccomp._program(machine, guarded), 0, 0
    while True:
        code, yes, no, value = program[at]
        at += 1
        if code == seccomp.RETURN:
            return 0 if value == seccomp.ALLOW else value & 0xFFFF if value & seccomp.FAIL else -1
        if code == seccomp.LOAD:
            loaded = words[value]
            continue
        holds = {
            seccomp.JUMP_EQUAL: loaded == value,
            seccomp.JUMP_ABOVE: loaded >= value,
            seccomp.JUMP_ANY_BIT: bool(loaded & value),
        }[code]
        at += yes if holds else no


@pytest.mark.parametrize("machine", list(HEADERS))
@pytest.mark.parametrize(
    ("expected", "name", "arguments"),
    [
        (0, "read", (0,)),
        (errno.EPERM, "ptrace", ()),
        (errno.EPERM, "mount", ()),
        (errno.ENOSYS, "clone3", ()),
        (0, "clone", (0x01200011,)),
        (errno.EPERM, "clone", (0x10000011,)),
        (0, "kill", (4321, 9)),
        (errno.EPERM, "kill", (1234, 9)),
        (errno.EPERM, "kill", (-1234, 9)),
        (errno.EPERM, "kill", (-1, 9)),
        (errno.EPERM, "tgkill", (1234, 1234, 9)),
        (0, "tgkill", (4321, 4321, 9)),
        (0, "socket", (1, 1)),
        (errno.EAFNOSUPPORT, "socket", (2, 1)),
        (errno.EAFNOSUPPORT, "socket", (40, 1)),
        (0, "prlimit64", (0,)),
        (errno.EPERM, "prlimit64", (1234,)),
        (0, "fcntl", (3, 2)),
        (errno.EPERM, "fcntl", (3, 8)),
        (errno.EPERM, "ioctl", (0, 0x5412)),
    ],
)
def test_it_denies_the_calls_it_should(machine: str, expected: int, name: str, arguments: tuple[int, ...]) -> None:
    assert verdict(machine, name, *arguments) == expected


def test_it_kills_a_process_of_another_architecture() -> None:
    program = seccomp._program("x86_64", ())
    assert program[:3] == [
        (seccomp.LOAD, 0, 0, seccomp.ARCHITECTURE),
        (seccomp.JUMP_EQUAL, 1, 0, 0xC000003E),
        (seccomp.RETURN, 0, 0, seccomp.KILL_PROCESS),
    ]
