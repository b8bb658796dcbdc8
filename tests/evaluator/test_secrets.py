"""Odd forms of home folders and secrets, and lookalikes: masked in public texts, redacted in our own messages."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest

from evaluator.secrets import (
    MASK,
    REDACTED,
    codes_in_source,
    known_secrets,
    mask_json,
    mask_message,
    mask_text,
    redact,
)

KEY, PLANTED = "b3c9" + "Zx81" * 9, "pl4nted-Qx7_secretvalue"
PARTS = (KEY[:12], *PLANTED.split("-"), "IOSFODNN7", "ABCDEFGH", "correct-horse", "123456", "dozjgNryP4J3", "x7Kq")
HOMES = [
    "/home/alice/run.py",
    "/export/home/alice",
    "/home1/alice/x",
    "/homes/alice/x",
    "/Users/Alice Smith/x",
    "C:\\Users\\alice\\x",
    "c:/users/alice",
    "C:\\\\Users\\\\alice\\\\x",
    "\\\\wsl$\\Ubuntu\\home\\alice\\x",
    "file:///home/alice/x",
    "%2Fhome%2Falice%2Fx",
    "see ~alice/x.cu",
    "home/alice/run/task_result.yaml",
    "'/home/alice'",
    '{"path": "/home/alice/x"}',
]
SECRETS = [
    f"sk-proj-{KEY}",
    f"sk-ant-api03-{KEY}",
    f"sk_live_{KEY}",
    f"ghp_{KEY}",
    f"ghr_{KEY}",
    f"github_pat_{KEY}",
    f"hf_{KEY}",
    f"glpat-{KEY}",
    f"npm_{KEY}",
    f"pypi-{KEY}",
    f"arena_{KEY}{KEY}"[:49],
    "AKIAIOSFODNN7EXAMPLE",
    "ASIAIOSFODNN7EXAMPLE",
    f"AIza{KEY}",
    f"xoxe-{KEY}",
    f"eyJhbGciOiJIUzI1NiJ9.{KEY}.{KEY}",
    f"OPENAI_API_KEY={KEY}",
    f"export OPENAI_API_KEY='{KEY}'",
    f"aws_secret_access_key = {KEY}",
    f"AccountKey={KEY}==",
    f'"x-api-key": "{KEY}"',
    f'\\"api_key\\": \\"{KEY}\\"',
    f"--token {KEY}",
    f"--hf-token {KEY}",
    f"Authorization: Bearer {KEY}",
    f"authorization: basic {KEY}==",
    f"password: {KEY}",
    "PGPASSWORD=correct-horse",
    f"passphrase={KEY}",
    f"postgresql://arena:{KEY}@db/arena",
    f"https://:{KEY}@host/x",
    f"https://git:{KEY}@host/x",
    f"-----BEGIN OPENSSH PRIVATE KEY-----\n{KEY}\n{KEY}\n-----END OPENSSH PRIVATE KEY-----",
    f"-----BEGIN PRIVATE KEY-----\\n{KEY}\\n",
    f"basic  {KEY}==",
    f"private_key: {KEY}",
    f"redis://:a[b{KEY}@127.0.0.1:6379/0",
    f"sk-{KEY * 9}",
    f"Authorization: Bearer {PLANTED}",
    f"{{'Authorization': 'Basic {PLANTED}=='}}",
    f"authorization: {PLANTED}",
    f"Cookie: sessionid={PLANTED}; csrftoken={PLANTED}",
    f"sent with bearer {PLANTED} to it",
    f"password={PLANTED}",
    f'"password": "{PLANTED}"',
    f"{{'new_password1': '{PLANTED}', 'x': 1}}",
    f"POST /login/ password={PLANTED}&next=/",
    f"SECRET_KEY={PLANTED}",
    f"api_key: {PLANTED}",
    f"OPENAI_API_KEY={PLANTED}",
    f"aws_secret_access_key = {PLANTED}",
    f"access_token={PLANTED}",
    f"token='{PLANTED}'",
    f"csrfmiddlewaretoken={PLANTED}",
    f"postgresql://arena:{PLANTED}@db.example/board",
    f"redis://:{PLANTED}@127.0.0.1:6379/0",
    f"key sk-{PLANTED} of somebody",
    f"ghp_{PLANTED}",
    "AKIAABCDEFGHIJKLMNOP",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N",
    f"-----BEGIN PRIVATE KEY-----\n{PLANTED.replace('-', '')}\n-----END PRIVATE KEY-----",
]
ONLY_REDACTED = [
    f'authorization: Digest username="x", response="{PLANTED}"',
    f"Set-Cookie: id=7; {PLANTED}",
    "Basic x7Kq-of-words-alone",
    "password=x7Kq",
    "signature=x7Kq",
    "otp=123456",
    f"a token of ours, arena_{PLANTED}, was used",
]
HONEST = [
    "softmax failed at row 12: token 4096 of 8192",
    "max_tokens=8192, output tokens: 123456",
    "token = tl.load(ptr + offset, mask=mask)",
    "secret: see the round",
    "home page of the project; a homeomorphism",
    "https://example.org/kernels/softmax",
    "risk-free-but-a-rather-long-word",
    "keyword argument 'num_warps' is unknown",
    "key = hash(x)",
    "a sketch of rootless sandboxes",
    "12:30:11 ERROR at 0x7ffc: -1",
    "basic block 17 of the loop",
    "launch signature: (float const*, float*, int) of softmax_kernel_v2",
    "arena_softmax_forward_kernel",
    "cookie = make_cookie(seed)",
    "ASIA-PACIFIC-REGION-EAST",
]
PIECES = (
    *("a", "token", "/", "\\", "eyJ-", "-eyJ", "eyJaaaaaaaa.", "://", "x://", "://a:", "~a", "-", "--", "-- ", "home/"),
    *("--key ", "key=", "key='", "password ", "secret-", "cookie", "basic ", "-----BEGIN PRIVATE KEY-----", "sk-", '"'),
)


@pytest.mark.parametrize("text", HOMES)
def test_a_home_is_masked_whatever_its_spelling(text: str) -> None:
    found, codes = mask_message(f"error in {text} here")
    assert MASK in found
    assert codes == ("home_path",)
    assert not {"alice", "Alice"} & {part.split(" ")[0] for part in found.replace("%2F", "/").split("/")}
    assert "alice" not in found


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_is_masked_whatever_its_form(text: str) -> None:
    found, codes = mask_message(f"seen {text} there")
    assert "secret" in codes
    assert not [part for part in PARTS if part in found]
    assert mask_text(found) == found


@pytest.mark.parametrize("text", SECRETS)
def test_no_text_in_json_is_passed_over(text: str) -> None:
    data, codes = mask_json(json.dumps({"log": text}).encode())
    assert (json.loads(data)["log"], codes) == (mask_text(text), ("secret",))


@pytest.mark.parametrize("text", [*SECRETS, *ONLY_REDACTED])
def test_whatever_could_be_a_secret_is_redacted(text: str) -> None:
    found = redact(f"seen {text} there")
    assert REDACTED in found
    assert not [part for part in PARTS if part in found]
    assert redact(found) == found


@pytest.mark.parametrize("text", HONEST)
def test_an_honest_public_text_is_left_alone(text: str) -> None:
    assert mask_message(text) == (text, ())


def test_a_source_is_flagged_by_its_quoted_texts_and_never_changed() -> None:
    assert codes_in_source(f'API_KEY = "{KEY}"'.encode()) == ("secret_in_source",)
    assert codes_in_source(b'#include "/home/alice/x.h"') == ("home_in_source",)
    assert codes_in_source(b"token = tokens[offset]\ntoken = tl.load(token_ptr + 8 * row)\n") == ()


def test_json_is_masked_text_by_text_and_otherwise_stays_byte_for_byte() -> None:
    clean = b'{"cases": [{"id":  "n=1"}], "key": 1.50}'
    assert mask_json(clean) == (clean, ())
    spelled = b'{"log": "in \\u002fhome\\u002falice\\u002fx"}'
    data, codes = mask_json(spelled)
    assert (json.loads(data), codes) == ({"log": f"in {MASK}/x"}, ("home_path",))
    assert mask_json(data) == (data, ())
    assert mask_json(b"{broken /home/alice/") == (b"{broken /home/alice/", ())


@pytest.mark.parametrize(
    "text",
    [
        "attempt 3: the claim is lost",
        "GET /run/12/ 200",
        "output_tokens=1200 fencing_token=3",
        "https://example.org:8000/a/b?c=d@e",
        "a basic question of secrets and passwords, and their keys",
        "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    ],
)
def test_an_honest_line_of_a_log_is_left_alone(text: str) -> None:
    assert redact(text) == text


def test_a_value_too_short_to_be_one_is_not_looked_for() -> None:
    assert known_secrets({"API_KEY": "short", "PATH": "/usr/bin/something", "DB_PASSWORD": " long enough\n"}, "") == (
        "long enough",
    )


@pytest.mark.parametrize("clean", [mask_text, redact])
def test_long_texts_take_no_quadratic_time(clean: Callable[[str], str]) -> None:
    begun = time.process_time()
    for piece in PIECES:
        clean(piece * (100_000 // len(piece)))
    assert time.process_time() - begun < 30, "1 s, and minutes where a letter is looked at again and again"


@pytest.mark.parametrize("piece", ["-", "-eyJ"])
def test_a_letter_of_a_run_is_not_looked_at_again_and_again(piece: str) -> None:
    """They took 3.0 and 1.3 s a MiB, 0.3 now, as any other text: a bundle may have 512 MiB."""

    def spent_s(text: str) -> float:
        begun = time.process_time()
        mask_text(text)
        return time.process_time() - begun

    run, other = (text * (2_000_000 // len(text)) for text in (piece, "a word "))
    assert min(spent_s(run), spent_s(run)) < 3 * spent_s(other)
