"""Answers, a threshold and noise as unknowns: with them a program shows which comparison decides which answer.

A run of the program on unknowns forks at every comparison; all runs together are its decision tree, exactly.
Plain Python that MicroPython runs too: the same file reads a program here and on the pages of the site.
"""

from __future__ import annotations

from svtcourse.judge.unknowns.ratio import Ratio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    # ("a", i) the answer to query i, ("T",) the threshold, ("z", k) the k-th draw, ("|", form)
    Variable = tuple[Any, ...]
    Law = tuple[str, Ratio]  # family and scale of one draw
    Key = tuple[tuple[tuple[Variable, Ratio], ...], Ratio]

__all__ = [
    "Fork",
    "Form",
    "Path",
    "Refused",
    "Signed",
    "TooMany",
    "Unreadable",
    "drawn_in",
    "form_of",
]

_ONE, _ZERO = Ratio(1), Ratio(0)
_UNIFORM = (_ONE, _ZERO), (Ratio(-1), _ONE)  # u and 1 - u, as factor and constant
_TWICE = "It uses a draw again of which it made another"
_ROUNDED = "Nothing is left of an unknown number there but how it was rounded"
_MOST_APART = 2.0**30  # how far the numbers of a form, and 1, may be apart in size
_MOST_MOVED = 2.0**20  # how far an answer itself may be moved, in what one person changes
_LONGEST = 1 << 6000  # of whole numbers that a factor is made of
_MOST_ADDED = 40  # draws of noise in one number
_WIDEST = 1e150  # beyond which what is calculated with a draw may run over
_MOST_COMPARED, _MOST_DRAWN, MOST_PATHS, _MOST_SUMS = 20_000, 20_000, 3_000, 1_000_000


def _size(top: int, bottom: int) -> float:
    """A quotient, in whole numbers where a float would run over."""
    return top / bottom if top < bottom << 1000 else top // bottom


class Unreadable(BaseException):
    """The program does with an unknown what only a number allows; the message says what.

    No `Exception`, so that a program's own `except Exception` does not hide it.
    """


class TooMany(Unreadable):
    """The runs are too many to be looked at; those on fewer answers may not be."""


class Refused(ValueError):
    """What the program asks for is no draw: a negative scale, or a size beyond reason."""


