"""Check the machine-checked proofs in proofs/ with Coq, and show for each theorem what it rests on.

Nothing is installed: without `coqc` the command says what to install.  The files are copied and compiled from scratch,
two at a time, each with a time limit.  That a file compiles is not the test: for every theorem Coq is asked what
it assumes, and anything but the three classical axioms of its library, an admitted lemma above all, is a failure.
With `--mutate` the statements and programs are then damaged, one line at a time: none of them must be proved any more,
and for most a pair of databases is at hand on which the damaged program loses more than it claims.
"""

from __future__ import annotations

import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from proof_programs import Law, Numbers, loss

ROOT = Path(__file__).resolve().parent.parent
PROOFS = ROOT / "proofs"
# Those of one row need only those above, and are compiled side by side.
ROWS = (("Statement", "Sums"), ("Noise", "Alignment", "Continuous"), ("Alg1",), ("Variants", "Refuted"))
FILES = tuple(file for row in ROWS for file in row)
PACKAGES = "coq libcoq-mathcomp-analysis libcoq-mathcomp-zify"
SECONDS, DAMAGED_SECONDS = 300, 30  # of processor time for one file: what is false may keep Coq busy for ever
CLASSICAL = {
    "boolp.propositional_extensionality": "propositions that are equivalent are equal",
    "boolp.functional_extensionality_dep": "functions with equal values are equal",
    "boolp.constructive_indefinite_description": "what exists can be chosen",
}
THEOREM = re.compile(r"^Theorem (\w+) \(R : realType\) : (\w+) R\.$", re.MULTILINE)
FORBIDDEN = re.compile(r"\b(Admitted|admit|Axiom|Parameter|Conjecture|Abort|bypass_check|Guard)\b")


@dataclass(frozen=True)
class Theorem:
    """A theorem, the sentence of Statement.v that it proves, and where."""

    name: str
    sentence: str
    file: str
    line: int
    lines: int


def without_comments(source: str) -> str:
    """The source with its comments blanked, line by line as before."""
    return re.sub(r"\(\*.*?\*\)", lambda m: re.sub(r"[^\n]", " ", m.group()), source, flags=re.DOTALL)


def theorems(folder: Path = PROOFS) -> list[Theorem]:
    """Every theorem whose statement is a sentence of Statement.v."""
    found = []
    for file in FILES:
        source = without_comments((folder / f"{file}.v").read_text(encoding="utf-8"))
        for match in THEOREM.finditer(source):
            end = source.index("Qed.", match.end())
            line = source.count("\n", 0, match.start()) + 1
            lines = source.count("\n", match.start(), end) + 1
            found.append(Theorem(match[1], match[2], file, line, lines))
    return found


def sentences(folder: Path = PROOFS) -> list[str]:
    """The names of all sentences: the definitions of Statement.v that are propositions without arguments."""
    source = (folder / "Statement.v").read_text(encoding="utf-8")
    return re.findall(r"^Definition (\w+) : Prop :=", source, re.MULTILINE)


def suspicious(folder: Path = PROOFS) -> list[str]:
    """Words that leave something unproved, each with its place."""
    found = []
    for file in FILES:
        source = without_comments((folder / f"{file}.v").read_text(encoding="utf-8"))
        for match in FORBIDDEN.finditer(source):
            found.append(f"{file}.v:{source.count(chr(10), 0, match.start()) + 1}: {match.group()}")
    return found


def assumptions(printed: str) -> list[str]:
    """The names in what `Print Assumptions` prints."""
    if "Closed under the global context" in printed:
        return []
    if "Axioms:" not in printed:
        raise ValueError(f"not the answer of Print Assumptions: {printed!r}")
    return re.findall(r"^([A-Za-z_][\w.']*)(?=\s*:|\s*$)", printed.split("Axioms:", 1)[1], re.MULTILINE)


def beyond_classical(names: list[str]) -> list[str]:
    """Those that are not among the three axioms of classical logic of the library."""
    return [name for name in names if name not in CLASSICAL and f"boolp.{name.split('.')[-1]}" not in CLASSICAL]


def compile_file(folder: Path, file: str, *options: str, limit: int = SECONDS) -> tuple[int | None, str]:
    """The exit status of coqc (None: out of time), and what it said."""
    command = ("coqc", "-q", "-w", "none", *options, "-R", ".", "SVT", f"{file}.v")
    limited = ("sh", "-c", f'ulimit -t {limit}; exec "$@"', "sh", *command)
    run = subprocess.run(limited, cwd=folder, capture_output=True, text=True, check=False)
    if run.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return None, f"no answer within {limit} s of processor time"
    return run.returncode, run.stdout + run.stderr


