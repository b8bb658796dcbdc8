"""`arena check`, the only tool for an agent in its sandbox, and the proxy to the hosts that the agent may reach.

This single file is mounted there as a program. It judges nothing: it sends the workspace through a socket and prints
the reply.
"""

from __future__ import annotations

import base64
import json
import os
import socket
import struct
import sys
import threading

SOCKETS = "/run/arena"
CHECK, NETWORK = f"{SOCKETS}/check", f"{SOCKETS}/network"
WORKSPACE = "/workspace"
PROXY_PORT = 3128
LARGEST = 2 << 20  # in bytes; a larger file is no source
SKIPPED = (".git", "__pycache__", "node_modules")
LENGTH = struct.Struct(">Q")
USAGE = "arena check: compile, check and time the candidate in the workspace\n"


def main() -> int:
    if sys.argv[1:] == ["check"]:
        return check()
    if sys.argv[1:2] == ["forward"]:
        return forward(sys.argv[2:])
    sys.stderr.write(USAGE)
    return 2


def check() -> int:
    """Check the workspace; return the exit code: 0 passed, 1 failed, 2 not judged."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        try:
            connection.connect(CHECK)
            send(connection, json.dumps(files(WORKSPACE)).encode())
            reply = json.loads(receive(connection))
        except (OSError, ValueError) as error:
            sys.stderr.write(f"no reply from the evaluator: {error}\n")
            return 2
    sys.stdout.write(reply["text"])
    return int(reply["code"])


def files(folder: str) -> dict[str, str | None]:
    """Return every file by its path, as base64; None for links, special files, and files too large for a source."""
    found: dict[str, str | None] = {}
    for root, folders, names in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(root, name))]
        folders[:] = [name for name in folders if name not in SKIPPED and name not in links]
        for name in [*links, *names]:
            path = os.path.join(root, name)
            plain = os.path.isfile(path) and not os.path.islink(path) and os.path.getsize(path) <= LARGEST
            found[os.path.relpath(path, folder)] = _read(path) if plain else None
    return found


def forward(command: list[str]) -> int:
    """Forward PROXY_PORT on the sandbox's loopback to the judge's socket, and run the command in the workspace."""
    if os.path.exists(NETWORK):
        listener = socket.create_server(("127.0.0.1", PROXY_PORT))
        if os.fork() == 0:
            silence = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):  # so that the end of the agent's output is seen
                os.dup2(silence, stream)
            while True:
                client, _ = listener.accept()
                threading.Thread(target=_join, args=(client,), daemon=True).start()
        listener.close()
    os.chdir(WORKSPACE)  # only the agent's own user may enter it
    os.execvp(command[0], command)


def send(connection: socket.socket, data: bytes) -> None:
    connection.sendall(LENGTH.pack(len(data)) + data)


def receive(connection: socket.socket, most: int = 1 << 30) -> bytes:
    """Receive one message.

    Raises:
        OSError: it is cut off, or longer than `most`.
    """
    (length,) = LENGTH.unpack(_exactly(connection, LENGTH.size))
    if length > most:
        raise OSError(f"a message of {length} bytes is too long")
    return _exactly(connection, length)


def relay(one: socket.socket, other: socket.socket) -> None:
    """Copy data both ways until both sides have ended; close both."""

    def pump(source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(1 << 16):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            for end in (source, target):
                end.close()

    back = threading.Thread(target=pump, args=(other, one), daemon=True)
    back.start()
    pump(one, other)
    back.join()
    one.close()
    other.close()


def _join(client: socket.socket) -> None:
    out = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        out.connect(NETWORK)
    except OSError:
        client.close()
        return
    relay(client, out)


def _read(path: str) -> str | None:
    try:
        with open(path, "rb") as file:
            return base64.b64encode(file.read()).decode()
    except OSError:
        return None


def _exactly(connection: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        piece = connection.recv(min(size - len(data), 1 << 20))
        if not piece:
            raise OSError("the connection was cut")
        data += piece
    return bytes(data)


if __name__ == "__main__":
    sys.exit(main())
