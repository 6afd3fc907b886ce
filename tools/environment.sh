#!/bin/sh
# Make .venv from the exact lock in requirements.txt, once; do nothing while the lock and the package metadata stay the same.
set -eu
cd "$(dirname "$0")/.."

# Three lines: where the environment is, what it was made from, and which Python was asked for.
stamp=.venv/.installed
made_from="$(cat requirements.txt pyproject.toml | cksum)"
recorded() {
    sed -n "$1p" "$stamp" 2>/dev/null
}

if [ "$(recorded 1)" = "$(pwd)" ] && [ "$(recorded 2)" = "$made_from" ] &&
    { [ -z "${PYTHON:-}" ] || [ "$(recorded 3)" = "$PYTHON" ]; } &&
    .venv/bin/python -c '' 2>/dev/null; then
    exit 0
fi

stop() {
    echo "$*" >&2
    exit 1
}

recent='import sys; sys.exit(sys.version_info < (3, 11))'
python=
if [ -n "${PYTHON:-}" ]; then
    "$PYTHON" -c '' 2>/dev/null || stop "PYTHON=$PYTHON does not run: give the path of a Python 3.11 or newer."
    "$PYTHON" -c "$recent" || stop "PYTHON=$PYTHON is $("$PYTHON" -V 2>&1): give the path of a Python 3.11 or newer."
    python=$PYTHON
else
    for candidate in python3 python3.11 python3.12 python3.13 python3.14; do
        if "$candidate" -c "$recent" 2>/dev/null; then
            python=$candidate
            break
        fi
    done
fi
if [ -z "$python" ]; then
    if python3 -c '' 2>/dev/null; then
        stop "python3 is $(python3 -V 2>&1) and the course needs Python 3.11 or newer: install one (python.org, or your package manager) and run again, or say PYTHON=/path/to/python3."
    fi
    stop "No python3 was found: install Python 3.11 or newer (python.org, or your package manager) and run again."
fi
"$python" -c 'import ensurepip, venv' 2>/dev/null ||
    stop "$python cannot make virtual environments: install its venv module (on Debian and Ubuntu: apt install python3-venv) and run again."

# A venv of another Python, or one that was moved, is made anew; otherwise pip only changes what the lock changed.
version='import sys; print(*sys.version_info[:2], sep=".")'
if [ -d .venv ]; then
    old="$(.venv/bin/python -c "$version" 2>/dev/null || echo none)"
    if [ "$old" != "$("$python" -c "$version")" ] || { [ -f "$stamp" ] && [ "$(recorded 1)" != "$(pwd)" ]; }; then
        rm -rf .venv
    fi
fi
echo "Environment: .venv from $("$python" -V 2>&1) and requirements.txt (a minute or two the first time)"
[ -d .venv ] || "$python" -m venv .venv || stop "The virtual environment could not be made: see the lines above, then remove .venv and run again."
rm -f "$stamp"
mkdir -p .venv/var
log=.venv/var/install.log

total="$(grep -c '==' requirements.txt)"
(.venv/bin/python -m pip install --disable-pip-version-check --no-input --progress-bar off \
    --requirement requirements.txt 2>&1 && echo '@installed@') | tee "$log" | awk -v total="$total" '
    /^(Collecting|Requirement already satisfied)/ { n++; if (n % 25 == 0 && n <= total) { print "  " n " of about " total " packages found"; fflush() } }
    /^Installing collected packages/ { print "  installing (about half a minute)"; fflush() }'
if ! grep -q '^@installed@$' "$log"; then
    if grep -qE 'NewConnectionError|ConnectionError|NameResolutionError|Temporary failure in name resolution|ConnectTimeout|Read timed out|Network is unreachable|ProxyError|Connection refused' "$log"; then
        stop "The Python package index cannot be reached: connect to the network (or set PIP_INDEX_URL to a mirror) and run again."
    fi
    grep -E '^ *(ERROR|error)' "$log" | head -n 5 >&2 || true
    stop "The packages in requirements.txt could not be installed: see $log for the reason, then run again."
fi
printf '%s\n' "$(pwd)" "$made_from" "${PYTHON:-}" >"$stamp"
echo "Environment: ready"