def commands(timing: str) -> list[tuple[int, float]]:
    """The place of each command of a file, and the processor seconds that it took."""
    times = re.findall(r"^Chars (\d+) - \d+ .* secs \(([\d.]+)u", timing, re.MULTILINE)
    return [(int(at), float(seconds)) for at, seconds in times]


def spent(timing: str, source: bytes, theorem: Theorem) -> float:
    """The processor seconds of one theorem, which coqc gives for each command by its place in the file."""
    start = sum(len(line) + 1 for line in source.split(b"\n")[: theorem.line - 1])
    end = sum(len(line) + 1 for line in source.split(b"\n")[: theorem.line + theorem.lines - 1])
    return sum(seconds for at, seconds in commands(timing) if start <= at < end)


def assumed(folder: Path, proved: list[Theorem]) -> dict[str, list[str]]:
    """What each theorem assumes beyond the classical axioms: Coq is asked of all together, and if need be of each."""
    together = ", ".join(f"@SVT.{t.file}.{t.name}" for t in proved)
    if not beyond_classical(ask(folder, f"Definition all := ({together}).", "all")):
        return {t.name: [] for t in proved}
    return {t.name: beyond_classical(ask(folder, "", f"SVT.{t.file}.{t.name}")) for t in proved}


def ask(folder: Path, before: str, name: str) -> list[str]:
    """The answer of `Print Assumptions`; if there is none, what Coq said instead."""
    load = "".join(f"From SVT Require Import {file}.\n" for file in FILES)
    (folder / "Ask.v").write_text(f"{load}{before}\nPrint Assumptions {name}.\n", encoding="utf-8")
    status, said = compile_file(folder, "Ask")
    return assumptions(said) if status == 0 else [f"no answer: {said}"]


