"""Put the pinned basic bundle of plotly.js into static/vendor/plotly/, for the pages that explore a chart.

The bundle comes from the npm registry, through npm, and must have the digest written here. Its rules become
a stylesheet, since our content security policy does not let it write a style element. Done already: 0.03 s.
Python's plotly package was tried: 1.4 MB to load instead of 0.4, and its maps write a style element of their own.

usage: scripts/fetch_plotly.py     exit codes: 0 it is there, 3 it cannot be had (explore pages then show the drawing)
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

PACKAGE, VERSION = "plotly.js-basic-dist-min", "4.1.1"
INTEGRITY = "sha512-1oNF8PeQx2hv/y7tqEVWKD3JGwn/MGEMQ8mL9HUwsaqG9FGy/OU5FHUHvzqbqxN4mnwZGI9abTiE775C4kkjMQ=="
FOLDER = Path(__file__).resolve().parent.parent / "static" / "vendor" / "plotly"
TIMEOUT_S = 60
_TABLE = re.compile(r"""\{"X,X div":.*?\}""", re.DOTALL)
_RULE = re.compile(r"""(?:"(?P<selector>[^"]+)"|(?P<bare>\w+)):(?P<quote>['"])(?P<body>.*?)(?P=quote)""", re.DOTALL)


def main() -> int:
    stamp = FOLDER / "version"
    if stamp.is_file() and stamp.read_text() == INTEGRITY:
        return 0
    try:
        archive = _from_npm()
    except (OSError, subprocess.SubprocessError) as error:
        sys.stderr.write(f"plotly.js cannot be had, so charts can be seen but not explored: {error}\n")
        return 3
    digest = "sha512-" + base64.b64encode(hashlib.sha512(archive).digest()).decode()
    if digest != INTEGRITY:
        sys.stderr.write(f"{PACKAGE} {VERSION} has digest {digest}, expected {INTEGRITY}: nothing was unpacked\n")
        return 3
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as tar:
        for member, name in (("package/plotly-basic.min.js", "plotly.js"), ("package/LICENSE", "LICENSE")):
            (FOLDER / name).write_bytes(tar.extractfile(member).read())  # type: ignore[union-attr]
    (FOLDER / "plotly.css").write_text(stylesheet((FOLDER / "plotly.js").read_text(encoding="utf-8")), encoding="utf-8")
    stamp.write_text(INTEGRITY)
    return 0


def stylesheet(script: str) -> str:
    """The rules that plotly.js would write itself: X stands for its plots, Y for its messages.

    Raises:
        ValueError: this plotly.js keeps them elsewhere.
    """
    table = _TABLE.search(script)
    if table is None:
        raise ValueError("plotly.js holds no table of rules: look for the new place of its styles")
    names = {"X": ".js-plotly-plot .plotly", "Y": ".plotly-notifier"}
    rules = []
    for rule in _RULE.finditer(table[0]):
        selector = re.sub("[XY]", lambda found: names[found[0]], rule["selector"] or rule["bare"])
        rules.append(f"{selector}{{{rule['body']}}}")
    return "\n".join(rules) + "\n"


def _from_npm() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", "--silent", "--pack-destination", folder, f"{PACKAGE}@{VERSION}"]
        subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, timeout=TIMEOUT_S)
        return next(Path(folder).glob("*.tgz")).read_bytes()


if __name__ == "__main__":
    sys.exit(main())
