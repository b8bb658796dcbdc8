"""What Triton keeps of compiled kernels, as one archive that goes from one worker of a side to its later ones.

Triton's cache has a folder for each key, a hash of all that a kernel follows from. The archive has the files of
finished kernels and of the C code that launches them; no times of configurations, which every process measures itself.
Who packs it has run a candidate, so names and sizes are checked where it is unpacked, before a candidate is loaded.
"""

from __future__ import annotations

import json
import re
import zipfile
import zlib
from pathlib import Path, PurePosixPath

MAX_BYTES = 48 << 20  # the judge takes files up to 64 MiB
GROUP = "__grp__"  # begins the name of the file that lists a kernel's files, by their paths
_KEY = re.compile(r"[A-Z2-7]{52}")  # a SHA-256 in base 32
_FILE = re.compile(r"\w[\w.-]{0,199}\.(?:source|ttir|ttgir|llir|ptx|cubin|amdgcn|hsaco|json|so)")
_TIMES = ".autotune."


def pack(cache: Path, archive: Path) -> None:
    """Write the archive: each kernel with all of its files or not at all."""
    left = MAX_BYTES
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        for files in map(_kernel_in, filter(Path.is_dir, sorted(cache.glob("*")))):
            if (size := sum(file.stat().st_size for file in files)) > left:
                continue
            left -= size
            for file in files:
                packed.write(file, f"{file.parent.name}/{file.name}")


def unpack(archive: Path, cache: Path) -> int:
    """Fill an empty cache; return the number of kernels. Nothing is filled from an archive that breaks the rules.

    Raises:
        ValueError: a name, a size or the archive itself is malformed.
    """
    try:
        with zipfile.ZipFile(archive) as packed:
            files = {name: packed.read(name) for name in _checked(packed)}
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise ValueError(f"{archive.name} is no archive of kernels: {error}") from error
    for name, data in files.items():
        (cache / name).parent.mkdir(parents=True, exist_ok=True)
        (cache / name).write_bytes(data)
    return sum(_write_group(folder) for folder in cache.iterdir()) if files else 0


def _kernel_in(folder: Path) -> list[Path]:
    """Return the files of a finished kernel or launcher; none where there is something else."""
    files = [file for file in folder.iterdir() if file.is_file() and not file.name.startswith(GROUP)]
    is_finished = any(folder.glob(f"{GROUP}*")) or all(file.suffix == ".so" for file in files)
    return files if is_finished and all(_is_known(folder.name, file.name) for file in files) else []


def _is_known(key: str, name: str) -> bool:
    return bool(_KEY.fullmatch(key) and _FILE.fullmatch(name)) and not name.startswith(GROUP) and _TIMES not in name


def _checked(packed: zipfile.ZipFile) -> list[str]:
    entries = packed.infolist()
    if sum(entry.file_size for entry in entries) > MAX_BYTES:
        raise ValueError(f"its files are larger than {MAX_BYTES >> 20} MiB")
    for entry in entries:
        path = PurePosixPath(entry.filename)
        if len(path.parts) != 2 or not _is_known(*path.parts):
            raise ValueError(f"{entry.filename[:200]!r} is no file of a kernel")
    return [entry.filename for entry in entries]


def _write_group(folder: Path) -> bool:
    """Write the list of a kernel's files, with their paths in this workspace; False where there is no kernel."""
    files = {file.name: str(file) for file in folder.iterdir() if file.suffix != ".so"}
    names = [name for name in files if name.endswith(".json")]
    for name in names:
        (folder / f"{GROUP}{name}").write_text(json.dumps({"child_paths": files}))
    return bool(names)
