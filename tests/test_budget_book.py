"""The ledger: what was given out is never more than what the file says was paid, whatever happens to the program."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import svtlib as svt
from svtcourse.chapter import budget_book
from svtlib.mechanism import Session

SIGNS = svt.variant("geometric").calibrate(epsilon=1.0, c=3, monotonic=True)
NUMBERS = replace(SIGNS, release="fresh", release_noise=svt.Geometric(6.0), epsilon=1.5, epsilon3=0.5)
FAR, NEAR = -10_000, 10_000  # answered ⊥, and ⊤, whatever the noise


HERE = f"import os, signal, sys\nsys.path.insert(0, {str(Path(__file__).parent)!r})\nimport test_budget_book as t\n"


def filled(path: Path, answers=(NEAR, FAR, NEAR), mechanism=NUMBERS, budget=2.0) -> svt.Ledger:
    """A ledger with one run of sure answers."""
    ledger = svt.Ledger(path, mechanism, budget=budget, bits=svt.Bits(seed=5))
    for k, answer in enumerate(answers):
        ledger.ask(answer, about=f"cohort {k} ≥ 20")
    return ledger


def cut(*_answer, **_options):
    """Stands for the end of the program, in the middle of a question."""
    raise KeyboardInterrupt


@pytest.mark.parametrize("mechanism", [SIGNS, NUMBERS, replace(SIGNS, monotonic=False)], ids=["⊤", "numbers", "both"])
def test_a_run_costs_what_its_positives_pay(tmp_path, mechanism):
    """After k positives: the alignment of the same noise with c = k."""
    ledger = svt.Ledger(tmp_path / "l", mechanism, budget=9.0, bits=svt.Bits(seed=1))
    for k in (1, 2, 3):
        ledger.ask(NEAR)
        assert ledger.spent.epsilon == pytest.approx(svt.prove(replace(mechanism, c=k)).epsilon)
    with pytest.raises(svt.BudgetExhausted, match="3 positive answers and stopped"):
        ledger.ask(FAR)


@pytest.mark.parametrize("refresh", [False, True])
def test_no_answers_lose_more_than_they_cost(tmp_path, refresh):
    """Far answers between ⊥s, where a threshold that was drawn anew has been at work after the last positive, too."""
    mechanism = replace(SIGNS, monotonic=False, refresh=refresh)
    quiet = "⊥" * 12
    for outcome in (quiet, quiet + "⊤" + quiet, "⊤" + quiet, (quiet + "⊤") * 3):
        answers = [FAR if said == "⊥" else NEAR for said in outcome]
        ledger = filled(tmp_path / f"{len(outcome)}", answers, mechanism, 9.0)
        pair = [np.array([60 if said == "⊥" else -60 for said in outcome]) + shift for shift in (0, 1)]
        pair[1] -= np.array([2 * (said == "⊤") for said in outcome])
        assert 0 < svt.privacy_loss(mechanism, *pair, outcome) <= ledger.spent.epsilon + 1e-9


def test_a_killed_program_has_paid(tmp_path):
    """A process that dies between question and answer leaves a file that opens, and counts a positive."""
    code = f"""{HERE}
