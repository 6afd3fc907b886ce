"""A hundred and fifty programs against the judge: one loop with one thing changed, or a program in a style of its own.

What a wrong one loses stands beside it. None of them may be called private, and none of the right ones wrong.
Below them stand right and wrong scales, each in five styles.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from svtcourse.judge.language.source import remembered

_LOOP = """{outside}
def program(answers, threshold, epsilon, c, rng, sensitivity):
    {before}
    rho, said, found = {rho}, [], 0
    for i, answer in enumerate(answers):
        {each}
        hit = answer + {nu} >= threshold + rho
        said.append({says})
        found += hit
        {after}
        if {stop}:
            break
    return {result}
"""
_PLAIN = {
    "outside": "",
    "before": "pass",
    "rho": "rng.laplace(0, 2 / epsilon)",
    "each": "pass",
    "nu": "rng.laplace(0, 4 * c / epsilon)",
    "says": "hit",
    "after": "pass",
    "stop": "found == c",
    "result": "said",
}


def made(source: str, name: str = "program") -> Any:
    """A function from its source, which the judge can read."""
    space: dict[str, Any] = {"np": np}
    exec(compile(source, remembered(source), "exec", dont_inherit=True), space)  # annotations count as they do there
    return space[name]


class Hostile(NamedTuple):
    """A program, and what it is judged for."""

    make: Callable[[], Any]
    c: int
    options: dict[str, Any]
    loses: str  # nothing where it is right


def written(
    source: str, name: str = "program", *, c: int = 1, loses: str = "", options: dict[str, Any] | None = None
) -> Hostile:
    """A program of this source."""
    return Hostile(lambda: made(source, name), c, options or {}, loses)


def loop(*, c: int = 1, loses: str = "", options: dict[str, Any] | None = None, **changed: str) -> Hostile:
    """The plain loop with these parts in place of its own."""
    return written(_LOOP.format(**{**_PLAIN, **changed}), c=c, loses=loses, options=options)


def arrays(law: str, above: str = "above[: hits[c - 1] + 1] if hits.size >= c else above", **more: Any) -> Hostile:
    """All at once, with this noise."""
    body = f"above = q + {law} >= T + rng.laplace(0, 2 / epsilon); hits = np.flatnonzero(above)"
    return written(f"def program(q, T, epsilon, c, rng):\n    {body}\n    return {above}\n", **more)


def source_of(function: Any) -> str:
    """The text that a program of the lists was made from."""
    code = getattr(function, "__code__", None) or vars(function)["ask"].__code__
    return "".join(linecache.getlines(code.co_filename))


BOX = """
class Box:
    def __init__(self, epsilon, c, rng):
        self.rng, self.scale, self.left = rng, 4 * c / epsilon, c
        self.rho = rng.laplace(0, 2 / epsilon)

    def ask(self, answer, threshold):
        if self.left {limit} 0:
            raise RuntimeError("stopped")
        hit = answer + self.rng.laplace(0, self.scale) >= threshold + self.rho
        self.left -= hit
        {after}
        return bool(hit)
