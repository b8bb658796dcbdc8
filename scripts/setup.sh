#!/usr/bin/env bash
# Makes this host ready: system packages, then .venv with the locked Python packages. Says what it downloads before it starts;
# when all is there already it takes 0.1 s and says nothing.
#
# usage: scripts/setup.sh [site|develop]     site adds what `make up` needs, develop also the tools of `make check`
#        PYTHON=/path/to/python3        uses that interpreter for .venv instead of the first one that fits
# exit codes: 0 ready, 2 usage, 3 this host lacks something, with the reason
set -euo pipefail
cd "$(dirname "$0")/.."

# Public index of CPU builds: PyPI's torch for x86-64 Linux is the CUDA build, 2.6 GB instead of 0.2 GB.
CPU_TORCH_INDEX=https://download.pytorch.org/whl/cpu
if [[ -n ${PYTHON:-} ]]; then PYTHONS=("$PYTHON"); else PYTHONS=(python3 python3.13 python3.12 python3.11); fi

main() {
    [[ $# == 0 || $* == site || $* == develop ]] || { echo "usage: scripts/setup.sh [site|develop]" >&2; exit 2; }
    install_system_packages "$@"
    is_current requirements.txt || { create_venv; install_requirements; }
    [[ $# == 0 ]] || is_current requirements-site.txt || install_site
    [[ $* != develop ]] || is_current requirements-dev.txt || install_tools
}

# --- system packages ---------------------------------------------------------------------------------------------------------

install_system_packages() {
    local wanted missing
    wanted=$(system_packages "$@")
    [[ -n $wanted ]] || return 0
    mapfile -t missing < <(comm -23 <(sort <<<"$wanted") <(installed_packages))
    [[ ${#missing[@]} != 0 ]] || return 0
    if [[ $EUID != 0 ]]; then
        fail "these system packages are missing; nothing was changed. Install them, then try again:
  sudo apt-get update && sudo apt-get install --no-install-recommends ${missing[*]}"
    fi
    require_space /usr 1700
    say "installing system packages (at most 330 MB to download, 1400 MB on disk): ${missing[*]}"
    logged apt-get -q update
    DEBIAN_FRONTEND=noninteractive logged apt-get -q -y install --no-install-recommends "${missing[@]}"
}

# One package a line on the supported systems; none on others, where the host's owner knows the names.
# bubblewrap: the sandbox. clang, lld: HIP kernels on the CPU. HIP headers and device libraries: the gfx942 compile gate.
# For the site: letters for charts as PNG. With develop: the browser that opens every page, the servers of a site of many hosts, its proxy,
# and systemd-analyze, which reads the units of deploy/.
system_packages() {
    local packages=(make bubblewrap clang-19 lld-19 llvm-19 libamdhip64-dev)
    [[ $# == 0 ]] || packages+=(fonts-liberation)
    [[ $* != develop ]] || packages+=(chromium nginx postgresql redis-server systemd)
    [[ -x .venv/bin/python ]] || find_python >/dev/null || packages+=(python3 python3-dev python3-venv)
    case $(sed -n 's/^\(ID\|VERSION_ID\)=//p' /etc/os-release | tr -d '"' | sort | xargs) in
        "12 debian") printf '%s\n' "${packages[@]}" rocm-device-libs ;;
        "13 debian") printf '%s\n' "${packages[@]}" rocm-device-libs-17 ;;
        *) [[ -e .venv ]] || say "this is neither Debian 12 nor 13, so no system package is checked. Needed: Python 3.11 or newer with" \
            "venv and headers, and bubblewrap. Optional, for HIP tasks on the CPU and the gfx942 compile gate: clang 19, lld 19," \
            "llvm 19, HIP headers, ROCm device libraries. 'python -m evaluator doctor' names what is missing." >&2 ;;
    esac
}

installed_packages() {
    dpkg-query -W -f '${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p' | sort
}

# --- Python and .venv --------------------------------------------------------------------------------------------------------

create_venv() {
    if .venv/bin/python -c '' 2>/dev/null; then return; fi
    local python options=()
    python=$(find_python) || fail "no Python 3.11 or newer with venv, pip and headers (Python.h) among: ${PYTHONS[*]}"
    if sees_a_gpu "$python"; then
        say "$python has a torch that sees this host's GPU: .venv uses it"
        options=(--system-site-packages)
    fi
    "$python" -m venv --clear "${options[@]}" .venv
}

# The first interpreter that is new enough and has venv, pip and the headers that extensions are built with.
find_python() {
    local python
    for python in "${PYTHONS[@]}"; do
        if "$python" - 2>/dev/null <<'FITS'
import ensurepip, pathlib, sys, sysconfig, venv
sys.exit(sys.version_info < (3, 11) or not pathlib.Path(sysconfig.get_path("include"), "Python.h").exists())
FITS
        then echo "$python"; return; fi
    done
    return 1
}

sees_a_gpu() {
    "$1" - 2>/dev/null <<'SEES'
import sys, torch
version = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])
sys.exit(not (torch.cuda.is_available() and version >= (2, 11)))
SEES
}

install_requirements() {
    if grep -q '^include-system-site-packages = true' .venv/pyvenv.cfg; then install_what_the_host_lacks; else install_locked; fi
    mark_current requirements.txt
}

install_locked() {
    local torch
    torch=$(grep -o '^torch==[0-9.]*' requirements-torch.txt)
    require_space . 2500
    say "installing $torch (CPU build) and what goes with it: about 420 MB to download, 1.6 GB on disk, 1 minute and the download"
    [[ ! -e /dev/kfd && ! -e /dev/nvidiactl ]] || say "this host has a GPU, but no Python with a torch that sees it: only the cpu backend" \
        "will work. To use the GPU, install torch for it, remove .venv and start again."
    if ! install_lock requirements-torch-cpu.txt --retries 0 --extra-index-url "$CPU_TORCH_INDEX" 2>/dev/null; then
        require_space . 6000
        say "no CPU build of torch with a known hash can be had for this Python or from this network; taking the one of the package" \
            "index, on x86-64 the CUDA build: about 2.7 GB to download, 5 GB on disk"
        install_lock requirements-torch.txt
    fi
    install_lock requirements.txt
}

# A GPU host's torch, triton and numpy are its own and go by pyproject.toml's ranges; the locks of site and tools leave them alone.
# pip would replace a triton that has another package name. What is missing comes from the lock; none of it needs anything else.
install_what_the_host_lacks() {
    local lacking
    lacking=$(mktemp)
    .venv/bin/python - >"$lacking" <<'LACKS'
import importlib.util
from pathlib import Path
from scripts.lock import blocks_of
locked = blocks_of(Path("requirements.txt").read_text())
for name, module in {"numpy": "numpy", "pyyaml": "yaml", "triton": "triton"}.items():
    if importlib.util.find_spec(module) is None:
        print(locked[name], end="")
LACKS
    if [[ -s $lacking ]]; then
        say "installing $(sed -n 's/^\([a-z]*==[^ ]*\).*/\1/p' "$lacking" | xargs)"
        install_lock "$lacking"
    fi
    rm "$lacking"
}

install_site() {
    say "installing what the site needs: about 75 MB to download, 260 MB on disk"
    install_lock requirements-site.txt
    mark_current requirements-site.txt
}

install_tools() {
    say "installing the tools for checks and tests: about 125 MB to download, 400 MB on disk"
    install_lock requirements-dev.txt
    mark_current requirements-dev.txt
}

# A lock names everything that its packages need: pip resolves nothing, and refuses a file that has another hash.
install_lock() { pip install -qq --no-deps --require-hashes -r "$@"; }
pip() { .venv/bin/python -m pip --disable-pip-version-check --no-input "$@"; }

# A stamp in .venv holds the hash of all locks and of the interpreter's version that it was made from.
is_current() { [[ -e .venv/$1.done && $(<".venv/$1.done") == "$(fingerprint)" ]]; }
mark_current() { fingerprint >".venv/$1.done"; }
fingerprint() { { .venv/bin/python --version; cat requirements*.txt; } 2>&1 | sha256sum; }

# --- saying and failing ------------------------------------------------------------------------------------------------------

say() { echo "setup: $*"; }
fail() { echo "setup: $*" >&2; exit 3; }

require_space() {
    local free_mb
    free_mb=$(df --output=avail -BM "$1" | tail -n 1 | tr -dc 0-9)
    [[ $free_mb -ge $2 ]] || fail "$1 has $free_mb MB free, $2 MB are needed"
}

logged() {
    local log
    log=$(mktemp)
    "$@" >"$log" 2>&1 || { tail -n 20 "$log" >&2; fail "'$*' failed; the end of its output is above, all of it in $log"; }
    rm "$log"
}

main "$@"