class Form:
    """A linear expression in unknowns, with exact coefficients; comparing two of them asks the run's `Fork`.

    `made` tells in which order it was calculated, and so how it is rounded: the number of `Fork.way`.
    """

    __slots__ = ("constant", "fork", "made", "terms")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, terms: dict[Variable, Ratio], constant: Ratio, fork: Fork, made: int) -> None:
        self.terms, self.constant, self.fork, self.made = terms, constant, fork, made
        large = 1.0 if abs(constant.top) <= constant.bottom else _size(abs(constant.top), constant.bottom)
        small, draws = 1.0, 0
        for v, f in terms.items():
            size = abs(f.top) if f.bottom == 1 else _size(abs(f.top), f.bottom)
            if f.bottom > _LONGEST:
                raise fork.far()
            if v[0] == "z":  # wide noise hides what it rounds
                draws += 1
                scale = fork.laws[v[1]][1]
                size = _size(abs(f.top) * scale.top, f.bottom * scale.bottom)
                if size > _WIDEST:
                    raise fork.far()
            else:
                large = max(large, size)
            small = min(small, size)
        if draws > _MOST_ADDED + 2 * len(fork.order):  # what drifts has more with each comparison
            raise fork.stop(f"It adds more than {_MOST_ADDED} draws of noise")
        if large > small * _MOST_APART * fork.unit or (constant and abs(constant.top) * _MOST_APART < constant.bottom):
            raise fork.far()

    def key(self, negative: bool = False) -> Key:
        """The same expression, or its negative, as a value that can be compared and kept."""
        if negative:
            return tuple([(v, -self.terms[v]) for v in sorted(self.terms)]), -self.constant
        return tuple([(v, self.terms[v]) for v in sorted(self.terms)]), self.constant

    @property
    def noisy(self) -> bool:
        """Whether a draw is part of it."""
        return any(v[0] == "z" or (v[0] == "|" and "('z'" in repr(v)) for v in self.terms)

    def _wide(self, v: Variable, factor: Ratio) -> bool:
        """Whether a term may be so large that what it was added to is rounded away when it is taken off again."""
        scale = self.fork.laws[v[1]][1] if v[0] == "z" else _ONE
        return v[0] != "z" or abs(factor.top) * scale.top > _MOST_APART * self.fork.unit * factor.bottom * scale.bottom

    def _plus(self, other: Any, times: int, kept: bool = True) -> Any:
        self.fork.count()
        if isinstance(other, Form):
            terms = dict(self.terms)
            for variable, factor in other.terms.items():
                more = factor if times > 0 else -factor
                total = terms[variable] + more if variable in terms else more
                gone = variable in terms and (terms[variable].top > 0) is not (more.top > 0)
                if gone and self._wide(variable, more):
                    raise self.fork.stop("It takes an unknown off again, or from two sides, between which floats round")
                if total and abs(more.top) * total.bottom > abs(total.top) * more.bottom << 30:
                    raise self.fork.far()
                if total:
                    terms[variable] = total
                else:
                    del terms[variable]
            constant = self.constant + other.constant if times > 0 else self.constant - other.constant
            if not terms:
                raise self.fork.stop(_ROUNDED)
            return Form(terms, constant, self.fork, self._with(other, times))
        number = exact(other)
        if number is None:
            return NotImplemented
        constant = self.constant + number if times > 0 else self.constant - number
        if kept and not self.noisy and any([v[0] == "a" for v in self.terms]):  # rounded, neighbours may be farther
            most = max(abs(self.constant), abs(number))
            if abs(constant) < most or most > _MOST_MOVED * self.fork.unit:
                raise self.fork.far()
        return Form(self.terms, constant, self.fork, self._with(other, times))

    def _with(self, other: Any, times: int) -> int:
        """How their sum, or their difference, is made; a sum has no order."""
        one, two = self.made, self.fork.way_of(other)
        return self.fork.way("-", one, two) if times < 0 else self.fork.way("+", min(one, two), max(one, two))

    def rounded(self) -> Form:
        """The same, rounded in a way of its own."""
        self.made = self.fork.way(("own", len(self.fork.steps)), self.made)
        return self

    def _times(self, number: Ratio) -> Any:
        if not number:
            raise self.fork.stop(_ROUNDED)
        terms = {variable: factor * number for variable, factor in self.terms.items()}
        made = self.fork.way(("*", number.top, number.bottom), self.made)
        return Form(terms, self.constant * number, self.fork, made)

    def __add__(self, other: Any) -> Any:
        return self._plus(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, Form) and other.made == self.made and other.key() == self.key():
            return 0.0  # the same float
        return self._plus(other, -1)

    def __rsub__(self, other: Any) -> Any:
        return (-self)._plus(other, 1)

    def __neg__(self) -> Any:
        terms = {variable: -factor for variable, factor in self.terms.items()}
        return Form(terms, -self.constant, self.fork, self.fork.way("neg", self.made))

    def __pos__(self) -> Any:
        return self

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Signed):
            return NotImplemented
        if isinstance(other, Form):
            raise Unreadable("It multiplies two numbers that it does not know")
        number = exact(other)
        return NotImplemented if number is None else self._times(number)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Form):
            raise Unreadable("It divides by a number that it does not know")
        number = exact(other)
        return NotImplemented if number is None else self._times(1 / number)

    def __abs__(self) -> Any:
        if not self.noisy:
            return self if self >= 0 else -self
        folded = self.fork.folded(self)
        if folded is not None:
            return folded
        key = min(self.key(), (-self).key(), key=repr)
        return Form({("|", key): Ratio(1)}, Ratio(0), self.fork, self.fork.way("abs", self.made))

    def _against(self, other: Any) -> Any:
        if other is self:
            raise self.fork.stop("It compares a number with itself, which tells whether it is one")
        if not isinstance(other, Form) and exact(other) is None:
            return NotImplemented
        difference = self._plus(other, -1, kept=False)  # a comparison rounds nothing
        difference.made = min(difference.made, self.fork.way("-", self.fork.way_of(other), self.made))
        return difference

    def __ge__(self, other: Any) -> Any:
        difference = self._against(other)
        return difference if difference is NotImplemented else self.fork.asked(difference, False)

    def __gt__(self, other: Any) -> Any:
        difference = self._against(other)
        return difference if difference is NotImplemented else self.fork.asked(difference, True)

    def __lt__(self, other: Any) -> Any:
        difference = self._against(other)
        return difference if difference is NotImplemented else not self.fork.asked(difference, False)

    def __le__(self, other: Any) -> Any:
        difference = self._against(other)
        return difference if difference is NotImplemented else not self.fork.asked(difference, True)

    def __eq__(self, other: Any) -> Any:
        difference = self._against(other)
        if difference is NotImplemented:
            return difference
        if difference.noisy:
            raise self.fork.stop("It asks whether a number with noise is another one, which only rounding makes true")
        return self.fork.asked(difference, False) and not self.fork.asked(difference, True)

    def __ne__(self, other: Any) -> Any:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def _refused(self, *_: Any) -> Any:
        raise self.fork.stop("It makes a plain number, a truth or a text of an unknown")

    __bool__ = __str__ = __repr__ = _refused


