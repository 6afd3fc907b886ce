#!/bin/sh
# Install what drives the browser and reads HTML, if it is missing, and look at the built site.  What `run.mjs` says of its words holds here.
set -eu
cd "$(dirname "$0")"

for tool in node npm; do
    command -v "$tool" >/dev/null 2>&1 || {
        echo "The browser tests need $tool: install Node.js 18.17 or newer (on Debian: apt install nodejs npm) and run again." >&2
        exit 1
    }
done
if [ ! -d node_modules ] || [ package-lock.json -nt node_modules ]; then
    echo "Installing playwright-core, axe-core and html-validate (a few seconds)"
    PUPPETEER_SKIP_DOWNLOAD=1 PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --no-audit --no-fund --loglevel=error || {
        echo "npm could not install the packages of tests/browser: connect to the network and run again." >&2
        exit 1
    }
    touch node_modules
fi
status=0
node run.mjs "$@" || status=1
if [ $# -eq 0 ]; then
    echo "Reading every page as a validator does (a minute)"
    if node_modules/.bin/html-validate --config htmlvalidate.json --formatter text "../../_build/html/**/*.html"; then
        echo "HTML: every page is valid"
    else
        status=1
    fi
fi
exit $status