t.filled(t.Path({str(tmp_path / "l")!r}), answers=[t.NEAR])
ledger = t.svt.Ledger({str(tmp_path / "l")!r}, t.NUMBERS, budget=2.0)
ledger.ask(t.NEAR)
t.Session.ask = lambda *a, **k: os._exit(9)
ledger.ask(t.FAR)
"""
    assert subprocess.run([sys.executable, "-c", code], timeout=300).returncode == 9
    paid = [svt.prove(replace(NUMBERS, c=k)).epsilon for k in (1, 2)]
    assert svt.Ledger(tmp_path / "l", NUMBERS, budget=2.0).spent.epsilon == pytest.approx(sum(paid))


def test_an_interrupted_run_is_not_continued(tmp_path, monkeypatch):
    """What its noise was used for is unknown: the next question has a new run, and the one cut off stays a positive."""
    ledger = filled(tmp_path / "l", answers=[NEAR], budget=9.0)
    with monkeypatch.context() as patch:
        patch.setattr(Session, "ask", cut)
        with pytest.raises(KeyboardInterrupt):
            ledger.ask(NEAR)
    with monkeypatch.context() as patch:
        patch.setattr(budget_book, "Session", cut)  # where the new run has no noise yet
        with pytest.raises(KeyboardInterrupt):
            ledger.ask(FAR)
    ledger.ask(FAR)
    assert ledger.run == 3
    paid = [svt.prove(replace(NUMBERS, c=k)).epsilon for k in (2, 1, 1)]
    assert ledger.spent.epsilon == pytest.approx(sum(paid))
    assert repr(svt.Ledger(tmp_path / "l", NUMBERS, budget=9.0)) == repr(ledger)


def test_what_is_left_must_be_enough_for_a_positive(tmp_path, monkeypatch):
    """For one more in a run, and in a new run also for the question that was cut off before it: else it is refused."""
    once, twice, thrice = (svt.prove(replace(NUMBERS, c=k)).epsilon for k in (1, 2, 3))
    ledger = filled(tmp_path / "a", answers=[NEAR, NEAR], budget=(twice + thrice) / 2)
    with pytest.raises(svt.BudgetExhausted, match="a positive answer would make it"):
        ledger.ask(FAR)
    assert ledger.spent.epsilon == twice
    ledger = filled(tmp_path / "b", answers=[NEAR], budget=(once + twice) / 2 + once)
    with monkeypatch.context() as patch:
        patch.setattr(Session, "ask", cut)
        with pytest.raises(KeyboardInterrupt):
            ledger.ask(FAR)
    with pytest.raises(svt.BudgetExhausted, match="a positive answer would make it"):
        ledger.ask(FAR)
    assert ledger.run == 1 and ledger.spent.epsilon == twice


@pytest.mark.parametrize("budget", [2.0, 1.9, 2.75])
def test_the_budget_is_never_exceeded(tmp_path, monkeypatch, budget):
    """Questions, cuts and restarts at random until nothing more is answered: the sum stays within, and near to it."""
    rng, refused, ask = np.random.default_rng(8), 0, Session.ask
    ledger = filled(tmp_path / "l", answers=[], budget=budget)

    def cut_now_and_then(self, *answer, **options):
        if rng.random() < 0.2:
            raise KeyboardInterrupt
        return ask(self, *answer, **options)

    monkeypatch.setattr(Session, "ask", cut_now_and_then)
    while refused < 3:
        if rng.random() < 0.2:
            ledger = svt.Ledger(tmp_path / "l", NUMBERS, budget=budget)
        before = (tmp_path / "l").read_bytes()
        try:
            ledger.ask(NEAR if rng.random() < 0.5 else FAR)
            refused = 0
        except svt.BudgetExhausted:
            assert (tmp_path / "l").read_bytes() == before
            ledger, refused = svt.Ledger(tmp_path / "l", NUMBERS, budget=budget), refused + 1
        except KeyboardInterrupt:
            refused = 0
        assert ledger.spent.epsilon <= budget + 1e-9
    assert ledger.spent.epsilon > budget - svt.prove(replace(NUMBERS, c=1)).epsilon


def test_every_cut_is_noticed_or_is_an_older_copy(tmp_path):
    """Cut at any byte: within a line it is refused and left alone, at its end only the seal tells."""
    ledger = filled(tmp_path / "l")
    data = (tmp_path / "l").read_bytes()
    ends = [i + 1 for i, byte in enumerate(data) if byte == 10]
    for size in {*range(0, len(data), 37), *ends[:-1]}:
        (tmp_path / "l").write_bytes(data[:size])
        if size in ends:
            assert svt.Ledger(tmp_path / "l", NUMBERS, budget=2.0).run <= 1
        with pytest.raises(ValueError, match=r"is empty|cut off|older"):
            svt.Ledger(tmp_path / "l", NUMBERS, budget=2.0, seal=ledger.seal)
        assert (tmp_path / "l").read_bytes() == data[:size]
    (tmp_path / "l").write_bytes(data)
    assert svt.Ledger(tmp_path / "l", NUMBERS, budget=2.0, seal=ledger.seal).asked == 3


def test_every_edited_byte_is_noticed(tmp_path):
    """One byte changed anywhere, of a sign for damage too, and a line left out, doubled or moved."""
    filled(tmp_path / "l")
    data = (tmp_path / "l").read_bytes()
    lines = data.splitlines(keepends=True)
    damaged = [data[:i] + bytes([data[i] ^ 1]) + data[i + 1 :] for i in range(0, len(data), 11)]
    damaged += [b"".join(lines[:k] + lines[k + 1 :]) for k in range(len(lines) - 1)]
    damaged += [b"".join(lines[: k + 1] + lines[k:]) for k in range(len(lines))]
    damaged += [b"".join([*lines[:2], lines[3], lines[2], *lines[4:]]), b"\xff\n" + data, b"[]\n", b"3\n", b"\n"]
    shown = "a\\xffb", b"a\\\\xffb", b"a\\\xffb"  # as a byte is shown that is no text
    signs = (("\ufffd", b"\xef\xbf\xbd", wrong) for wrong in (b"\xf0\xbf\xbd", b"\xef\xbf"))
    for k, (about, old, new) in enumerate((shown, *signs)):
        ledger = filled(tmp_path / f"{k}")
        ledger.ask(NEAR, about=about)
        damaged.append(ledger.path.read_bytes().replace(old, new))
        assert damaged[-1] != ledger.path.read_bytes()
    for wrong in damaged:
        (tmp_path / "l").write_bytes(wrong)
        with pytest.raises(ValueError, match=r"ledger 'l' is refused: (line|its)"):
            svt.Ledger(tmp_path / "l", NUMBERS, budget=2.0)
        assert (tmp_path / "l").read_bytes() == wrong


def test_good_hashes_do_not_make_a_good_file(tmp_path):
    """An answer that nobody asked for, with the hash computed again, is refused for what it says."""
    from svtcourse.chapter.budget_book import _hashed

    lines = [json.loads(line) for line in _lines(filled(tmp_path / "l"))]
    for wrong in (
        {"kind": "said", "answer": False},
        {"kind": "other"},
        {"kind": ["ask"]},
        {"kind": "ask", "about": ""},
    ):
        entry = {"n": len(lines), **wrong}
        entry["hash"] = _hashed(lines[-1]["hash"], entry)
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in [*lines, entry])
        (tmp_path / "l").write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match="does not follow from the lines before"):
            svt.Ledger(tmp_path / "l", NUMBERS, budget=2.0)


def _lines(ledger: svt.Ledger) -> list[str]:
    return ledger.path.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    ("mechanism", "budget", "message"),
    [(SIGNS, 2.0, "its mechanism is Mechanism"), (NUMBERS, 3.0, "its budget is 2.0, not 3.0")],
)
def test_a_file_of_something_else_is_refused(tmp_path, mechanism, budget, message):
    """Another mechanism, another budget."""
    filled(tmp_path / "l")
    with pytest.raises(ValueError, match=message):
        svt.Ledger(tmp_path / "l", mechanism, budget=budget)


def test_a_processor_that_rounds_otherwise_reads_the_same_file(tmp_path):
    """A root ends in another digit elsewhere: the file opens there, and not with a split that differs visibly."""
    here = svt.variant("geometric").calibrate(epsilon=1.0, c=3, split=3 ** (2 / 3))
    file = filled(tmp_path / "l", mechanism=here).path
    assert repr(here.epsilon1) not in file.read_text(encoding="utf-8")
    for step, opens in ((1e-16, True), (-1e-16, True), (3e-13, True), (1e-9, False)):
        noise = svt.Geometric(here.query_noise.scale * (1 + step))
        there = replace(
            here, query_noise=noise, epsilon1=here.epsilon1 * (1 - step), epsilon2=here.epsilon2 * (1 + step)
        )
        if opens:
            assert svt.Ledger(file, there, budget=2.0).run == 1
        else:
            with pytest.raises(ValueError, match="its mechanism is"):
                svt.Ledger(file, there, budget=2.0)


def test_a_second_writer_is_noticed(tmp_path):
    """The first program does not look at the data once another one has written."""
    first = filled(tmp_path / "l")
    svt.Ledger(tmp_path / "l", NUMBERS, budget=2.0).ask(FAR)
    with pytest.raises(ValueError, match="something else has written"):
        first.ask(FAR)
    assert svt.Ledger(tmp_path / "l", NUMBERS, budget=2.0).run == 2


HAMMER = """
ledger, asked = None, 0
while asked < 100:
    try:
        ledger = ledger or t.svt.Ledger({file!r}, t.SIGNS, budget=1e6)
        asked += 1
        ledger.ask(t.FAR)
    except ValueError as refused:
        assert "something else has written" in str(refused), refused
        ledger = None
