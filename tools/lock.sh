#!/bin/sh
# Write requirements.txt again from the ranges in pyproject.toml: one lock for every Python from 3.11 on.
# A pin that still fits stays as it is; `make lock UPGRADE=1` takes the newest of everything.
set -eu
cd "$(dirname "$0")/.."

echo "Resolving the lock (half a minute; needs the network)"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
.venv/bin/python -m venv "$scratch/venv"
"$scratch/venv/bin/python" -m pip install --quiet --disable-pip-version-check uv || {
    echo "uv could not be installed: connect to the network and run again." >&2
    exit 1
}
[ -n "${UPGRADE:-}" ] || sed '/^-e /d' requirements.txt >"$scratch/lock.txt"
"$scratch/venv/bin/uv" pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest \
    --no-annotate --no-header --extra book --extra dev --output-file "$scratch/lock.txt" pyproject.toml
{ echo "-e ."; cat "$scratch/lock.txt"; } >requirements.txt
echo "requirements.txt has $(grep -c '==' requirements.txt) pins; 'make test' installs and checks them"
