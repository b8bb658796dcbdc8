#!/usr/bin/env bash
# Runs one stage of `make check` or `make test` and says how it went and how long it took.
# usage: scripts/stage.sh NAME COMMAND [ARGUMENT...]     exit code: the command's
set -uo pipefail
name=$1
shift
echo "== $name"
start_us=${EPOCHREALTIME/./}
"$@"
status=$?
took_ms=$(((${EPOCHREALTIME/./} - start_us) / 1000))
[[ $status == 0 ]] && outcome=ok || outcome="FAILED (exit code $status)"
printf '== %s: %s, %d.%d s\n' "$name" "$outcome" $((took_ms / 1000)) $((took_ms % 1000 / 100))
exit $status