"""


def box(limit: str = "==", after: str = "pass", **more: Any) -> Hostile:
    """A class with `ask`."""
    return written(BOX.format(limit=limit, after=after), "Box", **more)


def pool(k: int, **more: Any) -> Hostile:
    """A block of k draws, used again and again."""
    return loop(before=f"nus = rng.laplace(0, 4 * c / epsilon, {k})", nu=f"nus[i % {k}]", **more)


WRONG: dict[str, Hostile] = {
    "one too late": loop(stop="found > c", c=2, loses="1.25, a positive more"),
    "after 3c": loop(stop="found == 3 * c", loses="2"),
    "counts its c down": loop(after="c -= bool(hit)", stop="c == 0", c=2, loses="1.5, later noise is narrower"),
    "never stops": loop(stop="False", loses="no bound"),
    "negatives start the count again": loop(after="found = found if hit else 0", c=2, loses="no bound"),
    "two in a row": loop(stop="said[-2:] == [True, True]", c=2, loses="no bound"),
    **{
        f"block of {k}": pool(k, loses="no bound: query k + 1 has the noise of the first")
        for k in (2, 5, 8, 10, 20, 50, 500)
    },
    "threshold drawn every 10": loop(
        each="rho = rng.laplace(0, 2 / epsilon) if i % 10 == 0 else rho", loses="1/2 for every ten"
    ),
    **{
        f"quiet after {k}": loop(nu=f"(rng.laplace(0, 4 / epsilon) if i < {k} else 0.0)", loses="no bound")
        for k in (6, 50, 60, 150)
    },
    "quiet after 5,000": loop(nu="(rng.laplace(0, 4 / epsilon) if i < 5000 else 0.0)", loses="no bound"),
    "scale by the length": loop(nu="rng.laplace(0, 28 / epsilon / len(answers))", loses="no bound in the length"),
    "scale from 1,000 on": loop(nu="rng.laplace(0, 4 / epsilon if len(answers) < 1000 else 0.01)", loses="200"),
    "scale by thousands": loop(nu="rng.laplace(0, 4 / epsilon / (1 + len(answers) // 5000))", loses="no bound"),
    "a length in disguise": loop(
        before="n = np.ones_like(answers).sum()", nu="rng.laplace(0, 4 / epsilon if n < 9000 else 0.01)", loses="200"
    ),
    "a length of equal truths": loop(
        nu="rng.laplace(0, 4 / epsilon if (answers == answers).sum() < 9000 else 0.01)", loses="200"
    ),
    "a list of scales": loop(
        before="scales = [4 / epsilon] * 9000 + [0.01] * 9000", nu="rng.laplace(0, scales[i])", loses="200"
    ),
    "skipped where far": loop(
        nu="(rng.laplace(0, 4 / epsilon) if abs(answer - threshold) < 200 else 0.0)", loses="no bound"
    ),
    "clipped noise": loop(nu="min(max(rng.laplace(0, 4 / epsilon), -20), 20)", loses="no bound: support ends"),
    "noise by np.clip": loop(nu="np.clip(rng.laplace(0, 4 / epsilon), -30, 30)", loses="no bound: support ends"),
    "a magic number": loop(says="answer == 100 or hit", loses="no bound"),
    "fixed seed": loop(before="rng = np.random.default_rng(42)", loses="no bound"),
    "a seed per query": loop(nu="np.random.default_rng(i).laplace(0, 4 / epsilon)", loses="no bound"),
    "a seed from data": loop(before="rng = np.random.default_rng(int(abs(answers.sum())))", loses="no bound"),
    "a clock for a seed": loop(
        before="import time; rng = np.random.default_rng(int(time.time()) // 3600)", loses="no bound within the hour"
    ),
    "np.random.seed": loop(before="np.random.seed(0); rng = np.random", loses="no bound"),
    "mirrored threshold noise": loop(rho="-rng.exponential(2 / epsilon)", c=2, loses="no bound"),
    "mirrored threshold, exponential": loop(
        rho="-rng.exponential(2 / epsilon)", nu="rng.exponential(4 * c / epsilon)", c=2, loses="no bound with one query"
    ),
    "mirrored query noise": loop(nu="-rng.exponential(4 * c / epsilon)", c=2, loses="no bound"),
    "uniform noise": loop(
        rho="rng.uniform(-2 / epsilon, 2 / epsilon)", nu="rng.uniform(-4, 4) / epsilon", loses="no bound: support ends"
    ),
    "normal noise": loop(rho="rng.normal(0, 2 / epsilon)", nu="rng.normal(0, 4 / epsilon)", loses="no bound"),
    "rounded noise": loop(nu="int(rng.laplace(0, 2 / epsilon))", loses="1.5"),
    "location for scale": loop(rho="rng.laplace(2 / epsilon)", nu="rng.laplace(4 / epsilon)", loses="3"),
    "sensitivity forgotten": loop(options={"sensitivity": 5.0}, loses="5"),
    "scales of another epsilon": loop(
        rho="rng.laplace(0, 1 / epsilon)", nu="rng.laplace(0, 2 * c / epsilon)", loses="2"
    ),
    "half the query noise": loop(nu="rng.laplace(0, 2 * c / epsilon)", c=2, loses="1.5"),
    "smaller every time": loop(before="s = 4 / epsilon", nu="rng.laplace(0, s)", after="s *= 0.99", loses="no bound"),
    "half the budget each": loop(
        before="e = epsilon / 4", nu="rng.laplace(0, 1 / e)", after="e = e / 2 if hit else e", c=3, loses="1.4"
    ),
    "the first without noise, after": loop(
        nu="(rng.laplace(0, 4 / epsilon) if i else 0.0)", stop="found == 2", loses="no bound"
    ),
    "the last without noise": loop(nu="(rng.laplace(0, 4 / epsilon) if i < len(answers) - 1 else 0.0)", loses="2.5"),
    "noise drawn once": loop(before="nu = rng.laplace(0, 4 / epsilon)", nu="nu", loses="no bound"),
    "threshold drawn anew": loop(each="rho = rng.laplace(0, 2 / epsilon)", loses="no bound"),
    "threshold drawn again, too narrow": loop(
        after="rho = rng.laplace(0, 2 / epsilon) if hit else rho", c=3, loses="2"
    ),
    "no threshold noise": loop(rho="0.0", loses="no bound"),
    "no query noise": loop(nu="0.0", loses="no bound: a ⊥ and a ⊤ say between which answers the threshold is"),
    "the compared number": loop(
        before="z = 0.0",
        each="z = rng.laplace(0, 4 / epsilon)",
        nu="z",
        says="answer + z if hit else False",
        loses="no bound",
    ),
    "the true number": loop(says="answer if hit else False", loses="no bound"),
    "the true number, rounded": loop(says="round(answer, 1) if hit else False", loses="no bound"),
    "answers doubled": loop(nu="answer + rng.laplace(0, 4 / epsilon)", loses="2"),
    "memo by answer": loop(
        before="memo = {}",
        each="memo[answer] = memo.get(answer, rng.laplace(0, 4 / epsilon))",
        nu="memo[answer]",
        loses="no bound",
    ),
    "ties repeat the answer": loop(
        each="same = i > 0 and answer == answers[i - 1]", says="said[-1] if same else hit", loses="no bound"
    ),
    "the sum so far": loop(before="total = 0.0", each="total += answer; answer = total", loses="1.05 at five queries"),
    "ends by the sum of the answers": loop(
        before="total = 0.0",
        each="total += answer",
        stop="found == c or total > 3 * threshold + 10",
        c=2,
        loses="no bound",
    ),
    "scale by the last answer": loop(
        before="s = 4 * c", nu="rng.laplace(0, s)", after="s = 4 * c if answer < threshold else 2 * c", loses="1.15"
    ),
    "half the threshold noise after three": loop(
        before="line = rho = rng.laplace(0, 2 / epsilon)",
        rho="line",
        after="rho = line / 2 if i >= 2 else line",
        loses="1.02 at six queries",
    ),
    "far above is free": loop(
        each="nu = rng.laplace(0, 4 * c / epsilon); far = answer + nu >= threshold + rho + 50",
        nu="nu",
        after="found -= far",
        loses="no bound in the positives",
    ),
    "quick way out": loop(before="early = max(answers) < threshold - 50", stop="early or found == c", loses="no bound"),
    "tells objects from floats": loop(
        before="s = 4 / epsilon if answers.dtype == object else 0.1", nu="rng.laplace(0, s)", loses="20"
    ),
    "tells by isinstance": loop(
        before="s = 0.1 if isinstance(answers[0], float) else 4 / epsilon", nu="rng.laplace(0, s)", loses="20"
    ),
    "tells by text": loop(
        before="s = 0.1 if str(threshold) == '0.0' else 4 / epsilon", nu="rng.laplace(0, s)", loses="20"
    ),
    "tells by bytes": loop(
        before="s = 4 / epsilon if len(answers.tobytes()) % 7 else 0.1", nu="rng.laplace(0, s)", loses="20"
    ),
    "a pool outside": loop(outside="POOL = [0.3, 1.2, -0.7]", nu="POOL[i % 3]", loses="no bound"),
    "state between calls": loop(
        outside="KEPT = {}",
        before="KEPT.setdefault('rho', rng.laplace(0, 2 / epsilon))",
        rho="KEPT['rho']",
        nu="rng.laplace(0, 0.4 / epsilon)",
        loses="10",
    ),
    "a default that changes": written(
        """def program(answers, threshold, epsilon, rng, kept=[]):
    kept.append(rng.laplace(0, 2 / epsilon))
    return [a + rng.laplace(0, 4 / epsilon) >= threshold + kept[0] for a in answers]
