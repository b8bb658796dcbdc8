"""Frames: how the judge handles bytes that a worker may have forged."""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Iterator

import pytest

from evaluator.inside.channel import BadFrame, Channel, ChannelClosed, SharedMemory, sealed_memory
from evaluator.sandbox.conversation import Conversation, DeadlinePassed, FloodSeen, ProcessOutput


class Pipes:
    """A conversation whose other ends are held by the test."""

    def __init__(self) -> None:
        reply, self.write_fd = os.pipe()
        self.read_fd, command = os.pipe()
        output, self.output_fd = os.pipe()
        self.conversation = Conversation(reply, command, ProcessOutput(output, limit=100))
        self.conversation.deadline = time.monotonic() + 120  # what the test says is there already

    def say(self, data: bytes) -> None:
        os.write(self.write_fd, data)


@pytest.fixture
def pipes() -> Iterator[Pipes]:
    made = Pipes()
    yield made
    made.conversation.close()
    made.conversation.output.close()
    for fd in (made.write_fd, made.read_fd, made.output_fd):
        os.close(fd)


def frame(body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + body


@pytest.mark.parametrize(
    "body", [b"", b"PASS", b"[1]", b'{"x": NaN}', b'{"x": 1e999}', b'{"x": -Infinity}', b"\xff{}", b"[" * 60_000]
)
def test_a_frame_that_is_no_message_is_refused(pipes: Pipes, body: bytes) -> None:
    pipes.say(frame(body))
    with pytest.raises(BadFrame):
        pipes.conversation.receive()


def test_a_frame_that_claims_to_be_huge_is_refused_before_it_is_read(pipes: Pipes) -> None:
    pipes.say(struct.pack(">I", 1 << 31))
    with pytest.raises(BadFrame, match="2147483648 bytes"):
        pipes.conversation.receive()


def test_a_frame_that_never_ends_meets_the_deadline(pipes: Pipes) -> None:
    pipes.conversation.deadline = time.monotonic() + 0.2
    pipes.say(struct.pack(">I", 1000) + b"{")
    with pytest.raises(DeadlinePassed):
        pipes.conversation.receive()


def test_a_command_that_is_not_read_meets_the_deadline(pipes: Pipes) -> None:
    pipes.conversation.deadline = time.monotonic() + 0.2
    with pytest.raises(DeadlinePassed):
        pipes.conversation.send({"op": "x" * 500_000})


def test_output_is_read_while_waiting_up_to_its_limit(pipes: Pipes) -> None:
    os.write(pipes.output_fd, b"a" * 100)
    pipes.say(frame(b"{}"))
    assert pipes.conversation.receive() == {}
    pipes.conversation.output.drain()
    assert pipes.conversation.output.text == "a" * 100
    os.write(pipes.output_fd, b"b")
    with pytest.raises(FloodSeen):
        pipes.conversation.receive()


def test_what_one_end_sends_the_other_receives() -> None:
    read_fd, write_fd = os.pipe()
    channel = Channel(read_fd, write_fd)
    message: dict[str, object] = {"op": "put", "offset": 0, "share": 0.25, "text": "µ\n", "nothing": None}
    channel.send(message)
    assert channel.receive() == message
    with pytest.raises(ValueError, match="at most"):
        channel.send({"op": "x" * (1 << 20)})
    os.close(write_fd)
    with pytest.raises(ChannelClosed):
        channel.receive()
    os.close(read_fd)


def test_a_mailbox_cannot_be_shrunk_or_grown() -> None:
    fd = sealed_memory(4096)
    memory = SharedMemory(fd, 4096)
    for size in (0, 8192):
        with pytest.raises(PermissionError):
            os.ftruncate(fd, size)
    for offset, size in ((-1, 1), (0, 4097), (4096, 1), (0, -1)):
        with pytest.raises(ValueError, match="mailbox"):
            memory.view(offset, size)
    os.close(fd)
