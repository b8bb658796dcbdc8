"""Steps of confinement that matter when zygote and worker share a user, tested separately on any host."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

OVERWRITE = """
import ctypes, os, sys
import evaluator.inside.confine as confine
if os.geteuid() == 0:
    os.setgroups([]), os.setresgid(65534, 65534, 65534), os.setresuid(65534, 65534, 65534)
confine._prctl(confine.PR_SET_DUMPABLE, 1)
if sys.argv[1] == "zygote":
    confine.become_zygote()
secret = ctypes.create_string_buffer(b"original")
child = os.fork()
if child == 0:
    confine._prctl(confine.PR_SET_DUMPABLE, 1)
    try:
        memory = os.open(f"/proc/{os.getppid()}/mem", os.O_RDWR)
        os.pwrite(memory, b"replaced", ctypes.addressof(secret))
    finally:
        os._exit(0)
os.waitpid(child, 0)
print(secret.value.decode())
"""


@pytest.mark.parametrize(("role", "left"), [("zygote", "original"), ("ordinary process", "replaced")])
def test_a_child_of_the_same_user_cannot_overwrite_a_zygote(role: str, left: str) -> None:
    command = [sys.executable, "-c", OVERWRITE, role]
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == f"{left}\n"