""",
        loses="no bound",
    ),
    "arrays, no threshold noise": written(
        """def program(q, T, epsilon, c, rng):
    above = q + rng.laplace(0, 4 / epsilon, q.size) >= T
    hits = np.flatnonzero(above)
    return above[: hits[0] + 1] if hits.size else above
""",
        loses="no bound",
    ),
    "arrays, one draw": arrays("rng.laplace(0, 4 / epsilon)", loses="no bound"),
    "arrays, half of it twice": arrays(
        "np.resize(rng.laplace(0, 4 / epsilon, len(q) // 2 + 1), len(q))", loses="no bound"
    ),
    "arrays, quiet from 2,000 on": arrays(
        "np.where(np.arange(len(q)) < 2000, rng.laplace(0, 4 / epsilon, len(q)), 0)", loses="no bound"
    ),
    "arrays, quiet by a sum": arrays(
        "np.where(np.cumsum(np.ones_like(q)) < 2000, rng.laplace(0, 4 / epsilon, len(q)), 0)", loses="no bound"
    ),
    "arrays, one positive more": arrays(
        "rng.laplace(0, 4 * c / epsilon, len(q))", "above[: hits[c] + 1] if hits.size > c else above", c=2, loses="1.25"
    ),
    "the largest, exactly": written(
        """def program(q, T, epsilon, rng):
    i = int(np.argmax(q))
    return [j == i and q[i] + rng.laplace(0, 2 / epsilon) >= T for j in range(len(q))]
""",
        loses="no bound",
    ),
    "how many, without noise": written(
        """def program(answers, threshold, epsilon, rng):
    rho = rng.laplace(0, 2 / epsilon)
    return sum(1 for a in answers if a >= threshold + rho)
""",
        loses="no bound",
    ),
    "the last index for none": written(
        """
def program(answers, threshold, epsilon, rng):
    rho = rng.laplace(0, 2 / epsilon)
    for i, answer in enumerate(answers):
        if answer + rng.laplace(0, 2 / epsilon) >= threshold + rho:
            return i
    return len(answers) - 1
""",
        loses="1.5; its last comparison does not show",
    ),
    "a pool by map": written(
        """
def program(answers, threshold, epsilon, rng):
    rho, nus = rng.laplace(0, 2 / epsilon), list(rng.laplace(0, 4 / epsilon, 2000))
    above = list(map(lambda a, nu: bool(a + nu >= threshold + rho), answers, nus * 1000))
    return above[: above.index(True) + 1] if True in above else above
""",
        loses="no bound",
    ),
    "a pool by zip": loop(
        before="pairs = list(zip(answers, list(rng.laplace(0, 4 / epsilon, 2000)) * 1000))",
        nu="pairs[i][1]",
        loses="no bound",
    ),
    "a pool by a slice": arrays(
        "np.array((list(rng.laplace(0, 4 / epsilon, 2000)) * 1000)[: len(q)])", loses="no bound"
    ),
    "true, but not True": loop(
        nu="(rng.laplace(0, 4 / epsilon) if (answer >= answer) is True else 0.0)",
        loses="no bound: numpy's truth is not Python's",
    ),
    "absorbed": loop(each="answer = answer + 1e17 - 1e17", loses="16 times as much: floats swallow the answer"),
    "overflow": loop(
        each="answer = answer * 1e200 * 1e200 / 1e200 / 1e200", loses="no bound: every positive answer is infinite"
    ),
    "clipped twice": loop(
        each="near, far = np.clip(answer, -1, 1), np.clip(answer, -100, 100)",
        nu="(near - far) * 1000 + rng.laplace(0, 4 / epsilon)",
        loses="1,000",
    ),
    "a counter on a function": loop(
        before="count = lambda: None; count.k = 0",
        each="count.k = count.k + 1",
        nu="(rng.laplace(0, 4 / epsilon) if count.k < 5000 else 0.0)",
        loses="no bound",
    ),
    "a counter in a default": loop(
        before="nu = lambda k=[0]: (k.append(k[-1] + 1), rng.laplace(0, 4 / epsilon) if k[-1] < 5000 else 0.0)[1]",
        nu="nu()",
        loses="no bound",
    ),
    "a counter in a dict": loop(
        before="d = {'k': 0}",
        each="d['k'] += 1",
        nu="(rng.laplace(0, 4 / epsilon) if d['k'] < 5000 else 0.0)",
        loses="no bound",
    ),
    "one run in a billion": loop(
        before="peek = rng.random() < 1e-9", nu="(0.0 if peek else rng.laplace(0, 4 / epsilon))", loses="no bound"
    ),
    "a counter in a closure": written(
        """def program(answers, threshold, epsilon, rng):
    k = 0
    def nu():
        nonlocal k
        k += 1
        return rng.laplace(0, 4 / epsilon) if k < 5000 else 0.0
    rho = rng.laplace(0, 2 / epsilon)
    above = [a + nu() >= threshold + rho for a in answers]
    return above[: above.index(True) + 1] if True in above else above
""",
        loses="no bound",
    ),
    "a counter in a comprehension": written(
        """def program(answers, threshold, epsilon, rng):
    k, rho = 0, rng.laplace(0, 2 / epsilon)
    above = [a + (rng.laplace(0, 4 / epsilon) if (k := k + 1) < 5000 else 0) >= threshold + rho for a in answers]
    return above[: above.index(True) + 1] if True in above else above
""",
        loses="no bound",
    ),
    "a counter in a generator": written(
        """def program(answers, threshold, epsilon, rng):
    def noise():
        k = 0
        while True:
            k += 1
            yield rng.laplace(0, 4 / epsilon) if k < 5000 else 0.0
    rho, said, nus = rng.laplace(0, 2 / epsilon), [], noise()
    for a in answers:
        said.append(a + next(nus) >= threshold + rho)
        if said[-1]:
            break
    return said
