"""Run the evidence of the claims named, or of all, and write what is new into `data/evidence.json`.

The functions run side by side.  A sentence that differs by the last digits of a computation only is left as it was.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from evidence import records
from svtcourse.claim_cards import ledger

ROOT = Path(__file__).resolve().parent.parent
SAID = ROOT / "data" / "evidence.json"


def look(id: str) -> tuple[str, str]:
    """Verdict and sentence of one claim."""
    return records()[id].verdict()


def main(ids: list[str]) -> int:
    """Print what disagrees with the ledger, and write the sentences."""
    sys.path.insert(0, str(ROOT / "tools"))
    from outputs import text_difference

    rows, said = ledger(), json.loads(SAID.read_text(encoding="utf-8")) if SAID.exists() else {}
    chosen = ids or sorted(records())
    unknown = [id for id in chosen if id not in rows or id not in records()]
    if unknown:
        print(f"No evidence or no row in the ledger for {', '.join(unknown)}.")
        return 2
    wrong = 0
    with ProcessPoolExecutor() as pool:
        for id, (verdict, sentence) in zip(chosen, pool.map(look, chosen), strict=True):
            if verdict != rows[id].verdict:
                wrong += 1
                print(f"{id} is recorded as {rows[id].verdict}, but the computation says {verdict} ({sentence})")
            elif text_difference(said.get(id, ""), sentence):
                said[id] = sentence
                print(f"{id}: {sentence}")
    kept = {id: said[id] for id in rows if id in said}
    SAID.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
