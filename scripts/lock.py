"""`make lock`: write the lock files, which scripts/setup.sh installs, from the ranges in pyproject.toml.

Each lock has exact versions and hashes of all packages including dependencies, so pip resolves nothing. Versions only
change if a range or `--upgrade` requires it.

usage: scripts/lock.py [option of `uv pip compile` ...]     as --upgrade, or --upgrade-package NAME
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UV = Path(sys.executable).with_name("uv")
HEADS = {
    "requirements.txt": "What the evaluator needs besides torch.",
    "requirements-torch.txt": "PyPI's torch, with CUDA. scripts/setup.sh prefers the CPU build of this version.",
    "requirements-site.txt": "What the site needs besides requirements.txt.",
    "requirements-dev.txt": "What `make check` and `make test` need besides the other locks.",
}
# PyPI has no CPU build of torch for x86-64; scripts/setup.sh installs it from here.
CPU_LOCK, CPU_INDEX = ROOT / "requirements-torch-cpu.txt", "https://download.pytorch.org/whl/cpu/torch/"
WRITTEN = "# Written by `make lock`, never by hand; the ranges are in pyproject.toml.\n"
IS_OF_TORCH = re.compile(r"torch|(nvidia|cuda)-.+")
FROM_A_GPU_HOST = {"numpy", "triton"}  # with its torch; the locks of site and tools are installed there, too


def main(options: list[str]) -> int:
    if not UV.is_file():
        sys.stderr.write("uv is missing: `make tools` installs it\n")
        return 3
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    with tempfile.TemporaryDirectory() as folder:
        everything = Path(folder, "everything.txt")  # uv prefers the versions that it finds there
        locks = [blocks_of((ROOT / file).read_text()) for file in HEADS if (ROOT / file).is_file()]
        everything.write_text("".join(block for lock in locks for block in lock.values()))
        uv("pyproject.toml", "--all-extras", "--generate-hashes", "--output-file", str(everything), *options)
        blocks = blocks_of(everything.read_text())
        needed = [needs(group, everything) for group in (project["dependencies"], extras["site"], extras["develop"])]
    of_torch = {name for name in blocks if IS_OF_TORCH.fullmatch(name)}
    evaluator, site, tools = (names - of_torch for names in needed)
    site -= FROM_A_GPU_HOST
    for file, names in zip(HEADS, (evaluator, of_torch, site, tools - site - FROM_A_GPU_HOST), strict=True):
        (ROOT / file).write_text(f"# {HEADS[file]}\n{WRITTEN}" + "".join(blocks[name] for name in sorted(names)))
    return lock_cpu_build(blocks["torch"].split()[0])


def lock_cpu_build(torch: str) -> int:
    """Write the hashes of PyTorch's CPU builds. Where its index cannot be reached, those of the same version stay."""
    try:
        with urllib.request.urlopen(CPU_INDEX, timeout=60) as response:
            page = response.read().decode()
    except OSError as error:
        is_current = f"{torch}+cpu " in CPU_LOCK.read_text()
        kept = "the hashes that it has stay" if is_current else "its hashes are of another version"
        sys.stderr.write(f"{CPU_LOCK.name}: {CPU_INDEX} cannot be reached ({error}); {kept}\n")
        return 0 if is_current else 3
    CPU_LOCK.write_text(cpu_lock(torch, page))
    return 0


def cpu_lock(torch: str, page: str) -> str:
    """Return the lock of the Linux builds that the index's page lists, with the hashes that it says."""
    wheel = re.escape(torch.replace("==", "-")) + r"(?:\+|%2B)cpu-cp\d+-cp\d+-\w*linux\w*\.whl#sha256=([0-9a-f]{64})"
    hashes = "".join(f" \\\n    --hash=sha256:{one}" for one in sorted({*re.findall(wheel, page)}))
    head = f"# PyTorch's own CPU builds of that version, which PyPI does not have.\n{WRITTEN}"
    return f"{head}{torch}+cpu{hashes}\n    # via arenaboard (pyproject.toml)\n"


def needs(requirements: list[str], everything: Path) -> set[str]:
    """Return the names of all packages that the requirements resolve to, with the versions already chosen."""
    return {*blocks_of(uv("-", "--constraints", str(everything), text="\n".join(requirements)))}


def blocks_of(lock: str) -> dict[str, str]:
    """Return package name → its lines in a lock: requirement, hashes and dependents. Other lines are left out."""
    blocks: dict[str, str] = {}
    for match in re.finditer(r"^([\w.-]+)==.*\n(?:[ \t].*\n)*", lock, re.MULTILINE):
        blocks[match[1]] = blocks.get(match[1], "") + match[0]
    return blocks


def uv(*arguments: str, text: str | None = None) -> str:
    """Run `uv pip compile` for all Linux platforms and supported Pythons, one version per package; return output."""
    command = [str(UV), "pip", "compile", "--quiet", "--universal", "--python-version", "3.11", *arguments]
    command += ["--fork-strategy", "fewest", "--annotation-style", "line"]
    return subprocess.run(command, cwd=ROOT, input=text, stdout=subprocess.PIPE, text=True, check=True).stdout


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except subprocess.CalledProcessError as error:  # uv has printed the reason
        sys.exit(error.returncode)