""",
        loses="no bound",
    ),
    "what was said is long": loop(each="rho = -1.0 if len(said) == 7777 else rho", loses="no bound"),
    "what was said ends so": loop(
        before="text = ''",
        nu="(0 if text.endswith('n' * 4000) else rng.laplace(0, 4 / epsilon))",
        after="text += 'y' if hit else 'n'",
        loses="no bound",
    ),
    "two halves of the list": loop(
        nu="(0.0 if i >= len(answers) / 2 and i > 3000 else rng.laplace(0, 4 / epsilon))", loses="no bound"
    ),
    "a positive that is forgotten after 60": loop(stop="found == c and i < 60", c=2, loses="no bound"),
    "one more at every seventh": loop(stop="found == c and len(said) % 7", c=2, loses="1.75 at 40 queries"),
    "no threshold noise after ⊥⊥⊤": loop(
        after="rho = 0 if said[-3:] == [False, False, True] else rho", c=2, loses="no bound"
    ),
    "one-sided where the last answer was higher": loop(
        before="last = -1e9",
        each="size = last > answer; last = answer",
        nu="(lambda x: abs(x) if size else x)(rng.laplace(0, 4 * c / epsilon))",
        loses="no bound",
    ),
    "noise for every second": loop(nu="(rng.laplace(0, 4 * c / epsilon) if i % 2 else 0.0)", c=2, loses="no bound"),
    "Gaussian noise": loop(
        rho="rng.normal(0, 2 / epsilon)", nu="rng.normal(0, 4 * c / epsilon)", c=2, loses="no bound"
    ),
    "noise of at most 3": loop(nu="min(rng.laplace(0, 4 * c / epsilon), 3)", loses="no bound"),
    "how far from the threshold, half the noise": loop(
        each="answer = max(answer, 2 * threshold - answer)", nu="rng.laplace(0, 2 * c / epsilon)", loses="1.5"
    ),
    "shows how far above": loop(says="(answer - threshold if hit else False)", loses="no bound"),
    "noise that only lowers": loop(nu="-abs(rng.laplace(0, 4 * c / epsilon))", c=2, loses="more than 1"),
    "a draw for two neighbours": loop(
        before="nus = rng.laplace(0, 4 / epsilon, len(answers) + 1)",
        nu="(nus[i] + nus[i + 1]) / 2",
        loses="1.5 in the end",
    ),
    "a positive just above is not counted": loop(
        each="nu = rng.laplace(0, 4 * c / epsilon)",
        nu="nu",
        after="found -= hit and answer + nu - rho < threshold + 1",
        c=2,
        loses="no bound",
    ),
    "within a band": loop(
        each="nu = rng.laplace(0, 4 / epsilon)",
        nu="nu",
        says="bool(hit or answer + nu <= threshold + rho - 20)",
        loses="no bound",
    ),
    "no threshold noise where a sign is up": loop(
        rho="(0.0 if np.sign(rng.random() - 0.5) == 1 else rng.laplace(0, 2 / epsilon))", loses="no bound"
    ),
    "one coin for all signs": loop(
        before="coin = rng.choice([-1, 1])", nu="coin * rng.exponential(4 * c / epsilon)", loses="no bound"
    ),
    "negatives with their numbers": loop(
        each="nu = rng.laplace(0, 4 * c / epsilon)", nu="nu", says="True if hit else answer + nu", loses="1/4 for each"
    ),
    "the threshold's noise at the end": loop(result="said + [rho]", loses="no bound"),
    "all answers, once in a million": loop(
        before="if rng.random() < 1e-6: return list(answers)", c=2, loses="no bound"
    ),
    "a magic number among many ways": loop(says="True if answer == 100 else hit", c=3, loses="no bound"),
    "the same object": loop(nu="(rng.laplace(0, 4 / epsilon) if answer is answers[i] else 0.0)", loses="no bound"),
    "an array that counts": loop(
        before="k = np.zeros(1, dtype=int)",
        each="k += 2",
        nu="(0.0 if k >= 40_000 else rng.laplace(0, 4 / epsilon))",
        loses="no bound",
    ),
    "a type that runs over": loop(before="answers = np.array(answers, dtype='u1')", loses="no bound: 256 is 0"),
    "absorbed in small": loop(
        each="answer = ((answer * 1e-8 + 5e8) - 5e8) * 1e8", loses="6 times as much: floats swallow the answer"
    ),
    "a truth turned by ~": written(
        """def program(answers, threshold, epsilon, c, rng):
    rho, said, found = rng.laplace(0, 2 / epsilon), [], 0
    for a in answers.tolist():
        hit = ~(a + rng.laplace(0, 4 * c / epsilon) < threshold + rho)
        said.append(hit)
        found += hit
        if found == c:
            break
    return said
""",
        loses="no bound: Python's ~True is -2, so that it never stops",
    ),
    "class, one too late": box("<", c=2, loses="1.25"),
    "class with a counter": box(after="self.scale -= 0.001", loses="400"),
    "by how much it grows": written(
        """def program(answers, threshold, epsilon, rng):
    rho, before, said = rng.laplace(0, 2 / epsilon), 0, []
    for a in answers:
        said.append(bool(a - before + rng.laplace(0, 4 / epsilon) >= threshold + rho))
        before = a
        if said[-1]:
            break
    return said
""",
        loses="an answer moves two differences: 1.5",
    ),
    "a threshold for each, all at once": written(
        """def program(answers, threshold, epsilon, c, rng):
    bars = threshold + rng.laplace(0, 2 / epsilon, len(answers))
    above = answers + rng.laplace(0, 4 * c / epsilon, len(answers)) >= bars
    places = np.flatnonzero(above)
    if len(places) >= c:
        above = above[: places[c - 1] + 1]
    return above
""",
        c=2,
        loses="1/8 for each negative",
    ),
}

# What changes after thousands of queries only, or gives much away and never enough: judging it takes seconds.
LONG = [name for name, (made, *_) in WRONG.items() if re.search(r"\b[1-9]\d{3,}\b", source_of(made()))]
LONG += ["far above is free", "within a band"]

RIGHT: dict[str, Hostile] = {
    "plain": loop(c=2),
    "a coin's sign": loop(
        rho="rng.choice([-1, 1]) * rng.exponential(2 / epsilon)",
        nu="4 * c / epsilon * rng.exponential() * rng.choice((1, -1))",
        c=2,
    ),
    "scipy's noise": loop(
        outside="from scipy import stats",
        rho="stats.laplace.rvs(scale=2 / epsilon, random_state=rng)",
        nu="stats.laplace.rvs(0, 4 * c / epsilon, random_state=rng)",
        c=2,
    ),
    "an iterator until None": written(
        """def program(answers, threshold, epsilon, c, rng):
    rho, said = rng.laplace(0, 2 / epsilon), []
    todo = iter(answers)
    while sum(said) < c:
        a = next(todo, None)
        if a is None:
            break
        said.append(bool(a + rng.laplace(0, 4 * c / epsilon) >= threshold + rho))
    return said