class Signed:
    """What a Laplace draw is made of, times a number.

    The sign of a uniform draw u around 0 and log(1 - 2 |u|), whose product it is.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, kind: str, of: Variable, factor: Ratio, fork: Fork) -> None:
        self.kind, self.of, self.factor, self.fork = kind, of, factor, fork

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Signed) and {self.kind, other.kind} == {"sign", "log"} and self.of == other.of:
            return self.fork.inverted(self.of, self.factor * other.factor)
        number = exact(other)
        if number is None:
            raise self.fork.stop("It makes its noise in a way that is not read")
        return Signed(self.kind, self.of, self.factor * number, self.fork)

    __rmul__ = __mul__

    def __neg__(self) -> Any:
        return self * -1

    def __truediv__(self, other: Any) -> Any:
        number = exact(other)
        return NotImplemented if number is None else self * (1 / number)

    def _refused(self, *_: Any) -> Any:
        raise self.fork.stop("It makes its noise in a way that is not read")

    __add__ = __radd__ = __sub__ = __rsub__ = __ge__ = __gt__ = __le__ = __lt__ = __bool__ = _refused
    __eq__ = __ne__ = __abs__ = __str__ = __repr__ = _refused


def exact(number: Any) -> Ratio | None:
    """A plain number as a fraction, None if it is none; infinities and NaN cannot be read."""
    if not isinstance(number, (int, float, Ratio)):
        return None
    try:
        value = Ratio.of(number)
    except (OverflowError, ValueError) as error:
        raise Unreadable(f"It calculates with {number!r}") from error
    return value


def form_of(key: Key, fork: Fork) -> Form:
    """The expression of a key."""
    return Form(dict(key[0]), key[1], fork, fork.way(key))


def drawn_in(key: Key) -> list[Variable]:
    """The draws of an expression, those inside absolute values too."""
    return [draw for v, _ in key[0] for draw in (drawn_in(v[1]) if v[0] == "|" else [v] if v[0] == "z" else [])]


class Fork:
    """One run: the comparisons asked so far with their answers, and what the next ones shall be.

    Parameters
    ----------
    plan : list of bool
        The answers to the first comparisons that the run asks; later ones are answered by `choose`.
    choose : callable (key) -> bool
    """

    def __init__(self, plan: Iterable[bool] = (), choose: Callable[[Key], bool] = lambda _: False) -> None:
        self.plan, self.choose = list(plan), choose
        self.asked_for: dict[tuple[Key, bool], tuple[bool, tuple[int, bool]]] = {}  # answers, and how it was asked
        self.ways: dict[Any, int] = {}  # in which numbers were calculated: what was done with those of which numbers
        self.steps: list[tuple[Any, tuple[int, ...]]] = []  # the same, by number
        self.order: list[tuple[Key, bool, bool]] = []  # the same with their answers, in order
        self.laws: list[Law] = []
        self.reason: str | None = None
        self.running = True  # what is asked of its output is none of its own questions
        self.sums = self.met = 0
        self.drawn: set[Variable] = set()  # in the first `met` comparisons
        self.unit = 1.0  # what one person changes, if it is less
        self.inverse: dict[Variable, tuple[Any, Form]] = {}  # draws of which others were made, and how
        self.copies: list[tuple[Any, Any, int]] = []  # a copy, of which list, and how much had grown then
        self.grown: list[tuple[int, Any]] = []  # which list was lengthened by one, after how many comparisons
        self.kept: list[int] = []  # the same of the list that is returned
        self.limits: list[tuple[float, float]] = []  # to which answers were clipped
        self.line = 0  # of the source, where that is told
        self.lines: tuple[list[int], list[int]] = [], []  # where each comparison was asked, and each draw made

    def way(self, what: Any, *of: int) -> int:
        """The number of a way to calculate: what is done, with what was calculated in which ways."""
        found = self.ways.get((what, of))
        if found is None:
            found = self.ways[what, of] = len(self.steps)
            self.steps.append((what, of))
        return found

    def way_of(self, x: Any) -> int:
        """The same of an unknown, or of a number."""
        if isinstance(x, Form):
            return x.made
        number = Ratio.of(x)
        return self.way(("number", number.top, number.bottom))

    def count(self) -> None:
        """One sum more."""
        self.sums += 1
        if self.sums > _MOST_SUMS:
            raise self.stop(f"It adds more than {_MOST_SUMS:,} times")

    def around_zero(self, form: Form) -> Variable | None:
        """The uniform draw that a form is, if it lies between -1/2 and 1/2."""
        variables = list(form.terms)
        if len(variables) != 1 or variables[0][0] != "z" or form.terms[variables[0]] != 1:
            return None
        uniform = self.laws[variables[0][1]] == ("uniform", Ratio(1)) and form.constant == Ratio(-1, 2)
        return variables[0] if uniform else None

    def _made_of(self, draw: Variable, how: Any, family: str, scale: Ratio) -> Form:
        """The draw of another law that is made of one, in one way only, and of one that was not compared."""
        if draw not in self.inverse:
            if self._compared(draw):
                raise self.stop(_TWICE)
            self.laws.append((family, scale))
            self.lines[1].append(self.line)
            self.inverse[draw] = how, self.variable(("z", len(self.laws) - 1))
        before, form = self.inverse[draw]
        if before != how:
            raise self.stop(_TWICE)
        return form

    def _compared(self, draw: Variable) -> bool:
        for key, _, _ in self.order[self.met :]:
            self.drawn.update(drawn_in(key))
        self.met = len(self.order)
        return draw in self.drawn

    def inverted(self, draw: Variable, factor: Ratio) -> Any:
        """The Laplace draw factor * sign(u) * log(1 - 2 |u|) of a uniform draw u."""
        return (self._made_of(draw, "inverse", "laplace", Ratio(1)) * -factor).rounded()

    def folded(self, form: Form) -> Any:
        """The exponential draw that the size of a Laplace draw is, None if the form is no draw that is new."""
        if len(form.terms) != 1 or form.constant:
            return None
        ((draw, factor),) = form.terms.items()
        if draw[0] != "z" or self.laws[draw[1]][0] != "laplace":
            return None
        if draw not in self.inverse and self._compared(draw):
            return None
        return self._made_of(draw, ("size", form.made), "exponential", self.laws[draw[1]][1]) * abs(factor)

    def part_of_a_draw(self, name: str, x: Form) -> Any:
        """The sign or the logarithm of what is made of a uniform draw: a draw by its inverse, or a part of one."""
        ((v, f),) = x.terms.items() if len(x.terms) == 1 else ((("",), Ratio(0)),)
        if name == "log" and v[0] == "z" and self.laws[v[1]] == ("uniform", Ratio(1)) and (f, x.constant) in _UNIFORM:
            return -self._made_of(v, x.made, "exponential", Ratio(1))  # the logarithm of u, or of 1 - u
        draw = self.around_zero(x) if name == "sign" else None
        if name == "log" and len(x.terms) == 1 and x.constant == 1:
            ((inner, factor),) = x.terms.items()
            if inner[0] == "|" and factor == -2:
                inside = form_of(inner[1], self)
                draw = self.around_zero(inside) or self.around_zero(-inside)
        if draw is None:
            what = "sign" if name == "sign" else "logarithm"
            raise self.stop(f"It takes the {what} of a number that it does not know")
        return Signed(name, draw, Ratio(1), self)

    def far(self) -> Unreadable:
        """What is said of numbers that floats do not hold together."""
        return self.stop("It calculates with numbers of which floats keep no exact sum, so that rounding would count")

    def stop(self, reason: str) -> Unreadable:
        """Say why the run cannot be read; a bare `except` in the program does not forget it."""
        self.reason = self.reason or reason
        return Unreadable(self.reason)

    def variable(self, name: Variable) -> Form:
        """An unknown."""
        return Form({name: _ONE}, _ZERO, self, self.way(name))

    def draw(self, family: str, scale: Any) -> Any:
        """A new draw, without its location; 0 where its scale is."""
        if isinstance(scale, (Form, Signed)):
            raise self.stop("The scale of its noise depends on the answers, which may give them away")
        number = exact(scale)
        if number is None:
            raise self.stop("The scale of its noise is no number that is known")
        if number < 0:
            raise Refused(f"scale must be a number of at least 0, got {scale!r}")
        if not number:
            return 0.0
        if len(self.laws) >= _MOST_DRAWN:
            raise self.stop(f"It draws more than {_MOST_DRAWN:,} numbers in one run")
        self.laws.append((family, number))
        self.lines[1].append(self.line)
        return self.variable(("z", len(self.laws) - 1))

    def asked(self, difference: Form, strict: bool) -> bool:
        """Whether `difference` is at least 0 (or, if strict, above 0): known, asked before, or a new fork."""
        if self.inverse and any(draw in self.inverse for draw in drawn_in(difference.key())):
            raise self.stop(_TWICE)
        if all(v[0] == "|" and f > 0 for v, f in difference.terms.items()) and difference.constant > 0:
            return True
        factor = difference.terms[min(difference.terms)]
        flipped = factor.top < 0
        form = difference if abs(factor) == 1 else difference._times(1 / abs(factor))
        strict = strict is not flipped
        how = difference.made, strict
        strict = strict and not form.noisy
        question = form.key(flipped), strict
        if question not in self.asked_for:
            self.asked_for[question] = self.decided(question[0], strict), how
        above, before = self.asked_for[question]
        if before != how and self.running:
            raise self.stop("It asks the same in two ways, which only rounding tells apart")
        return above is not flipped

    def decided(self, key: Key, strict: bool) -> bool:
        """A comparison that was not asked before: as the plan has it, or as `choose` says."""
        k = len(self.order)
        if k >= _MOST_COMPARED:
            raise self.stop(f"It compares more than {_MOST_COMPARED:,} times")
        above = self.plan[k] if k < len(self.plan) else self.choose(key)
        self.order.append((key, strict, above))
        self.lines[0].append(self.line)
        return above


class Path:
    """A run that has ended.

    Attributes
    ----------
    literals : tuple of (key, bool, bool)
        The comparisons that it asked, in order, each with whether ties count as below and with its answer.
    output : object
        What it gave, as a value that can be compared.
    laws : list of (family, scale)
        Its draws, in order.
    lines : pair of list
        The lines of the source where it compared, and where it drew, as far as they were told.
    kept : list of int
        After how many comparisons each answer was put into the list that it returned.
    read : list or None
        What its comparisons are, once somebody has asked (`tree.read_of`).
    """

    def __init__(self, fork: Fork, output: Any) -> None:
        self.literals, self.output, self.laws, self.lines = tuple(fork.order), output, fork.laws, fork.lines
        self.read: list[Any] | None = None
        self.kept = fork.kept
        shown = repr(output) if fork.inverse else ""
        if "form" in shown and any(repr(draw) in shown for draw in fork.inverse):
            raise fork.stop(_TWICE)
