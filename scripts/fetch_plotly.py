"""Install the pinned basic bundle of plotly.js in static/vendor/plotly/, for the pages that explore a chart.

npm downloads the bundle from its registry; it must have the digest written here. Its CSS rules become a stylesheet,
since the content security policy forbids inline styles. If it is installed already, this takes 0.03 s. Python's plotly
package is no alternative: 1.4 MB to load instead of 0.4, and its maps add inline styles.

usage: scripts/fetch_plotly.py     exit codes: 0 installed, 3 not available (explore pages then show the static chart)
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
        sys.stderr.write(f"plotly.js cannot be downloaded, so charts are static: {error}\n")
        return 3
    digest = "sha512-" + base64.b64encode(hashlib.sha512(archive).digest()).decode()
    if digest != INTEGRITY:
        sys.stderr.write(f"{PACKAGE} {VERSION} has digest {digest}, expected {INTEGRITY}; nothing was installed\n")
        return 3
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as tar:
        for member, name in (("package/plotly-basic.min.js", "plotly.js"), ("package/LICENSE", "LICENSE")):
            (FOLDER / name).write_bytes(tar.extractfile(member).read())  # type: ignore[union-attr]
    (FOLDER / "plotly.css").write_text(stylesheet((FOLDER / "plotly.js").read_text(encoding="utf-8")), encoding="utf-8")
    stamp.write_text(INTEGRITY)
    return 0


def stylesheet(script: str) -> str:
    """Return the CSS rules that plotly.js would add itself, with X for its plots and Y for its messages.

    Raises:
        ValueError: the rules are not found in this version of plotly.js.
    """
    table = _TABLE.search(script)
    if table is None:
        raise ValueError("plotly.js has no table of CSS rules: find where this version defines its styles")
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
