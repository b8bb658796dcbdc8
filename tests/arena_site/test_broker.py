"""The filesystem broker: no file in its folder, complete or not, ends a worker."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection

from arena_site.broker import FilesystemChannel, Transport
from arena_site.celery import app

MESSAGE = {"body": "", "properties": {"delivery_tag": "1", "delivery_info": {}}}


@pytest.fixture
def channel(tmp_path: Path) -> Iterator[FilesystemChannel]:
    for name in ("messages", "taken"):
        (tmp_path / name).mkdir()
    folders = {"data_folder_in": "messages", "data_folder_out": "messages", "processed_folder": "taken"}
    options = {key: str(tmp_path / name) for key, name in folders.items()}
    with Connection("filesystem://", transport=Transport, transport_options=options) as connection:
        yield connection.channel()


def test_celery_uses_it() -> None:
    with app.connection_for_read() as connection:
        assert isinstance(connection.transport, Transport)


def test_messages_arrive_once_in_order_and_leave_no_files(channel: FilesystemChannel, tmp_path: Path) -> None:
    for number in range(3):
        channel._put("cpu", MESSAGE | {"body": str(number)})
    channel._put("gfx942", MESSAGE)
    assert [channel._get("cpu")["body"] for _ in range(3)] == ["0", "1", "2"]
    with pytest.raises(Empty):
        channel._get("cpu")
    assert [path.name.split(".", 1)[1] for path in tmp_path.rglob("*.*")] == ["gfx942.msg"]


@pytest.mark.parametrize("content", [b"", b'{"body": ', b"\xff\xfe", b"3", b"{}", b'{"properties": {}}'])
def test_a_malformed_message_is_removed_and_the_next_one_read(
    channel: FilesystemChannel, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "messages" / "1.cpu.msg").write_bytes(content)
    (tmp_path / "messages" / "2.cpu.msg").write_text(json.dumps(MESSAGE))
    assert channel._get("cpu") == MESSAGE
    assert not list(tmp_path.rglob("*.msg"))


def test_a_message_that_is_still_being_written_is_not_seen(
    channel: FilesystemChannel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def look(part: Path, whole: Path) -> None:
        assert json.loads(part.read_text()) == MESSAGE
        with pytest.raises(Empty):
            channel._get("cpu")

    monkeypatch.setattr(Path, "rename", look)
    channel._put("cpu", MESSAGE)
    assert len(list((tmp_path / "messages").iterdir())) == 1
