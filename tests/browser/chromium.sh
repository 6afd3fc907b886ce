#!/bin/sh
# Chromium on one processor: where the clocks of two differ, as on some virtual machines, it sees time go back and ends.
taskset -c "$PROCESSOR" true 2>/dev/null && exec taskset -c "$PROCESSOR" "$CHROMIUM" "$@"
exec "$CHROMIUM" "$@"