"""


def test_a_file_that_another_program_has_just_made_is_waited_for(tmp_path):
    """Between making it and locking it, it is empty."""
    whole = filled(tmp_path / "l").path.read_bytes()
    made = tmp_path / "made"
    made.touch()
    threading.Timer(0.1, made.write_bytes, [whole]).start()
    assert svt.Ledger(made, NUMBERS, budget=2.0).asked == svt.Ledger(tmp_path / "l", NUMBERS, budget=2.0).asked


@pytest.mark.full
def test_programs_at_one_time_keep_the_chain(tmp_path):
    """Three of them, as fast as they can: each is refused, or writes whole lines that follow from those before."""
    code = HERE + HAMMER.format(file=str(tmp_path / "l"))
    programs = [subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True) for _ in range(3)]
    assert [(program.communicate(timeout=300)[1], program.returncode) for program in programs] == [("", 0)] * 3
    svt.Ledger(tmp_path / "l", SIGNS, budget=1e6).ask(FAR)


@pytest.mark.skipif(os.name != "posix", reason="other systems do not fork")
def test_a_forked_child_has_locks_of_its_own(tmp_path):
    """The thread that held them is not in it."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(budget_book._ALONE.acquire).result()
        child = os.fork()
        if not child:
            signal.alarm(60)
            svt.Ledger(tmp_path / "l", SIGNS, budget=5.0).ask(FAR)
            os._exit(0)
        ended = os.waitpid(child, 0)[1]
        pool.submit(budget_book._ALONE.release).result()
    assert ended == 0


