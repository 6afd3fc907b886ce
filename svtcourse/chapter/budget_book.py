"""A privacy budget kept in a file, so that what was spent survives a restart.

Every question costs two lines: one before the data are looked at, with what a positive answer would cost, and one with
what was answered, before it is given out.
Whatever is cut off between the two counts as a positive: a crash costs budget, and gives nothing away.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import re
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from pathlib import Path
from typing import IO, Any

from svtlib import validate
from svtlib.bits import Bits
from svtlib.guarantee import Approximate
from svtlib.mechanism import Answer, BudgetExhausted, Mechanism, Session

if os.name == "posix":
    import fcntl

__all__ = ["Ledger"]

_FARTHEST = 1e300  # a number that is released has to be a float
_SLACK = 1e-9  # of a sum of floats, relative to it
_ALONE = threading.RLock()  # one thread at a time: a session, its file and the solver are made for one
_OPEN = threading.RLock()  # and no file is opened while the same thread has one open


def _forked() -> None:
    """In a child no other thread is left that could let go of a lock."""
    global _ALONE, _OPEN
    _ALONE, _OPEN = threading.RLock(), threading.RLock()


if os.name == "posix":
    os.register_at_fork(after_in_child=_forked)

_ENTRIES: dict[str, set[str]] = {
    "ledger": {"budget", "mechanism"},
    "run": set(),
    "ask": {"about", "threshold"},
    "said": {"answer"},
}


def _not_inside(lock: Any) -> None:
    """Refuse what this thread does in the middle of itself: the lock lets it in, and the file would wait for ever."""
    if lock._is_owned():
        raise RuntimeError(
            "a ledger must not be used in the middle of a question to it: nothing was charged or written"
        )


@contextlib.contextmanager
def _opened(path: Path, mode: str, *, exclusive: bool) -> Iterator[IO[bytes]]:
    """The file, other programs kept away until it is closed, where the system has such a lock."""
    _not_inside(_OPEN)
    with _OPEN, open(path, mode) as file:
        if os.name == "posix":
            fcntl.flock(file, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
        yield file


def _hashed(before: str, entry: dict[str, Any]) -> str:
    text = json.dumps(entry, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(f"{before}\n{text}".encode()).hexdigest()


_DECIMAL = re.compile(r"\d+\.\d+(?:e[+-]?\d+)?")


def _named(mechanism: Mechanism) -> str:
    """The mechanism in words, its numbers to twelve digits: the last of a root differ between machines."""
    return _DECIMAL.sub(lambda number: repr(float(f"{float(number.group()):.12g}")), repr(mechanism))


def _same(written: Any, ours: Any) -> bool:
    """The same words with the same numbers, or numbers that round to neighbours in the twelfth digit."""
    if not isinstance(written, str) or not isinstance(ours, str):
        return bool(written == ours)
    numbers, expected = ([float(n) for n in _DECIMAL.findall(text)] for text in (written, ours))
    near = len(numbers) == len(expected) and all(map(partial(math.isclose, rel_tol=1e-10), numbers, expected))
    return near and _DECIMAL.sub("#", written) == _DECIMAL.sub("#", ours)


@lru_cache(maxsize=1024)
def _charge(mechanism: Mechanism, positives: int) -> float:
    """What the alignment pays in a run with this many positives, the first one paid in advance.

    A refreshed threshold is paid for with the positive that it waits for.
    """
    from svtlib.proofs.prove import prove

    k = positives + mechanism.refresh
    with _ALONE:
        epsilon = prove(replace(mechanism, c=min(max(k, 1), mechanism.c))).epsilon
    assert isinstance(epsilon, float)
    return epsilon


class Ledger:
    """An SVT that answers questions as they come, and writes what this has cost into a file before it answers.

    The file has one JSON object a line, each with a hash of all lines up to it; opening reads all of them, and begins a
    new run with fresh noise as soon as a question is asked.
    What a run has cost is what the alignment of its proof pays for the positives it has given (`prove`), at least one
    of them, and one more where a question was interrupted; no answer is given that could make the sum of all runs
    exceed the budget, but for the rounding of the sum, a billionth of it.
    The file holds questions and answers, which are public, and neither true counts nor noise.

    The running hash notices a file that was cut within a line, or edited by someone who does not compute the hashes
    again. An older copy of the file is a good file, and a missing one is begun anew: only a `seal` that was noted
    elsewhere tells that there was more.
    The file is locked while it is read and while a line is written. Of two programs that use it at a time, the one that
    did not write last is refused its next question: its noise belongs to a run that the other one has ended.

    Parameters
    ----------
    path : str or Path
        Created where there is no such file; its directory must exist.
    mechanism : Mechanism
        With integer noise, and private by `prove`, for the sensitivity of one question.
    budget : float
        The epsilon that all runs together may cost.
    bits : Bits, optional
        By default those of the operating system. The same seed would give the same noise again: for lessons only.
    seal : str, optional
        The `seal` of an earlier state, noted elsewhere: a file that is older than it is refused.

    Attributes
    ----------
    run : int
        How many runs were begun.

    Raises
    ------
    ValueError
        If the file is damaged, or belongs to another mechanism or budget; it is then left as it is, and the message
        says how to go on. If the mechanism is not private, or its noise is not integer noise, or an argument is bad.

    Examples
    --------
    >>> import tempfile
    >>> import svtlib as svt
    >>> mechanism = svt.variant("geometric").calibrate(epsilon=1.0, c=2, split=1.0)
    >>> file = tempfile.mkdtemp() + "/spent.jsonl"
    >>> ledger = Ledger(file, mechanism, budget=2.0, bits=svt.Bits(seed=1))
    >>> ledger.ask(3, threshold=200, about="over 90"), ledger.ask(600, threshold=200, about="20 to 30"), ledger.spent
    (Answer(⊥), Answer(⊤), 0.75-DP)
    >>> Ledger(file, mechanism, budget=2.0)
    Ledger(geometric: run 1, 2 questions; 0.75-DP of 2-DP spent)
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        mechanism: Mechanism,
        *,
        budget: float,
        bits: Bits | None = None,
        seal: str | None = None,
    ) -> None:
        if not isinstance(path, (str, os.PathLike)) or not isinstance(text := os.fspath(path), str) or "\0" in text:
            raise ValueError(f"path must be a str or a Path, got {path!r}")
        if not isinstance(bits, (Bits, type(None))):
            raise ValueError(f"bits must be Bits or None, got {bits!r}")
        folder, name = os.path.split(text)  # a `..` after a link leads where the system goes: one file has one path
        self.path, self._bits = Path(os.path.realpath(folder), name), Bits() if bits is None else bits
        self.budget = validate.positive("budget", budget)
        Session(mechanism, rng=self._bits)  # refuses what is no mechanism, and noise that is not whole
        self.mechanism = mechanism
        if _charge(mechanism, mechanism.c) == math.inf:
            raise ValueError(f"mechanism must be private, but no alignment of {mechanism.name} has a finite cost")
        self.run, self.asked = 0, 0
        self._closed = 0.0  # cost of earlier runs
        self._positives, self._open = 0, False
        self._session: Session | None = None
        self._hash, self._entry, self._size = "", -1, 0
        if not self.path.parent.is_dir():
            raise FileNotFoundError(f"path must be in a directory that exists, got {str(self.path)!r}")
        known, seals = self.path.exists(), set[str]()
        if known and not self.path.is_file():
            raise ValueError(f"path must be a file, or none yet, got {str(self.path)!r}")
        for entry in self._read() if known else ():
            self._follow(entry)
            seals.add(self.seal)
        if seal is not None and seal not in seals:
            raise self._damaged(f"it does not go as far as the seal {seal!r}: it is older, or another one")
        if not known:
            self._append("ledger", budget=self.budget, mechanism=_named(mechanism))

    @property
    def spent(self) -> Approximate:
        """What all that was given out has cost, and what was asked and interrupted may have cost."""
        return Approximate(self._closed + self._current(self._positives + self._open))

    @property
    def seal(self) -> str:
        """Number and hash of the last line: note it elsewhere, and an older copy of the file will be refused."""
        return f"{self._entry}:{self._hash[:16]}"

    def __repr__(self) -> str:
        count = f"run {self.run}, {self.asked} question{'s' * (self.asked != 1)}"
        return f"Ledger({self.mechanism.name}: {count}; {self.spent} of {Approximate(self.budget)} spent)"

    def ask(self, answer: int, threshold: float = 0, about: str = "") -> Answer:
        """Answer one question, after what it costs was written down.

        Parameters
        ----------
        answer : int
            The true answer, in the units of the mechanism's sensitivity; it is not written.
        threshold : float or Fraction
            Public.
        about : str
            The question in words, for whoever reads the file.

        Returns
        -------
        Answer

        Raises
        ------
        BudgetExhausted
            If the run has ended, or a positive answer would exceed the budget. Nothing is then written.
        ValueError
            If an argument is bad, or something else has written to the file. The data were then not looked at.
        RuntimeError
            In a signal handler, in the middle of another question. Nothing is then written.
        """
        answer, level = validate.whole("answer", answer), validate.rational("threshold", threshold)
        if abs(answer - level) > _FARTHEST:
            raise ValueError(f"answer must be within {_FARTHEST:g} of the threshold, got {answer!r}")
        if not isinstance(about, str) or str.encode(about, "utf-8", "replace") != str.encode(about, "utf-8", "ignore"):
            raise ValueError(f"about must be a str, got {about!r}")
        _not_inside(_ALONE)
        with _ALONE:
            return self._asked(answer, level, about)

    def _asked(self, answer: int, level: Fraction, about: str) -> Answer:
        if self._session is None or self._open:  # interrupted: nobody knows what its noise was used for
            self._begin()
        session = self._session
        assert session is not None
        if session.stopped:
            raise BudgetExhausted(f"run {self.run} has given its {self.mechanism.c} positive answers and stopped")
        self._afford(self._closed + self._current(self._positives + 1))
        self._append("ask", about=about, threshold=str(level))
        said = session.ask(answer, threshold=level)  # type: ignore[arg-type]
        self._append("said", answer="ABORT" if said.aborted else said.outcome)
        return said

    def _begin(self) -> None:
        closed = self._closed + self._current(self._positives + self._open)
        self._afford(closed + _charge(self.mechanism, 1))
        self._session = None  # the noise of before is not used again, whatever happens now
        self._append("run")
        self._session = Session(self.mechanism, rng=self._bits)

    def _afford(self, cost: float) -> None:
        if cost > self.budget * (1 + _SLACK):
            raise BudgetExhausted(
                f"{self.spent} of {Approximate(self.budget)} spent: a positive answer would make it {Approximate(cost)}"
            )

    def _current(self, positives: int) -> float:
        return _charge(self.mechanism, positives) if self.run else 0.0

    def _damaged(self, what: str, rest: Sequence[bytes] = ()) -> ValueError:
        """The refusal; with lines that do not count, what is left if each that is no question began a run."""
        if rest:
            first, numbers = self._entry + 1, [re.search(rb'"n": (\d{1,15})\b', line) for line in rest]
            last = max([first, *(int(n[1]) for n in numbers if n)])
            asked = [any(kind in line for kind in (b'"kind": "ask"', b'"kind": "said"')) for line in rest]
            known = len({n[1] for n, mine in zip(numbers, asked, strict=True) if n and mine})  # others may begin a run
            runs = bool(self.run) + max(len(rest), last + 1 - first) - known
            left = self.budget - self._closed - runs * _charge(self.mechanism, self.mechanism.c)
            what += "; restore a copy that has the last seal, or keep this file and begin another one, "
            what += f"with a budget of at most {left:.6g}" if left > 0 else "when there is a new budget: of this one"
            what += "" if left > 0 else " nothing is certain to be left"
        return ValueError(f"ledger {self.path.name!r} is refused: {what}")

    def _read(self) -> Iterator[dict[str, Any]]:
        """The entries, each as it was written, the chain of hashes checked."""
        for _ in range(100):  # one that another program has just made, and not locked yet, is empty for a moment
            with _opened(self.path, "rb", exclusive=False) as file:
                data = file.read()
            if data:
                break
            time.sleep(0.01)
        else:
            raise self._damaged("it is empty; remove it, and it is begun anew")
        if not data.endswith(b"\n"):
            whole = data.rfind(b"\n") + 1
            raise self._damaged(
                f"its last line is cut off; if a crash while writing did this, remove that line (truncate -s {whole}): "
                "nothing that it would have recorded was given out"
            )
        before = ""
        lines = data.removesuffix(b"\n").split(b"\n")
        for number, coded in enumerate(lines):
            try:
                line = coded.decode()
                entry = json.loads(line)
                claimed = entry.pop("hash")
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                raise self._damaged(f"line {number + 1} is not an entry with a hash", lines[number:]) from None
            whole = json.dumps(entry | {"hash": claimed}, ensure_ascii=False) == line
            if not whole or claimed != _hashed(before, entry):
                raise self._damaged(f"line {number + 1} does not have the hash of what it says", lines[number:])
            before = claimed
            self._size += len(coded) + 1
            yield entry | {"hash": claimed}

    def _follow(self, entry: dict[str, Any]) -> None:
        """Take one entry into account, or refuse it where it cannot stand."""
        kind, number = str(entry.get("kind")), self._entry + 1
        fits = {"ledger": number == 0, "run": number > 0, "ask": self.run > 0 and not self._open, "said": self._open}
        fields = _ENTRIES.get(kind)
        if fields is None or not fits[kind] or set(entry) != fields | {"n", "kind", "hash"} or entry["n"] != number:
            raise self._damaged(f"line {number + 1} does not follow from the lines before it")
        if kind == "ledger":
            for name, ours in (("mechanism", _named(self.mechanism)), ("budget", self.budget)):
                if not _same(entry[name], ours):
                    raise self._damaged(f"its {name} is {entry[name]}, not {ours}")
        elif kind == "run":
            self._closed += self._current(self._positives + self._open)
            self.run, self._positives, self._open = self.run + 1, 0, False
        elif kind == "ask":
            self.asked, self._open = self.asked + 1, True
        else:
            self._positives, self._open = self._positives + (entry["answer"] is not False), False
        self._entry, self._hash = number, entry["hash"]

    def _append(self, kind: str, **fields: Any) -> None:
        """Write one entry to the disk, and only then take it into account."""
        entry = {"n": self._entry + 1, "kind": kind, **fields}
        entry["hash"] = _hashed(self._hash, entry)
        line = (json.dumps(entry, ensure_ascii=False) + "\n").encode()
        end = f'"{self._hash}"}}\n'.encode() if self._size else b""
        if self._size and not self.path.exists():  # one that was removed stays so
            raise FileNotFoundError(f"ledger {str(self.path)!r} is gone: restore a copy that has the last seal")
        with _opened(self.path, "r+b" if self._size else "a+b", exclusive=True) as file:
            file.seek(self._size - len(end))
            if file.read() != end:
                raise self._damaged("something else has written to it; open it again")
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
        if self._entry < 0 and os.name == "posix":  # the name of a new file is on the disk with its directory
            directory = os.open(self.path.parent, os.O_RDONLY)
            os.fsync(directory)
            os.close(directory)
        self._follow(entry)
        self._size += len(line)  # last: what is interrupted before it has to be opened again