""",
        c=2,
    ),
    "an array of itself": written(
        """def program(q, T, epsilon, c, rng):
    q = np.asarray(q)
    above = q + rng.laplace(0, 4 * c / epsilon, q.shape) >= T + rng.laplace(0, 2 / epsilon)
    hits = np.flatnonzero(above)
    end = len(q) if len(hits) < c else hits[c - 1] + 1
    return above[:end]
""",
        c=2,
    ),
    "below": written(
        """def program(answers, threshold, epsilon, c, rng):
    rho, said = rng.laplace(0, 2 / epsilon), []
    for a in answers:
        said.append(a + rng.laplace(0, 4 * c / epsilon) <= threshold + rho)
        if sum(said) == c:
            break
    return said
""",
        c=2,
    ),
    "scale times a standard draw": loop(rho="2 / epsilon * rng.laplace()", nu="4 * c / epsilon * rng.laplace()", c=2),
    "divided by the scale": written(
        """def program(answers, threshold, epsilon, c, rng):
    bar, said = rng.laplace(0, 2 / epsilon), []
    for a in answers:
        said.append((a - threshold - bar) / (4 * c / epsilon) + rng.laplace() >= 0)
        if sum(said) == c:
            break
    return said
""",
        c=2,
    ),
    "inside the bars": written(
        """def program(answers, threshold, epsilon, c, rng):
    rho, said = rng.laplace(0, 2 / epsilon), []
    for a in answers:
        said.append(abs(a + rng.laplace(0, 4 * c / epsilon)) >= threshold + rho)
        if sum(said) == c:
            break
    return said
""",
        c=2,
    ),
    "difference of exponentials": loop(
        rho="rng.exponential(2 / epsilon) - rng.exponential(2 / epsilon)",
        nu="rng.standard_exponential() * 4 * c / epsilon - 4 * c / epsilon * rng.standard_exponential()",
        c=2,
    ),
    "exponential noise": loop(rho="rng.exponential(2 / epsilon)", nu="rng.exponential(4 * c / epsilon)", c=2),
    "a generator of its own, unseeded": loop(before="rng = np.random.default_rng()", c=2),
    "clipped answers": written(
        """def program(answers, threshold, epsilon, c, rng):
    rho, said = rng.laplace(0, 2 / epsilon), []
    for a in np.clip(answers, -100, 100):
        said.append(a + rng.laplace(0, 4 * c / epsilon) >= threshold + rho)
        if sum(said) == c:
            break
    return said
""",
        c=2,
    ),
    "sorted answers": written(
        """def program(answers, threshold, epsilon, c, rng):
    rho, said = rng.laplace(0, 2 / epsilon), []
    for a in sorted(answers):
        said.append(a + rng.laplace(0, 4 * c / epsilon) >= threshold + rho)
        if sum(said) == c:
            break
    return said
""",
        c=2,
    ),
    "noise of all queries first": written(
        """def program(answers, threshold, epsilon, c, rng):
    rho, said = rng.laplace(0, 2 / epsilon), []
    for a, nu in zip(answers, rng.laplace(0, 4 * c / epsilon, len(answers))):
        said.append('⊤' if a + nu >= threshold + rho else '⊥')
        if said.count('⊤') == c:
            break
    return said
""",
        c=2,
    ),
    "padded with negatives": loop(result="said + [False] * (len(answers) - len(said))", c=2),
    "negatives for ever": loop(stop="False", says="hit and found < c", after="pass", c=2),
    "while": written(
        """def program(answers, threshold, epsilon, c, rng):
    rho, said, i, left = rng.laplace(0, 2 / epsilon), [], 0, c
    while i < len(answers) and left > 0:
        said.append(answers[i] + rng.laplace(0, 4 * c / epsilon) >= threshold + rho)
        left, i = left - said[-1], i + 1
    return said
""",
        c=2,
    ),
    "generator": written(
        """def program(answers, threshold, epsilon, c, rng):
    rho, found = rng.laplace(0, 2 / epsilon), 0
    for a in answers:
        if a + rng.laplace(0, 4 * c / epsilon) >= threshold + rho:
            found += 1
            yield True
        else:
            yield False
        if found >= c:
            return
""",
        c=2,
    ),
    "index of the first": written("""def program(answers, threshold, epsilon, rng):
    bar = rng.laplace(threshold, 2 / epsilon)
    for i, a in enumerate(answers):
        if rng.laplace(a, 4 / epsilon) > bar:
            return i
    return None
"""),
    "a helper": written(
        """def program(answers, threshold, epsilon, c, rng):
    rho, said = rng.laplace(0, 2 / epsilon), []
    def ask(a):
        return a + rng.laplace(0, 4 * c / epsilon) - threshold >= rho
    for a in answers:
        said += [ask(a)]
        if sum(1 for x in said if x) >= c:
            return said
    return said
""",
        c=2,
    ),
    "a flag": written(
        """def program(answers, threshold, epsilon, c, rng):
    rho, said, done, found = rng.laplace(0, 2 / epsilon), [], False, 0
    for a in answers:
        if done:
            said.append(False)
            continue
        said.append(bool(a + rng.laplace(0, 4 * c / epsilon) >= threshold + rho))
        found += said[-1]
        done = found == c
    return said
""",
        c=2,
    ),
    "arrays": arrays("rng.laplace(0, 4 * c / epsilon, len(q))", c=2),
    "arrays, a running count": arrays(
        "rng.laplace(0, 4 * c / epsilon, size=q.shape)", "above & (np.cumsum(above) <= c)", c=2
    ),
    "two rounds": written(
        """def program(answers, threshold, epsilon, c, rng):
    rho, said, found, queue = rng.laplace(0, 2 / epsilon), [], 0, list(answers)
    for _ in range(2):
        asked, queue = queue, []
        for a in asked:
            said.append(a + rng.laplace(0, 4 * c / epsilon) >= threshold + rho)
            found += said[-1]
            if found == c:
                return said
            if not said[-1]:
                queue.append(a)
    return said
""",
        c=2,
    ),
    "fresh numbers": loop(
        rho="rng.laplace(0, 3 / epsilon)",
        nu="rng.laplace(0, 6 * c / epsilon)",
        says="answer + rng.laplace(0, 3 * c / epsilon) if hit else False",
        c=2,
    ),
    "signs in a text": written(
        """def program(values, threshold, eps, generator):
    rho, said = generator.laplace(0, 2 / eps), ""
    for value in values:
        positive = "⊤" not in said and value + generator.laplace(0, 4 / eps) >= threshold + rho
        said += "⊤" if positive else "⊥"
    return said
