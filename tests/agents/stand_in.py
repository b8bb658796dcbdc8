"""A scripted agent: prints what it sees as events of Codex, and does what the first line of the prompt asks.

Written into a folder of a test's as an executable. It uses the standard library alone.
"""

from __future__ import annotations

import base64
import json
import os
import socket
import subprocess
import sys
import time  # noqa: F401  (scripts wait)
from pathlib import Path


def tell(**event):
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


def say(text, kind="agent_message", **more):
    tell(type="item.completed", item={"type": kind, "text": text, **more})


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    say(
        "",
        "command_execution",
        command=" ".join(command),
        aggregated_output=done.stdout + done.stderr,
        exit_code=done.returncode,
    )
    return done


def edit(old, new, name="softmax.py"):
    text = Path(name).read_text()
    assert old in text
    Path(name).write_text(text.replace(old, new))


def look():
    """All that a curious agent tries, as one line of JSON."""
    seen = {
        "cwd": os.getcwd(),
        "uid": os.getuid(),
        "environment": sorted(os.environ),
        "root": sorted(os.listdir("/")),
        "workspace": sorted(os.listdir(".")),
        "processes": sorted(name for name in os.listdir("/proc") if name.isdigit()),
        "writable": [place for place in ("/usr/x", "/etc/x", "/arena/bin/x", "/x", "/run/arena/x") if writes(place)],
        "reach": [f"{host}:{port}" for host, port in json.loads(os.environ.get("TRY", "[]")) if connects(host, port)],
        "found": [path for path in json.loads(os.environ.get("PATHS", "[]")) if os.path.exists(path)],
    }
    say(json.dumps(seen))


def writes(place):
    try:
        Path(place).touch()
    except OSError:
        return False
    return True


def connects(host, port):
    try:
        socket.create_connection((host, port), timeout=2).close()
    except OSError:
        return False
    return True


def asked_of_proxy(target):
    with socket.create_connection(("127.0.0.1", 3128), timeout=120) as connection:
        connection.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
        return connection.recv(100).decode().split("\r\n")[0]


def main():
    prompt = sys.stdin.read()
    tell(type="thread.started", thread_id="1")
    tell(type="turn.started")
    if "MUTE" not in os.environ:
        say(f"{len(prompt)} characters")
    exec(base64.b64decode(os.environ["PLAY"]))
    tell(type="turn.completed", usage={"input_tokens": 7, "cached_input_tokens": 0, "output_tokens": 3})


main()
