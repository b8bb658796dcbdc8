"""`bundle check` and `bundle submit` on the command line, with a local server that records what it gets."""

from __future__ import annotations

import hashlib
import json
import shutil
import threading
from collections.abc import Iterator
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from evaluator.__main__ import main
from evaluator.bundles import upload
from evaluator.bundles.archives.packing import zip_folder
from evaluator.bundles.checking import check
from evaluator.tasks.spec import task_digest, task_files, tasks_folder
from tests.bundles.made import aka, kb, kbx, kbx_sizes

SITE_WORDS = ("--licence", "CC-BY-4.0", "--consent")


class Site(BaseHTTPRequestHandler):
    """Answers what a test says, in turn; the last answer again and again."""

    answers: ClassVar[list[tuple[int, Any]]] = []
    got: ClassVar[list[dict[str, Any]]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        parts = BytesParser().parsebytes(head + body).get_payload()
        fields = {part.get_param("name", header="content-disposition"): part.get_payload(decode=True) for part in parts}
        Site.got.append({"path": self.path, "headers": dict(self.headers), "fields": fields})
        status, answer = Site.answers.pop(0) if len(Site.answers) > 1 else Site.answers[0]
        data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments: object) -> None:
        """Nothing."""


@pytest.fixture
def url() -> Iterator[str]:
    Site.answers, Site.got = [(202, {"submission": 7, "state": "received", "url": "/submission/7/"})], []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(tmp_path / "run", aka())