"""
    ),
    "arrays, its own generator and an index": written(
        """def program(T, queries, epsilon):
    rng = np.random.default_rng()
    noisy = queries + rng.laplace(scale=4 / epsilon, size=len(queries))
    hits = np.flatnonzero(noisy >= T + rng.laplace(scale=2 / epsilon))
    return int(hits[0]) if hits.size else None
"""
    ),
    "refreshed": loop(
        rho="rng.laplace(0, 2 * c / epsilon)", after="rho = rng.laplace(0, 2 * c / epsilon) if hit else rho", c=2
    ),
    "with a gap": written(
        """def program(answers, threshold, epsilon, c, rng):
    rho, said = rng.laplace(0, 2 / epsilon), []
    for a in answers:
        gap = a + rng.laplace(0, 4 * c / epsilon) - (threshold + rho)
        said.append(float(gap) if gap >= 0 else None)
        if len([x for x in said if x is not None]) == c:
            break
    return said
""",
        c=2,
    ),
    "monotonic, half the noise": loop(nu="rng.laplace(0, 2 * c / epsilon)", c=2, options={"monotonic": True}),
    "class": box(c=2),
    "first 50 queries only": loop(each="answer = answer if i < 50 else -1e9", c=2),
    "stops after 60 queries": loop(stop="found == c or i == 60", c=2),
    "n times the noise": written("""def program(answers, threshold, epsilon, rng):
    return [a + rng.laplace(0, len(answers) / epsilon) >= threshold for a in answers]
"""),
    "the first without noise": loop(nu="(rng.laplace(0, 4 / epsilon) if i else 0.0)"),
    "the size of Laplace draws": loop(nu="abs(rng.laplace(0, 4 * c / epsilon))", c=2),
    "the largest so far": loop(before="m = -1e9", each="m = max(m, answer); answer = m", c=2),
    "no answer below a floor": loop(each="answer = max(-100, min(100, answer))", c=2),
    "the first fifty of the list": written(
        """def program(answers, threshold, epsilon, c, rng):
    rho, said = rng.laplace(0, 2 / epsilon), []
    for a in answers[:50]:
        said.append(a + rng.laplace(0, 4 * c / epsilon) >= threshold + rho)
        if sum(said) == c:
            break
    return said
""",
        c=2,
    ),
    "from an iterator": written(
        """def program(answers, threshold, epsilon, c, rng):
    line, left, said = threshold - rng.laplace(0, 2 / epsilon), c, []
    it = iter(answers)
    while left:
        try:
            a = next(it)
        except StopIteration:
            break
        below = not (line - a <= rng.laplace(0, 4 * c / epsilon))
        said.append(not below)
        left -= not below
    return said
""",
        c=2,
    ),
    "from the front of a list": written(
        """def program(answers, threshold, epsilon, c, rng):
    todo = list(answers)
    rho, said = rng.laplace(0, 2 / epsilon), []
    while todo and sum(said) < c:
        q = todo.pop(0)
        said.append(q + rng.laplace(0, 4 * c / epsilon) >= threshold + rho)
    return said
""",
        c=2,
    ),
    "all at once, up to the first": written("""def program(answers, threshold, epsilon, rng):
    rho = rng.laplace(0, 2 / epsilon)
    hits = [q + rng.laplace(0, 4 / epsilon) >= threshold + rho for q in answers]
    return hits[: hits.index(True) + 1] if any(hits) else hits
"""),
    "arrays, up to the first": written("""def program(answers, threshold, epsilon, rng):
    above = answers + rng.laplace(0, 4 / epsilon, answers.shape) >= threshold + rng.laplace(0, 2 / epsilon)
    if not above.any():
        return [False] * len(answers)
    return [False] * int(np.argmax(above)) + [True]
"""),
    "how far from the threshold": loop(
        each="answer = max(answer - threshold, threshold - answer) + threshold - 10", c=2
    ),
    "half of what is above": loop(
        each="answer = threshold + (answer - threshold) / 2 if answer > threshold else answer", c=2
    ),
    "no more than five above": loop(each="answer = threshold + 5 if answer > threshold + 5 else answer"),
    "a flag that says done": written(
        """def program(answers, threshold, epsilon, c, rng):
    bar, said, found, done = threshold + rng.laplace(0, 2 / epsilon), [], 0, False
    for q in answers:
        if done:
            continue
        said += [q + rng.laplace(0, 4 * c / epsilon) > bar]
        found += said[-1]
        done = found == c
    return said
""",
        c=2,
    ),
    "backwards, with negated numbers": written(
        """def program(answers, threshold, epsilon, c, rng):
    bar, left, said = rng.laplace(0, 2 / epsilon) + threshold, c, []
    for x in (-a for a in answers):
        no = -x + rng.laplace(0, 4 * c / epsilon) < bar
        said += [not no]
        left -= not no
        if not left:
            break
    return said
""",
        c=2,
    ),
    "stops at the first negative": loop(stop="not hit"),
    "uniform through the inverse": written("""def program(answers, threshold, epsilon, rng):
    def laplace(b):
        u = rng.uniform(-0.5, 0.5)
        return -b * np.sign(u) * np.log(1 - 2 * abs(u))
    rho = laplace(2 / epsilon)
    for i, a in enumerate(answers):
        if a + laplace(4 / epsilon) >= threshold + rho:
            return i
    return None
"""),
    "logarithms of uniform draws": loop(
        rho="-2 / epsilon * np.log(rng.random())", nu="-4 * c / epsilon * np.log(1 - rng.random())", c=2
    ),
    "more noise than needed": loop(rho="rng.laplace(0, 3 / epsilon)", nu="rng.laplace(0, 7 * c / epsilon)", c=2),
    "a helper class": written(
        """class Noise:
    def __init__(self, rng, scale):
        self.rng, self.scale = rng, scale
    def draw(self):
        return self.rng.laplace(0, self.scale)
def program(answers, threshold, epsilon, c, rng):
    nu, bar = Noise(rng, 4 * c / epsilon), threshold + rng.laplace(0, 2 / epsilon)
    out, count = [], 0
    for a in answers:
        above = a + nu.draw() >= bar
        out.append(above)
        count += int(above)
        if count >= c:
            break
    return out
