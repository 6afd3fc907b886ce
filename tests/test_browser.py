"""The runner of the browser tests: a browser that dies or stands still is replaced, and every run ends."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from parts import ROOT

DESKS = """
import { drive } from "./tests/browser/drive.mjs";
let opened = 0;
const sit = async () => {
  opened += 1;
  const browser = { alive: true, isConnected: () => browser.alive, close: () => new Promise(() => {}) };
  return { browser };
};
const dies = async (desk) => { desk.browser.alive = false; throw new Error("Target page has been closed"); };
let once = 0;
const CASES = {
  passes: async () => {},
  fails: async (desk, say) => say("a fault"),
  throws: async () => { throw new Error("no such element"); },
  hangs: () => new Promise(() => {}),
  dies,
  "dies once": (desk) => (once++ ? undefined : dies(desk)),
  "dies quietly": async (desk) => { desk.browser.alive = false; },
};
const looks = process.argv.slice(1).map((name) => ({ name, look: CASES[name] }));
const failed = await drive(looks, sit, { deaths: 6, longest: { look: 100, all: 5000, close: 10 } });
console.log(`${opened} opened, ${failed} failed`);
process.exit(0);
"""


def driven(*looks: str) -> str:
    """What the runner prints of these looks."""
    node = shutil.which("node")
    if not node:
        pytest.skip("node is not installed: it drives the browsers")
    command = [node, "--input-type=module", "--eval", DESKS, *looks]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60).stdout


@pytest.mark.parametrize(
    ("looks", "said"),
    [
        (["passes", "passes"], "2 opened, 0 failed"),
        (["passes", "fails"], "FAILED fails\n    a fault\n"),
        (["throws"], "FAILED throws\n    could not be looked at, twice: no such element\n"),
        (["dies once"], "2 opened, 0 failed"),
        (["throws", "passes"], "1 failed"),
        (["dies"], "FAILED dies\n    could not be looked at, twice: Target page has been closed\n"),
        (["dies quietly"], "FAILED dies quietly\n    could not be looked at, twice: it is gone\n"),
        (["hangs"], "FAILED hangs\n    could not be looked at, twice: no end after 0 s\n"),
    ],
)
def test_a_look_ends_as_its_page_deserves(looks, said):
    """A fault is told at once; that a look does not come to its end, if it happens twice."""
    assert said in driven(*looks)


def test_a_run_in_which_browsers_keep_dying_ends():
    """After so many deaths nothing more is opened, and what was not looked at counts as failed."""
    said = driven(*["dies"] * 50)
    assert "were not looked at, after" in said and "50 failed" in said.splitlines()[-1]
    assert said.count("Another browser after") <= 8
