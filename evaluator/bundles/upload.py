"""Hand a bundle in over HTTP: the same request twice is one submission, and no answer is taken for another."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import ssl
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from evaluator.addresses import check_address
from evaluator.bundles.archives.members import chunks_of
from evaluator.bundles.archives.packing import write_zip
from evaluator.errors import HostError, UsageError

ADDRESS = "/api/v1/submissions/"
TIMEOUT_S = 60
TRIES = 3
WAIT_S = 2.0  # doubled each time
ANSWER_BYTES = 1 << 20
AGAIN = (429, 502, 503, 504)  # nothing was decided: the same key may be sent again


@dataclass(frozen=True, slots=True)
class Reply:
    """What the site said; `body` is its JSON, or its text where that is none."""

    status: int
    body: Any

    @property
    def is_taken(self) -> bool:
        return self.status in (200, 201, 202)


def submit(path: Path, url: str, token: str, fields: Mapping[str, str]) -> Reply:
    """POST the bundle; a folder is packed first.

    Raises:
        UsageError: the address or the token is none.
        HostError: the site does not answer.
    """
    check_address("--url", url, "https://arena.example")
    if not token or not token.isascii() or not token.isprintable():
        raise UsageError("no token: make one on the site's submission page, give it as --token or in ARENABOARD_TOKEN")
    with tempfile.TemporaryFile() as packed:
        if path.is_dir():
            write_zip(path, packed)
        else:
            _copy(path, packed)
        name = f"{path.resolve().name}.zip" if path.is_dir() else path.name
        return _try_often(url, _Form(name, packed, fields, token))


class _Form:
    """A multipart form of a file and a few fields, sent in pieces."""

    def __init__(self, name: str, file: IO[bytes], fields: Mapping[str, str], token: str) -> None:
        self._file, boundary = file, f"arenaboard-{os.urandom(16).hex()}"
        disposition = 'Content-Disposition: form-data; name="{}"'
        parts = [f"--{boundary}\r\n{disposition.format(field)}\r\n\r\n{value}\r\n" for field, value in fields.items()]
        safe = name.replace('"', "_").replace("\r", "_").replace("\n", "_")
        parts.append(
            f'--{boundary}\r\n{disposition.format("bundle")}; filename="{safe}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        )
        self._before, self._after = "".join(parts).encode(), f"\r\n--{boundary}--\r\n".encode()
        length = len(self._before) + file.seek(0, os.SEEK_END) + len(self._after)
        self.headers = {
            "Content-Type": f"multipart/form-data; boundary={boundary}",
            "Content-Length": str(length),
            "Authorization": f"Bearer {token}",
            "Idempotency-Key": _digest(file),  # the same bytes, however often they are sent
            "Accept": "application/json",
        }

    def __iter__(self) -> Iterator[bytes]:
        self._file.seek(0)
        yield self._before
        yield from chunks_of(self._file.read)
        yield self._after


def _try_often(url: str, form: _Form) -> Reply:
    for number in range(TRIES):
        try:
            answer = _post(url, form)
            if answer.status not in AGAIN or number == TRIES - 1:
                return answer
        except ssl.SSLCertVerificationError as error:
            raise HostError(f"{url}: its certificate cannot be trusted: {error}") from error
        except (OSError, http.client.HTTPException) as error:
            if number == TRIES - 1:
                raise HostError(f"{url} does not answer: {error}") from error
        time.sleep(WAIT_S * 2**number)
    raise AssertionError("the last try returns or raises")


def _post(url: str, form: _Form) -> Reply:
    """A redirect is an answer like any other: a token goes nowhere but where it was sent."""
    site = urlsplit(url)
    kind = http.client.HTTPSConnection if site.scheme == "https" else http.client.HTTPConnection
    connection = kind(site.hostname or "", site.port, timeout=TIMEOUT_S)
    try:
        connection.request("POST", site.path.rstrip("/") + ADDRESS, body=iter(form), headers=form.headers)
        response = connection.getresponse()
        text = response.read(ANSWER_BYTES).decode("utf-8", "replace")
    finally:
        connection.close()
    try:
        return Reply(response.status, json.loads(text))
    except ValueError:
        return Reply(response.status, text)


def _digest(file: IO[bytes]) -> str:
    file.seek(0)
    digest = hashlib.sha256()
    for chunk in chunks_of(file.read):
        digest.update(chunk)
    return digest.hexdigest()


def _copy(path: Path, target: IO[bytes]) -> None:
    with path.open("rb") as file:
        for chunk in chunks_of(file.read):
            target.write(chunk)