""",
        c=2,
    ),
    "an object that is asked in a comprehension": written(
        """class SVT:
    def __init__(self, threshold, epsilon, c, rng):
        self.rng, self.left, self.scale = rng, c, 4 * c / epsilon
        self.bar = threshold + rng.laplace(0, 2 / epsilon)
    def ask(self, answer):
        if self.left == 0:
            return False
        above = bool(answer + self.rng.laplace(0, self.scale) >= self.bar)
        self.left -= above
        return above
def program(answers, threshold, epsilon, c, rng):
    svt = SVT(threshold, epsilon, c, rng)
    return [svt.ask(a) for a in answers]
""",
        c=2,
    ),
    "the next of a generator expression": written("""def program(answers, threshold, epsilon, rng):
    bar = threshold + rng.laplace(0, 2 / epsilon)
    return next((i for i, a in enumerate(answers) if a + rng.laplace(0, 4 / epsilon) >= bar), None)
"""),
    "where the count is c": written(
        """def program(answers, threshold, epsilon, c, rng):
    above = np.asarray(answers) + rng.laplace(scale=4 * c / epsilon, size=len(answers)) >= threshold + rng.laplace(
        scale=2 / epsilon
    )
    stop = np.flatnonzero(np.cumsum(above) == c)
    return above[: stop[0] + 1].tolist() if stop.size else above.tolist()
""",
        c=2,
    ),
    "each with its place": loop(says="(i + 1, bool(hit))", after="found += 0"),
    "a count by words": loop(
        before="import collections; stats = collections.Counter()",
        after="stats['above' if hit else 'below'] += 1",
        stop="stats['above'] == c",
    ),
    "limits of Python's own": loop(each="answer = min(max(0, answer), 9.5)"),
    "up to where it is reached": written(
        """def program(answers, threshold, epsilon, c, rng):
    answers = np.asarray(answers, dtype=float)
    above = answers + rng.laplace(scale=4 * c / epsilon, size=answers.shape) >= threshold + rng.laplace(0, 2 / epsilon)
    stop = np.cumsum(above) >= c
    end = np.argmax(stop) + 1 if stop.any() else len(above)
    return above[:end].tolist()
""",
        c=2,
    ),
    "a list of nothing, filled": written(
        """def program(answers, threshold, epsilon, c, rng):
    result, count = [None] * len(answers), 0
    bar = threshold + rng.laplace(scale=2 / epsilon)
    for i, a in enumerate(answers):
        result[i] = bool(a + rng.laplace(scale=4 * c / epsilon) >= bar)
        count += result[i]
        if count == c:
            return result[: i + 1]
    return result
""",
        c=2,
    ),
    "a name on the way": written(
        """def program(answers, threshold, epsilon, c, rng):
    bar, said, left = threshold + rng.laplace(0, 2 / epsilon), [], c
    for a in answers:
        if hit := bool(a + rng.laplace(0, 4 * c / epsilon) >= bar):
            left -= 1
        said.append(hit)
        if not left:
            break
    return said
""",
        c=2,
    ),
    "a record": written(
        """def begun(threshold, epsilon, c, rng):
    state = {"bar": threshold + rng.laplace(0, 2 / epsilon), "left": c}

    def ask(a):
        if state["left"] == 0:
            return None
        hit = bool(a + rng.laplace(0, 4 * c / epsilon) >= state["bar"])
        state["left"] -= hit
        return hit

    return ask

def program(answers, threshold, epsilon, c, rng):
    ask, said = begun(threshold, epsilon, c, rng), []
    for a in answers:
        one = ask(a)
        if one is None:
            break
        said.append(one)
    return said
""",
        c=2,
    ),
    "how many came before": written(
        """def program(answers, threshold, epsilon, c, rng):
    bar = threshold + rng.laplace(0, 2 / epsilon)
    above = answers + rng.laplace(0, 4 * c / epsilon, size=len(answers)) >= bar
    before = np.cumsum(above) - above
    return above[before < c]
""",
        c=2,
    ),
    "an array that is read": written(
        """def program(answers, threshold, epsilon, c, rng):
    bar, n, used = threshold + rng.laplace(0, 2 / epsilon), len(answers), 0
    said, nu = np.zeros(n, dtype=bool), rng.laplace(0, 4 * c / epsilon, n)
    for i in range(n):
        said[i] = answers[i] + nu[i] >= bar
        used += said[i]
        if used == c:
            return said[: i + 1]
    return said
""",
        c=2,
    ),
    "a class with a property": written(
        """class Program:
    def __init__(self, threshold, epsilon, c, rng):
        self.rng, self.left, self.scale = rng, c, 4 * c / epsilon
        self.bar = threshold + rng.laplace(0, 2 / epsilon)

    @property
    def stopped(self):
        return self.left == 0

    def ask(self, answer):
        if self.stopped:
            raise RuntimeError("stopped")
        above = bool(answer + self.rng.laplace(0, self.scale) >= self.bar)
        self.left -= above
        return above
""",
        "Program",
        c=3,
    ),
    "a word about what is wrong, and a default that is used": written(
        """def program(answers, threshold, epsilon, rng, t=None):
    if epsilon <= 0:
        raise ValueError(f"epsilon must be positive, got {epsilon!r}")
    assert t is None, f"t: {t}, and the threshold is {threshold}"
    if t is None:
        t = threshold + rng.laplace(0, 2 / epsilon)
    out = []
    for a in answers:
        if a + rng.laplace(0, 4 / epsilon) >= t:
            return out + [True]
        out.append(False)
    return out
"""
    ),
    "the places of the positives, in a while loop": written(
        """def program(answers, threshold, epsilon, c, rng):
    bar, found, i = threshold + rng.laplace(0, 2 / epsilon), [], 0
    while i < len(answers) and len(found) < c:
        if answers[i] + rng.laplace(0, 4 * c / epsilon) >= bar:
            found.append(i)
        i += 1
    return found
""",
        c=2,
    ),
    "minus one for none": written(
        """import math
from typing import List

def program(answers: List[float], threshold: float, epsilon: float, rng) -> int:
    bar: float = threshold + rng.laplace(0, math.ceil(20 / epsilon) / 10)
    for i in range(len(answers)):
        if answers[i] + rng.laplace(0, 4 / epsilon) >= bar:
            return i
    return -1