@pytest.mark.skipif(os.name != "posix", reason="the lock is that of POSIX systems")
def test_nothing_is_written_while_another_program_writes(tmp_path):
    """The size is looked at and the line is written under one lock, so nobody comes between the two."""
    import fcntl

    ledger = filled(tmp_path / "l")
    before = ledger.path.read_bytes()
    asking = threading.Thread(target=ledger.ask, args=(FAR,))
    with open(ledger.path, "rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        asking.start()
        asking.join(0.5)
        assert ledger.path.read_bytes() == before
    asking.join(60)
    assert ledger.path.read_bytes().startswith(before + b'{"n": 8, "kind": "ask"')


def test_a_damaged_file_says_how_to_go_on(tmp_path):
    """A line cut off is taken away by the command of the message; after a broken one the rest of the budget is told."""
    ledger = filled(tmp_path / "l", budget=10.0)
    data, cost = ledger.path.read_bytes(), svt.prove(replace(NUMBERS, c=3)).epsilon
    ledger.path.write_bytes(data + b'{"n": 9, "ki')
    with pytest.raises(ValueError, match=r"truncate -s") as refused:
        svt.Ledger(ledger.path, NUMBERS, budget=10.0)
    os.truncate(ledger.path, int(str(refused.value).split("truncate -s ")[1].split(")")[0]))
    assert ledger.path.read_bytes() == data
    lines = data.splitlines(keepends=True)
    for wrong, runs in (
        ([*lines[:3], lines[3].replace(b"said", b"paid"), *lines[4:]], 2),
        ([*lines[:4], *lines[1:]], 2),  # what two programs without a lock did
        ([b"{}\n", *lines[1:]], 2),
        ([*lines[:1], *lines[2:]], 1),  # the line that began the run is gone
        ([*lines[:1], lines[1].replace(b"\n", b" "), *lines[2:]], 1),
        ([*lines, *lines[1:2] * 2], 3),
        ([lines[0], lines[3], *lines[2:]], 1),  # a question over the line that began the run
    ):
        ledger.path.write_bytes(b"".join(wrong))
        with pytest.raises(ValueError, match=f"begin another one, with a budget of at most {10 - runs * cost:.6g}$"):
            svt.Ledger(ledger.path, NUMBERS, budget=10.0)
    small = filled(tmp_path / "small", budget=2.0).path
    small.write_bytes(small.read_bytes().replace(b"said", b"paid"))
    with pytest.raises(ValueError, match="nothing is certain to be left"):
        svt.Ledger(small, NUMBERS, budget=2.0)


@pytest.mark.skipif(os.name != "posix", reason="devices are files of POSIX systems")
def test_what_is_no_file_is_refused(tmp_path):
    """A device forgets what was spent; a pipe waits; a folder is none."""
    os.mkfifo(tmp_path / "pipe")
    for path in (os.devnull, tmp_path / "pipe", tmp_path):
        with pytest.raises(ValueError, match="path must be a file"):
            svt.Ledger(path, NUMBERS, budget=2.0)


def test_a_tiny_budget_is_a_budget(tmp_path):
    """What rounding is allowed is a part of the budget: 9e-10 is more than 1e-10."""
    tiny = svt.variant("geometric").calibrate(epsilon=9e-10, c=1, split=1.0)
    with pytest.raises(svt.BudgetExhausted):
        svt.Ledger(tmp_path / "l", tiny, budget=1e-10).ask(FAR)


def test_threads_take_turns(tmp_path):
    """Four with one ledger: every question is answered, and the chain is whole."""
    ledger = svt.Ledger(tmp_path / "l", SIGNS, budget=9.0)
    threads = [threading.Thread(target=lambda: [ledger.ask(FAR) for _ in range(5)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert svt.Ledger(tmp_path / "l", SIGNS, budget=9.0).asked == ledger.asked == 20


def test_an_interruption_at_any_line_leaves_a_good_file(tmp_path):
    """Ctrl-C at every third line of a question, and the next question: answered and paid, or to be opened again."""
    for k in range(1, 200, 3):
        ledger, count, given = filled(tmp_path / f"{k}", answers=[NEAR], budget=9.0), iter(range(1, k)), 1
        if k % 2:
            ledger = svt.Ledger(ledger.path, NUMBERS, budget=9.0)

        def trace(frame, event, _, count=count):
            if "budget_book" not in frame.f_code.co_filename:
                return None
            if event == "line" and next(count, None) is None:
                raise KeyboardInterrupt
            return trace

        before = sys.gettrace()
        try:
            sys.settrace(trace)
            ledger.ask(NEAR)
            break
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)
        with contextlib.suppress(ValueError):
            ledger.ask(NEAR)
            given += 1
        paid = svt.Ledger(ledger.path, NUMBERS, budget=9.0).spent.epsilon
        assert paid > svt.prove(replace(NUMBERS, c=given)).epsilon - 1e-9
    assert 20 < k < 190


@pytest.mark.skipif(os.name != "posix", reason="the signal is one of POSIX systems")
@pytest.mark.parametrize("where", ["the file", "the noise"])
def test_a_signal_handler_cannot_ask_in_the_middle(tmp_path, monkeypatch, where):
    """It waited for ever for a file that its own thread had locked; it is refused, and the question goes on."""
    code = f"""{HERE}
ledger, said = t.svt.Ledger({str(tmp_path / "l")!r}, t.SIGNS, budget=9.0), []
def handler(*_):
    for use in (lambda: ledger.ask(t.NEAR), lambda: t.svt.Ledger(ledger.path, t.SIGNS, budget=9.0)):
        try:
            use()
        except RuntimeError as refused:
            said.append(str(refused))
signal.signal(signal.SIGUSR1, handler)
def interrupted(what):
    return lambda *given, **named: (signal.raise_signal(signal.SIGUSR1), what(*given, **named))[1]
if {where == "the file"}:
    t.os.fsync = interrupted(t.os.fsync)
else:
    t.Session.ask = interrupted(t.Session.ask)
ledger.ask(t.FAR)
assert said and all("in the middle" in one for one in said), said
assert not ledger.spent.epsilon - t.svt.Ledger(ledger.path, t.SIGNS, budget=9.0).spent.epsilon
assert ledger.asked == 1
"""
    done = subprocess.run([sys.executable, "-c", code], timeout=30, capture_output=True, text=True)
    assert (done.stderr, done.returncode) == ("", 0)


def test_a_file_of_equal_size_is_not_appended_to(tmp_path):
    """Another program's, put in its place: the size is the same, the last hash is not."""
    ledger, other = (svt.Ledger(tmp_path / name, SIGNS, budget=2.0) for name in "ab")
    ledger.ask(FAR, about="a")
    other.ask(FAR, about="b")
    text = other.path.read_bytes()
    assert len(text) == ledger.path.stat().st_size
    ledger.path.write_bytes(text)
    with pytest.raises(ValueError, match="something else has written"):
        ledger.ask(FAR)
    assert ledger.path.read_bytes() == text


def test_a_path_stays_where_it_was(tmp_path, monkeypatch):
    """A change of directory moves no ledger."""
    monkeypatch.chdir(tmp_path)
    ledger = svt.Ledger("l", SIGNS, budget=2.0)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    ledger.ask(FAR)
    assert not os.listdir()


@pytest.mark.skipif(os.name != "posix", reason="the links are those of POSIX systems")
def test_a_file_is_one_ledger_by_every_path(tmp_path):
    """`..` after a link to a folder is the folder above that one; a link to a file, there or not, stays a link."""
    for folder in ("a/b", "x"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "x/link").symlink_to(tmp_path / "a/b")
    (tmp_path / "x/m").symlink_to(tmp_path / "a/l")
    for k, path in enumerate(("x/m", "x/link/../l", "a/l", "x/link/../../x/m", "a/b/../l"), 1):
        svt.Ledger(str(tmp_path / path), SIGNS, budget=9.0).ask(FAR)
        assert svt.Ledger(tmp_path / "a/l", SIGNS, budget=9.0).asked == k
    assert sorted(os.listdir(tmp_path / "x")) == ["link", "m"] and (tmp_path / "x/m").is_symlink()


def test_a_file_that_was_removed_does_not_come_back(tmp_path):
    """Not even as an empty one, which would be begun anew."""
    ledger = filled(tmp_path / "l")
    ledger.path.unlink()
    with pytest.raises(FileNotFoundError, match="is gone"):
        ledger.ask(FAR)
    assert not ledger.path.exists()


def test_a_full_disk_gives_nothing_away(tmp_path, monkeypatch):
    """If the price cannot be written the comparison is not made."""
    ledger = filled(tmp_path / "l", answers=[NEAR])
    monkeypatch.setattr(os, "fsync", lambda file: (_ for _ in ()).throw(OSError("No space left on device")))
    monkeypatch.setattr(Session, "ask", lambda *a, **k: pytest.fail("the data were looked at"))
    with pytest.raises(OSError, match="No space left"):
        ledger.ask(NEAR)


def test_bad_arguments_cost_nothing(tmp_path):
    """They are refused before anything is written."""
    ledger = filled(tmp_path / "l", answers=[NEAR])
    before = ledger.path.read_bytes()
    for bad in ((1.5, 0, ""), (3, "high", ""), (3, Fraction(1, 3**9000), ""), (3, 0, None), (3, 0, "\ud800")):
        with pytest.raises(ValueError, match=r"answer must|threshold must|about must"):
            ledger.ask(*bad)
    assert ledger.path.read_bytes() == before
    with pytest.raises(FileNotFoundError, match="path must be in a directory that exists"):
        svt.Ledger(tmp_path / "no" / "l", NUMBERS, budget=2.0)
    for path in (f"{tmp_path}/\0", os.scandir(os.fsencode(tmp_path)).__next__()):
        with pytest.raises(ValueError, match="path must be a str"):
            svt.Ledger(path, NUMBERS, budget=2.0)


def test_the_file_holds_neither_counts_nor_noise(tmp_path):
    """Two true counts with the same answer make the same file."""
    texts = [
        _lines(filled(tmp_path / f"{count}", answers=[count], mechanism=SIGNS)) for count in (123_456_789, 987_654_321)
    ]
    assert texts[0] == texts[1]
