"""Check the machine-checked proofs in proofs/ with Coq, and show for each theorem what it rests on.

Nothing is installed: without `coqc` the command says what to install.  The files are copied and compiled from scratch,
two at a time, each with a time limit.  That a file compiles is not the test: for every theorem Coq is asked what
it assumes, and anything but the three classical axioms of its library, an admitted lemma above all, is a failure.
With `--mutate` the statements and programs are then damaged, one line at a time: none of them must be proved any more,
and for most `tests/test_proofs.py` has a pair of databases on which the damaged program loses more than it claims.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

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
    """One damage to Statement.v, the theorem that it costs, and whether a pair shows that it is false."""

    theorem: str
    name: str
    old: str
    new: str
    false: bool


def mutations() -> list[Mutation]:
    """The damages of `proofs/damages.diff`: a line that says what each is, then the lines that go and that come."""
    found = []
    text = (PROOFS / "damages.diff").read_text(encoding="utf-8")
    for block in re.split(r"\n\n(?=false|unproved)", text.strip()):
        head, *lines = block.split("\n")
        kind, theorem, name = re.fullmatch(r"(false|unproved) (\w+): (.+)", head).groups()
        old, new = ("\n".join(line[2:] for line in lines if line[0] == sign) for sign in "-+")
        found.append(Mutation(theorem, name, old, new, kind == "false"))
    return found


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
    with tempfile.TemporaryDirectory(prefix="damaged-") as place:
        damaged = Path(shutil.copytree(folder, place, dirs_exist_ok=True))
        (damaged / "Statement.v").write_text(source.replace(mutation.old, mutation.new), encoding="utf-8")
        return _noticed(damaged, mutation)


def _noticed(folder: Path, mutation: Mutation) -> str | None:
    how = ""
    for file in FILES:
        if file == "Sums":  # rests on nothing that was changed
            continue
        status, said = compile_file(folder, file, limit=DAMAGED_SECONDS)
        if status == 0:
            continue
        stopped = "?" if status is None else failed_theorem(folder, file, said)
        if file == "Statement" or (not mutation.false and stopped != mutation.theorem):
            return f"stopped in {file}.v at {stopped}, not at {mutation.theorem}: {said.strip().splitlines()[-1]}"
        how = f"no answer on {file}.v in {DAMAGED_SECONDS} s" if status is None else f"the proof fails at {stopped}"
        break
    if not how:
        return "still proved"
    how += ", and a pair shows that it is false" * mutation.false
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
        damages = mutations()
        print(f"Damaging the statements and programs, {len(damages)} ways (a few minutes)", flush=True)
        with ThreadPoolExecutor(os.cpu_count()) as pool:  # each waits for a Coq of its own
            messages = list(pool.map(lambda damage: survives(folder, damage), damages))
        wrong = [f"{m.name}: {said}" for m, said in zip(damages, messages, strict=True) if said is not None]
    for message in wrong:
        print(f"✗ {message}")
    print(f"{len(damages) - len(wrong)} damaged versions refused, {len(wrong)} not")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