def check(folder: Path) -> bool:
    """Compile everything in `folder` and print the table; whether all of it holds."""
    proved, files, ok = [], [], True
    for row in ROWS:
        with ThreadPoolExecutor(2) as pool:
            compiled = list(pool.map(lambda file: compile_file(folder, file, "-time"), row))
        for file, (status, said) in zip(row, compiled, strict=True):
            if status != 0:
                print(f"✗ {file}.v: {said.strip().splitlines()[-1] if said.strip() else status}")
                return False
            source = (folder / f"{file}.v").read_bytes()
            proved += [(t, spent(said, source, t)) for t in theorems(folder) if t.file == file]
            files.append((f"{file}.v", len(source.splitlines()), sum(seconds for _, seconds in commands(said))))
    found = assumed(folder, [theorem for theorem, _ in proved])
    print(f"{'theorem':24} {'sentence in Statement.v':28} {'proof':18} {'lines':>5} {'s':>5}  assumes")
    for theorem, seconds in proved:
        wrong = found[theorem.name]
        ok &= not wrong
        mark = f"✗ {', '.join(wrong)}" if wrong else "✓ the classical axioms"
        place = f"{theorem.file}.v:{theorem.line}"
        print(f"{theorem.name:24} {theorem.sentence:28} {place:18} {theorem.lines:5} {seconds:5.2f}  {mark}")
    unproved = sorted(set(sentences(folder)) - {theorem.sentence for theorem, _ in proved})
    for problem in [f"no theorem proves {name}" for name in unproved] + suspicious(folder):
        ok = False
        print(f"✗ {problem}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    lines = sum(lines for _, lines, _ in files)
    print(f"{len(proved)} theorems, {lines} lines in {len(FILES)} files, {used:.0f} s of processor time")
    print("Files: " + ", ".join(f"{name} ({lines} lines, {seconds:.1f} s)" for name, lines, seconds in files) + ".")
    print("Classical axioms: " + "; ".join(f"{name} ({meaning})" for name, meaning in CLASSICAL.items()) + ".")
    return ok


# --- damaged statements and programs ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mutation:
    """One damage to Statement.v, the theorem that must be lost, and a pair that loses more than is claimed."""

    name: str
    old: str
    new: str
    theorem: str
    claimed: float | None = None
    lost: Callable[[], float] | None = None


def edges(threshold: float, query: float, c: int = 1, rise: int = 1, fall: int = 1, left: int | None = None) -> float:
    """The loss of 40 negatives that rise from 20 and c positives that fall from 0."""
    numbers = Numbers(Law(threshold), Law(query))
    here, there = [20] * 40 + [0] * c, [20 + rise] * 40 + [-fall] * c
    return loss(numbers, here, there, [False] * 40 + [True] * c, c if left is None else left)


def number_released() -> float:
    """Eight negatives that rise, and a noisy answer of 0 with a positive."""
    numbers = Numbers(Law(2), Law(4), shows="noisy")
    return loss(numbers, [0] * 9, [1] * 8 + [0], [False] * 8 + [0], 1)


def fresh_numbers() -> float:
    """Two released numbers whose noise pays for one."""
    numbers = Numbers(Law(2), Law(8), fresh=Law(2), shows="fresh")
    return loss(numbers, [60] * 40 + [0, 0], [61] * 40 + [-1, -1], [False] * 40 + [3, 3], 2)


def redrawn() -> float:
    """Two thresholds, each with the noise for one."""
    numbers = Numbers(Law(2), Law(8), refresh=Law(2))
    here, there = ([12] * 12 + [0]) * 2, ([13] * 12 + [-1]) * 2
    return loss(numbers, here, there, ([False] * 12 + [True]) * 2, 2)


# The numbers are those of eps1 = eps2 = 1/2 (the last of them 1 and 1/10) and Delta = 1.
MUTATIONS = (
    Mutation(
        "half the query noise",
        "(geometric (2 * c%:R * Delta%:R / eps2)) (geometric (Delta%:R / eps1)) n c.",
        "(geometric (c%:R * Delta%:R / eps2)) (geometric (Delta%:R / eps1)) n c.",
        "alg1_private",
        1.0,
        lambda: edges(2, 2),
    ),
    Mutation(
        "answers change by Delta + 1",
        "`|q said D - q said D'| <= Delta%:Z.",
        "`|q said D - q said D'| <= Delta.+1%:Z.",
        "alg1_private",
        1.0,
        lambda: edges(2, 4, rise=2, fall=2),
    ),
    Mutation(
        "positives are not counted",
        "then alg1_loop rho steps' left' (rcons said true) D",
        "then alg1_loop rho steps' left (rcons said true) D",
        "alg1_private",
        1.0,
        lambda: edges(2, 4, c=3, left=99),
    ),
    Mutation(
        "one positive more than is paid for",
        "(geometric (Delta%:R / eps1)) n c.\n\n(* The theorem",
        "(geometric (Delta%:R / eps1)) n c.+1.\n\n(* The theorem",
        "alg1_private",
        1.0,
        lambda: edges(2, 4, c=2),
    ),
    Mutation(
        "no threshold noise",
        "(geometric (2 * c%:R * Delta%:R / eps2)) (geometric (Delta%:R / eps1)) n c.",
        "(geometric (2 * c%:R * Delta%:R / eps2)) (dunit 0) n c.",
        "alg1_private",
        1.0,
        lambda: loss(Numbers(Law(0), Law(4)), [0] * 12, [1] * 12, [False] * 12, 1),
    ),
    Mutation(
        "eps2 claimed by half",
        "private adjacent (alg1 q T Delta eps1 eps2 n c) (eps1 + eps2).",
        "private adjacent (alg1 q T Delta eps1 eps2 n c) (eps1 + eps2 / 2).",
        "alg1_private",
        0.75,
        lambda: edges(2, 4),
    ),
    Mutation(
        "monotonic noise for any queries",
        "sensitivity adjacent q Delta -> monotonic adjacent q ->",
        "sensitivity adjacent q Delta ->",
        "alg1_monotonic_private",
        1.0,
        lambda: edges(2, 2),
    ),
    Mutation(
        "the noisy answer in place of the gap",
        "dunit (Some (show (noisy - bar))).",
        "dunit (Some (show noisy)).",
        "gap_private",
        1.0,
        number_released,
    ),
    Mutation(
        "released numbers pay for one only",
        "(says_fresh (c%:R * Delta%:R / eps3)).",
        "(says_fresh (Delta%:R / eps3)).",
        "alg7_private",
        1.5,
        fresh_numbers,
    ),
    Mutation(
        "thresholds drawn again unpaid",
        "Variant (geometric (c%:R * Delta%:R / eps1)) (Some (geometric (c%:R * Delta%:R / eps1)))",
        "Variant (geometric (Delta%:R / eps1)) (Some (geometric (Delta%:R / eps1)))",
        "sparse_private",
        1.0,
        redrawn,
    ),
    Mutation(
        "Alg. 2 at any split",
        "(0 < Delta)%N -> (0 < c)%N -> 0 < eps1 -> eps1 = eps2 ->",
        "(0 < Delta)%N -> (0 < c)%N -> 0 < eps1 -> 0 < eps2 ->",
        "alg2_private",
        1.1,
        lambda: edges(1, 2),
    ),
    Mutation(
        "a pmf of mass above 1",
        "(1 - decay scale) / (1 + decay scale) * decay scale ^+ `|k|%N.",
        "(1 - decay scale) * decay scale ^+ `|k|%N.",
        "geometric_law",
    ),
    Mutation(
        "query noise for Alg. 5",
        "alg1_with q T (dunit 0) (geometric (Delta%:R / eps1)) n n.",
        "alg1_with q T (geometric (2 * n%:R * Delta%:R / eps1)) (geometric (Delta%:R / eps1)) n n.",
        "alg5_refuted",
    ),
    Mutation(
        "query noise that grows with c for Alg. 4",
        "alg1_with q T (geometric (Delta%:R / eps2)) (geometric (Delta%:R / eps1)) n c.",
        "alg1_with q T (geometric (2 * c%:R * Delta%:R / eps2)) (geometric (Delta%:R / eps1)) n c.",
        "alg4_refuted",
    ),
    Mutation(
        "half the continuous query noise",
        "shifts query_noise (2 * c%:R * Delta / eps2) ->",
        "shifts query_noise (c%:R * Delta / eps2) ->",
        "continuous_alg1_private",
    ),
)


def failed_theorem(folder: Path, file: str, said: str) -> str:
    """The theorem or lemma in whose proof coqc stopped."""
    place = re.search(r'File "[^"]*", line (\d+)', said)
    source = (folder / f"{file}.v").read_text(encoding="utf-8").splitlines()
    above = source[: int(place[1])] if place else source
    named = [m[1] for line in above if (m := re.match(r"(?:Theorem|Lemma|Definition|Fixpoint) (\w+)", line))]
    return named[-1] if named else "?"


def survives(folder: Path, mutation: Mutation) -> str | None:
    """What is wrong if the damage goes unnoticed, else None after a line that says how it was noticed.

    Where a pair shows that the damaged sentence is false, no proof of it exists, wherever the script stops.
    Where none is at hand, the script must stop in the very theorem.
    """
    source = (PROOFS / "Statement.v").read_text(encoding="utf-8")
    if source.count(mutation.old) != 1:
        return f"Statement.v has {mutation.old!r} {source.count(mutation.old)} times"
    (folder / "Statement.v").write_text(source.replace(mutation.old, mutation.new), encoding="utf-8")
    how = ""
    for file in FILES:
        if file == "Sums":  # rests on nothing that was changed
            continue
        status, said = compile_file(folder, file, limit=DAMAGED_SECONDS)
        if status == 0:
            continue
        stopped = "?" if status is None else failed_theorem(folder, file, said)
        if file == "Statement" or (mutation.lost is None and stopped != mutation.theorem):
            return f"stopped in {file}.v at {stopped}, not at {mutation.theorem}: {said.strip().splitlines()[-1]}"
        how = f"no answer on {file}.v in {DAMAGED_SECONDS} s" if status is None else f"the proof fails at {stopped}"
        break
    if not how:
        return "still proved"
    if mutation.lost is not None and mutation.claimed is not None:
        lost = mutation.lost()
        if not lost > mutation.claimed + 0.01:
            return f"the pair loses {lost:.4f}, not more than {mutation.claimed}"
        how += f", and it is false: a pair loses {lost:.2f}, more than {mutation.claimed:g}"
    print(f"✓ {mutation.name}: {mutation.theorem}, {how}")
    return None


def missing() -> str | None:
    """What is not there, or not as it must be; the names of lemmas are those of these versions."""
    if shutil.which("coqc") is None:
        return "there is no coqc here"
    version, library = (
        subprocess.run(("coqc", option), capture_output=True, text=True, check=True).stdout
        for option in ("--print-version", "-where")
    )
    if not version.startswith("8.16."):
        return f"this is Coq {version.split()[0]}"
    files = ("analysis/altreals/distr.vo", "zify/zify.vo")
    absent = [file for file in files if not (Path(library.strip()) / "user-contrib" / "mathcomp" / file).exists()]
    return f"mathcomp/{absent[0]} is not there" if absent else None


def main(arguments: list[str]) -> int:
    """Check the proofs, and with `--mutate` that damaged ones are refused."""
    if (lacking := missing()) is not None:
        print(f"The proofs need Coq 8.16 with mathcomp 1.15, as Debian 12 has them; {lacking}.")
        print(f"\n    apt-get install {PACKAGES}\n")
        return 1
    print("Checking the proofs with Coq (half a minute on two cores)", flush=True)
    with tempfile.TemporaryDirectory(prefix="proofs-") as place:
        folder = Path(place)
        for file in FILES:
            shutil.copy(PROOFS / f"{file}.v", folder)
        if not check(folder):
            print("The proofs are not all there")
            return 1
        if "--mutate" not in arguments:
            return 0
        print(f"Damaging the statements and programs, {len(MUTATIONS)} ways (a few minutes)", flush=True)
        wrong = [f"{m.name}: {message}" for m in MUTATIONS if (message := survives(folder, m)) is not None]
    for message in wrong:
        print(f"✗ {message}")
    print(f"{len(MUTATIONS) - len(wrong)} damaged versions refused, {len(wrong)} not")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
