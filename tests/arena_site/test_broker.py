"""The filesystem broker: no file in its folder, complete or not, ends a worker."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from kombu import Connection

from arena_site import broker
from arena_site.broker import FilesystemChannel, Transport
from arena_site.celery import app
from runs.job_messages import EVALUATE, HINT_S


@pytest.fixture
def channel(tmp_path: Path) -> Iterator[FilesystemChannel]:
    for name in ("messages", "taken"):
        (tmp_path / name).mkdir()
    folders = {"data_folder_in": "messages", "data_folder_out": "messages", "processed_folder": "taken"}
    options = {key: str(tmp_path / name) for key, name in folders.items()}
    with Connection("filesystem://", transport=Transport, transport_options=options) as connection:
        yield connection.channel()


def message(channel: FilesystemChannel, number: int) -> dict[str, Any]:
    """Return a message as Celery gives it to the channel."""
    return channel._message("cpu", EVALUATE, [number])


def id_in(channel: FilesystemChannel, taken: dict[str, Any]) -> int:
    """Return the id that a message has, read as Celery reads it."""
    [[number], _, _] = channel.Message(taken, channel=channel).decode()
    assert taken["headers"]["task"] == EVALUATE
    return int(number)


def test_celery_uses_it() -> None:
    with app.connection_for_read() as connection:
        assert isinstance(connection.transport, Transport)


def test_messages_arrive_once_in_order_and_leave_no_files(channel: FilesystemChannel, tmp_path: Path) -> None:
    for number in range(3):
        channel._put("cpu", message(channel, number))
    channel._put("gfx942", message(channel, 3))
    assert [id_in(channel, channel._get("cpu")) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(Empty):
        channel._get("cpu")
    assert [path.name.split(".", 1)[1] for path in tmp_path.rglob("*.*")] == ["gfx942.msg"]


SAID = {"task": EVALUATE, "args": [1]}
MALFORMED = [
    *(b"", b'{"body": ', b"\xff\xfe", b"3", b"{}", b"[" * 4096, b"[" * 100_000, b'{"a":' * 50_000, b"\0" * 5000),
    *(
        json.dumps(SAID | {name: odd}).encode()
        for name in SAID
        for odd in (None, 3, "x", [[]], {}, [1.5], ["1"], [True])
    ),
    *(json.dumps({name: value}).encode() for name, value in SAID.items()),
    *(json.dumps(SAID | more).encode() for more in ({"body": "x"}, {"properties": {}})),
    *(json.dumps(SAID | {"args": odd}).encode() for odd in ([], [1, 2])),
]


@pytest.mark.parametrize("content", MALFORMED, ids=range(len(MALFORMED)))
def test_a_malformed_message_is_removed_and_the_next_one_read(
    channel: FilesystemChannel, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "messages" / "1.cpu.msg").write_bytes(content)
    (tmp_path / "messages" / "2.cpu.msg").write_text(json.dumps(SAID))
    assert id_in(channel, channel._get("cpu")) == 1
    assert not list(tmp_path.rglob("*.msg"))


def test_a_message_that_is_older_than_the_hint_is_deleted_and_not_delivered(
    channel: FilesystemChannel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = broker.time_ns()
    for number, age_s in enumerate((HINT_S + 60, HINT_S - 60)):
        monkeypatch.setattr(broker, "time_ns", lambda age_s=age_s: now - age_s * 10**9)
        channel._put("cpu", message(channel, number))
    monkeypatch.setattr(broker, "time_ns", lambda: now)
    assert id_in(channel, channel._get("cpu")) == 1
    assert not list(tmp_path.rglob("*.msg"))


def test_what_is_no_file_is_left_alone(channel: FilesystemChannel, tmp_path: Path) -> None:
    """A pipe would be waited for, and a folder cannot be removed."""
    folder = tmp_path / "messages"
    (folder / "1.cpu.msg").mkdir()
    (folder / "2.cpu.msg").symlink_to("/dev/zero")
    os.mkfifo(folder / "3.cpu.msg")
    channel._put("cpu", message(channel, 7))
    assert id_in(channel, channel._get("cpu")) == 7
    assert len(list(folder.iterdir())) == 3


def test_a_message_that_is_still_being_written_is_not_seen(
    channel: FilesystemChannel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def look(part: Path, whole: Path) -> None:
        assert json.loads(part.read_text()) == SAID
        with pytest.raises(Empty):
            channel._get("cpu")

    monkeypatch.setattr(Path, "rename", look)
    channel._put("cpu", message(channel, 1))
    assert len(list((tmp_path / "messages").iterdir())) == 1