""",
    ),
    "rounds until nothing is left": written(
        """def program(answers, threshold, epsilon, c, rng):
    part, said, rest = epsilon / c, [], list(answers)
    for _ in range(c):
        rho = rng.laplace(0, 2 / part)
        while rest:
            hit = bool(rest.pop(0) + rng.laplace(0, 4 / part) >= threshold + rho)
            said.append(hit)
            if hit:
                break
    return said
""",
        c=3,
    ),
}

# Programs against the reader of programs, and against how far it is looked (wrong only beyond a thousand queries),
# which nobody writes who means an SVT: none may be called private.
SLY = {
    "a length in disguise", "a length of equal truths", "arrays, quiet by a sum", "arrays, quiet from 2,000 on",
    "tells objects from floats", "tells by isinstance", "tells by text", "tells by bytes", "a pool by map",
    "a pool by zip", "a pool by a slice", "true, but not True", "absorbed", "overflow", "clipped twice",
    "a counter on a function", "a counter in a default", "a counter in a dict", "one run in a billion",
    "a counter in a closure", "a counter in a comprehension", "a counter in a generator", "what was said ends so",
    "what was said is long", "the same object", "an array that counts", "a type that runs over", "absorbed in small",
    "a truth turned by ~", "quiet after 5,000", "scale from 1,000 on", "scale by thousands", "a list of scales",
    "two halves of the list",
}  # fmt: skip
# Of the others, those on which the judge does not decide; the page *What was attacked* says why.
UNDECIDED = {
    "a clock for a seed", "rounded noise", "far above is free", "how far from the threshold, half the noise",
    "a draw for two neighbours", "a positive just above is not counted", "within a band",
    "no threshold noise where a sign is up", "a coin's sign", "sorted answers",
    "negatives for ever", "n times the noise", "the first without noise", "the largest so far",
    "no answer below a floor", "how far from the threshold", "half of what is above",
    "no more than five above", "signs in a text", "state between calls", "a default that changes", "a pool outside",
    "a seed from data",
}  # fmt: skip

# Scales of the two noises, each in every style of writing a loop.

Scale = Callable[[float, int], float]


def as_a_loop(rho_scale: Scale, nu_scale: Scale, stop: bool) -> Any:
    """A list and a counter."""

    def program(answers, threshold, epsilon, c, rng):
        rho, said, count = rng.laplace(0, rho_scale(epsilon, c)), [], 0
        for answer in answers:
            positive = answer + rng.laplace(0, nu_scale(epsilon, c)) >= threshold + rho
            said.append(bool(positive))
            count += positive
            if stop and count >= c:
                break
        return said

    return program


def as_arrays(rho_scale: Scale, nu_scale: Scale, stop: bool) -> Any:
    """Everything at once, cut off afterwards."""

    def program(c, eps, q, T):
        rng = np.random.default_rng()
        above = q + rng.laplace(0.0, nu_scale(eps, c), q.shape) >= T + rng.laplace(scale=rho_scale(eps, c))
        end = np.flatnonzero(above)[c - 1] + 1 if stop and above.sum() >= c else len(q)
        return above[:end]

    return program


def as_a_generator(rho_scale: Scale, nu_scale: Scale, stop: bool) -> Any:
    """Yields; the threshold's noise inside the location of the draw."""

    def program(values, t, epsilon, c, rng):
        bar, left = rng.laplace(t, rho_scale(epsilon, c)), c
        for value in values:
            positive = rng.laplace(value, nu_scale(epsilon, c)) > bar
            yield "⊤" if positive else "⊥"
            left -= positive
            if stop and not left:
                return

    return program


def from_exponentials(rho_scale: Scale, nu_scale: Scale, stop: bool) -> Any:
    """Laplace noise as the difference of two exponential draws; ⊥ for ever after the cut-off."""

    def program(answers, threshold, epsilon, c, rng):
        def laplace(scale):
            return scale * (rng.standard_exponential() - rng.standard_exponential())

        rho, said = rng.exponential(rho_scale(epsilon, c)) - rng.exponential(rho_scale(epsilon, c)), []
        for answer in answers:
            nu = rng.exponential(nu_scale(epsilon, c)) - rng.exponential(nu_scale(epsilon, c))
            open_ = not stop or said.count(True) < c
            said.append(bool(open_ and answer + nu >= threshold + rho))
        return said

    return program


def as_a_while_loop(rho_scale: Scale, nu_scale: Scale, stop: bool) -> Any:
    """A while loop with integers for answers, in numpy's old interface."""

    def program(answers, threshold, epsilon, c):
        laplace = np.random.laplace
        rho, i, count, said = laplace(0, rho_scale(epsilon, c)), 0, 0, []
        while i < len(answers) and not (stop and count == c):
            said.append(int(threshold - answers[i] + rho <= laplace(0, nu_scale(epsilon, c))))
            count, i = count + said[-1], i + 1
        return tuple(said)

    return program


STYLES = (as_a_loop, as_arrays, as_a_generator, from_exponentials, as_a_while_loop)
ENOUGH: dict[str, tuple[Scale, Scale]] = {
    "alg1": (lambda e, c: 2 / e, lambda e, c: 4 * c / e),
    "1 : 3": (lambda e, c: 4 / e, lambda e, c: 8 * c / (3 * e)),
    "1 : (2c)^(2/3)": (
        lambda e, c: (1 + (2 * c) ** (2 / 3)) / e,
        lambda e, c: 2 * c * (1 + (2 * c) ** (-2 / 3)) / e,
    ),
    "more noise than needed": (lambda e, c: 3 / e, lambda e, c: 7 * c / e),
    "even in scale": (lambda e, c: (2 * c + 1) / e, lambda e, c: (2 * c + 1) / e),
}
TOO_LITTLE: dict[str, tuple[Scale, Scale]] = {
    "alg4": (lambda e, c: 4 / e, lambda e, c: 4 / (3 * e)),
    "alg6": (lambda e, c: 2 / e, lambda e, c: 2 / e),
    "no factor c": (lambda e, c: 2 / e, lambda e, c: 4 / e),
    "no factor 2": (lambda e, c: 2 / e, lambda e, c: 2 * c / e),
    "epsilon upside down": (lambda e, c: e / 2, lambda e, c: e / 4),
    "whole budget twice": (lambda e, c: 1 / e, lambda e, c: 2 * c / e),
}
