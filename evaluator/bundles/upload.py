"""Submits a bundle over HTTP, with an idempotency key: sending the same bundle twice makes one submission."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import shutil
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
RESPONSE_BYTES = 1 << 20
RETRY_STATUSES = (429, 502, 503, 504)  # the request was not processed; the same key may be sent again


@dataclass(frozen=True, slots=True)
class Reply:
    """The site's response; `body` is its JSON, or its text if that is not JSON."""

    status: int
    body: Any

    @property
    def is_accepted(self) -> bool:
        return self.status in (200, 201, 202)


def submit(path: Path, url: str, token: str, fields: Mapping[str, str]) -> Reply:
    """Upload a bundle to the site at `url`; a folder is packed first.

    Raises:
        UsageError: the address or the token is malformed.
        HostError: the site does not respond.
    """
    check_address("--url", url, "https://arena.example")
    if not token or not token.isascii() or not token.isprintable():
        raise UsageError("a token is required: create one on the site, and set $ARENABOARD_TOKEN or use --token")
    with tempfile.TemporaryFile() as packed:
        if path.is_dir():
            write_zip(path, packed)
        else:
            with path.open("rb") as file:
                shutil.copyfileobj(file, packed)
        name = f"{path.resolve().name}.zip" if path.is_dir() else path.name
        return _post_with_retries(url, _Form(name, packed, fields, token))


class _Form:
    """A multipart form with a file and a few fields, sent in chunks."""

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


def _post_with_retries(url: str, form: _Form) -> Reply:
    for number in range(TRIES):
        try:
            reply = _post(url, form)
            if reply.status not in RETRY_STATUSES or number == TRIES - 1:
                return reply
        except ssl.SSLCertVerificationError as error:
            raise HostError(f"{url}: its certificate cannot be trusted: {error}") from error
        except (OSError, http.client.HTTPException) as error:
            if number == TRIES - 1:
                raise HostError(f"{url} does not respond: {error}") from error
        time.sleep(WAIT_S * 2**number)
    raise AssertionError("the last try returns or raises")


def _post(url: str, form: _Form) -> Reply:
    """One request. Redirects are not followed, so that the token is sent to this address only."""
    site = urlsplit(url)
    kind = http.client.HTTPSConnection if site.scheme == "https" else http.client.HTTPConnection
    connection = kind(site.hostname or "", site.port, timeout=TIMEOUT_S)
    try:
        connection.request("POST", site.path.rstrip("/") + ADDRESS, body=iter(form), headers=form.headers)
        response = connection.getresponse()
        text = response.read(RESPONSE_BYTES).decode("utf-8", "replace")
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