def written(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def submitted(path: Path, url: str, *more: str) -> int:
    return main(["bundle", "submit", str(path), "--url", url, "--token", "arena_x", *SITE_WORDS, *more])


def test_check_reports_what_it_parsed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bundle", "check", str(folder)]) == 0
    printed = capsys.readouterr().out
    assert "AgentKernelArena, v1, later fields" in printed
    assert "1 of 196 tasks\n" in printed
    assert "unstated  model: exact model identifier" in printed
    assert printed.endswith("run: ready to submit\n")


def test_check_asks_who_wrote_the_candidates_as_a_site_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(written(tmp_path / "theirs", kb(declared="")))
    assert main(["bundle", "check", path]) == 0
    assert capsys.readouterr().out.endswith("once you say who wrote the candidates: --set agent=NAME\n")
    assert main(["bundle", "check", path, "--set", "agent=Somebody"]) == 0
    assert capsys.readouterr().out.endswith("theirs: ready to submit\n")


def test_check_names_the_tasks_that_differ_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A site with these tasks would still take it, so it is no problem."""
    bundle = str(tasks_folder() / "bundles" / "h200-sxm-smoke-block_tuner.tar.zst")
    assert main(["bundle", "check", bundle]) == 0
    assert "\nother " not in (said := capsys.readouterr().out)
    assert said.endswith(": ready to submit\n")
    other, gone = "hip2hip/arena/GELU", "torch2hip/arena/SiLU"
    shutil.copytree(tasks_folder(), tmp_path / "tasks", ignore=shutil.ignore_patterns("__pycache__", "bundles"))
    (tmp_path / "tasks" / other / "kernel.hip").write_text("// another\n", encoding="utf-8")
    shutil.rmtree(tmp_path / "tasks" / gone)
    digest = task_digest(task_files(tmp_path / "tasks" / other))
    monkeypatch.setenv("ARENA_TASKS", str(tmp_path / "tasks"))
    assert main(["bundle", "check", bundle]) == 0
    said = capsys.readouterr().out
    assert f"other     {other}: digest {digest[:12]} in tasks/ here\n" in said
    assert f"other     {gone}: not in tasks/ here\n" in said
    assert said.endswith(": ready to submit to a site whose suite has exactly these tasks\n")
    assert main(["bundle", "check", bundle, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["submission"]["other_tasks"] == {other: digest, gone: None}


def test_check_reports_every_problem_with_place_seen_expected_and_hint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = written(
        tmp_path / "run", kbx(**{"golden_results/5090/matmul_w8a8.json": json.dumps(kbx_sizes(9.0)).encode()})
    )
    assert main(["bundle", "check", str(folder)]) == 1
    printed = capsys.readouterr().out
    for word in ("problem   golden_results", "seen: ", "expected: ", "hint: State it as golden_machine"):
        assert word in printed
    assert printed.endswith("1 problem; a site would reject it\n")


def test_json_holds_everything_and_sources_by_their_digest(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bundle", "check", str(folder), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["valid"], told["problems"]) == (True, [])
    (claim,) = told["submission"]["claims"]
    assert claim["recomputed_speedup"] == 3.0
    assert claim["files"] == {"gelu.hip": hashlib.sha256(b"// a kernel\n").hexdigest()}
    assert len(told["submission"]["absent"]) == 195


def test_a_path_that_is_not_there_is_a_mistake_of_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bundle", "check", str(tmp_path / "missing")]) == 2
    assert "no such file" in capsys.readouterr().err


def test_a_folder_is_sent_as_its_zip_with_token_key_and_fields(folder: Path, url: str, tmp_path: Path) -> None:
    assert submitted(folder, url, "--set", "model=some-model-1") == 0
    (got,) = Site.got
    assert got["path"] == "/api/v1/submissions/"
    assert got["headers"]["Authorization"] == "Bearer arena_x"
    sent = got["fields"].pop("bundle")
    assert got["fields"] == {"licence": b"CC-BY-4.0", "consent": b"on", "model": b"some-model-1"}
    assert got["headers"]["Idempotency-Key"] == hashlib.sha256(sent).hexdigest()
    assert sent == zip_folder(folder).read_bytes()
    (tmp_path / "sent.zip").write_bytes(sent)
    assert check(tmp_path / "sent.zip").problems == ()


def test_the_same_bundle_twice_has_the_same_key(folder: Path, url: str) -> None:
    assert (submitted(folder, url), submitted(zip_folder(folder), url)) == (0, 0)
    first, second = (got["headers"]["Idempotency-Key"] for got in Site.got)
    assert first == second


def test_a_bundle_with_problems_is_not_sent(tmp_path: Path, url: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.json").write_text("[]")
    assert submitted(tmp_path / "x.json", url) == 1
    assert "not submitted" in capsys.readouterr().out
    assert Site.got == []


def test_without_consent_or_token_nothing_is_sent(
    folder: Path, url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("ARENABOARD_TOKEN", raising=False)
    words = ["bundle", "submit", str(folder), "--url", url, "--licence", "MIT"]
    assert main(words) == 2
    assert main([*words, "--consent"]) == 2
    assert "ARENABOARD_TOKEN" in capsys.readouterr().err
    assert Site.got == []
    monkeypatch.setenv("ARENABOARD_TOKEN", "arena_y")
    assert main([*words, "--consent"]) == 0
    assert Site.got[0]["headers"]["Authorization"] == "Bearer arena_y"


@pytest.mark.parametrize(
    ("answer", "code", "text"),
    [
        ((200, {"state": "accepted"}), 0, "state: accepted"),
        ((202, {"url": "/submission/7/"}), 0, "/submission/7/"),
        ((404, b"<!doctype html><p>nothing here"), 1, "is not the address of an ArenaBoard site"),
        ((401, {"detail": "no valid token"}), 1, "401: no valid token"),
        ((413, b"<html>too large</html>"), 1, "too large"),
        ((302, b""), 3, "302"),
        ((500, b"\x1b[31mbroken"), 3, "\\x1b[31mbroken"),
    ],
)
def test_the_reply_of_the_site_is_printed(
    folder: Path, url: str, answer: tuple[int, Any], code: int, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Site.answers = [answer]
    assert submitted(folder, url) == code
    assert text in capsys.readouterr().out
    assert len(Site.got) == 1


def test_a_site_that_is_busy_is_asked_again_with_the_same_key(
    folder: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upload, "WAIT_S", 0.0)
    Site.answers = [(503, {}), (429, {}), (202, {"state": "received"})]
    assert submitted(folder, url) == 0
    assert len({got["headers"]["Idempotency-Key"] for got in Site.got}) == 1
    assert len(Site.got) == 3


def test_a_site_that_does_not_respond_is_reported_in_words(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(upload, "WAIT_S", 0.0)
    assert submitted(folder, "http://127.0.0.1:9") == 3
    assert "does not respond" in capsys.readouterr().err
    assert submitted(folder, "ftp://127.0.0.1") == 2
