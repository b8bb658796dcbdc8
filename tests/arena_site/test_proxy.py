"""The proxy of deploy/nginx.conf, run in front of a small site: slow clients stay with it, files pass through it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from time import monotonic

import pytest
from django.conf import settings
from django.urls import resolve

from runs.submissions import uploading
from tests.arena_site.test_web_process import SLOW, asked, connected, impatient_site, running
from tests.conftest import lacking
from tests.servers import free_port

CONF = Path(settings.BASE_DIR) / "deploy" / "nginx.conf"
AROUND = """
daemon off; master_process off; pid {folder}/pid; error_log {folder}/log;
events {{ worker_connections 2000; }}
http {{
access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/kept; fastcgi_temp_path {folder}/fastcgi;
uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
{site}
}}
"""


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of nginx with the second server of the file, without TLS, in front of a site."""
    nginx = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/bin")
    if nginx is None:
        lacking("nginx is not there")
    folder, port = tmp_path_factory.mktemp("nginx"), free_port()
    with impatient_site() as site:
        text = "server {" + CONF.read_text().split("server {")[2]
        text = re.sub(r"^ +(ssl_.*|listen \[.*)$", "", text, flags=re.MULTILINE)
        text = text.replace("listen 443 ssl http2", f"listen 127.0.0.1:{port}").replace(":8000", f":{site}")
        (folder / "conf").write_text(AROUND.format(folder=folder, site=text))
        with running([nginx, "-p", str(folder), "-e", str(folder / "log"), "-c", str(folder / "conf")], port):
            yield port


def test_slow_clients_stop_nobody_behind_the_proxy(proxy: int, tmp_path: Path) -> None:
    with ExitStack() as stack:
        for sent in SLOW.values():
            for _ in range(20):
                stack.enter_context(connected(proxy, sent.replace(b"{file}", bytes(tmp_path / "file"))))
        for address, expected in [("/healthz", b"alive"), ("/", b"a page")] * 5:
            begin = monotonic()
            assert asked(proxy, address) == expected
            assert monotonic() - begin < 5


def test_the_proxy_passes_files_to_the_views_that_take_them_and_to_no_other(proxy: int) -> None:
    large = b"POST %b HTTP/1.1\r\nHost: h\r\nContent-Length: 100000000\r\n\r\n"
    for address in ("/submit/upload/", "/api/v1/submissions/", "/review/result/1/audit/"):
        with connected(proxy, large % address.encode()) as client:
            assert client.recv(1000).startswith(b"HTTP/1.1 200"), "the site has answered before the file arrived"
    with connected(proxy, large % b"/login/") as client:
        assert client.recv(1000).startswith(b"HTTP/1.1 413")


def test_the_proxy_lets_files_pass_that_the_site_takes() -> None:
    text = CONF.read_text()
    pattern, largest = re.search(r"location ~ (\S+) \{\s+client_max_body_size (\d+)m;", text).groups()  # type: ignore[union-attr]
    assert int(largest) << 20 == uploading.MOST_BYTES + uploading.FORM_BYTES
    assert f"client_max_body_size {settings.DATA_UPLOAD_MAX_MEMORY_SIZE >> 20}m;" in text
    for address in ("/submit/upload/", "/api/v1/submissions/", "/review/result/1/audit/"):
        assert re.search(pattern, address)
        assert resolve(address)
