"""The comparisons that share one draw of the threshold noise, and their probability as a function of it.

Everything is there for many integrals at once, a row each: a search has thousands, an exact probability has one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from svtlib.noise import Noise
from svtlib.noise_base import Array, Index

FLOOR = -1e300  # stands for -inf where differences are taken, or where it is multiplied by 0
_CHUNK = 1 << 13  # numbers in one evaluation, so that they stay in the cache
_NONE = np.empty((1, 0))


class Group(NamedTuple):
    """Equal comparisons; where absolute values are not compared only threshold - answer matters, and the answer is 0.

    All numbers are floats, or all fractions, with which everything is exact.
    """

    threshold: Any
    answer: Any
    positive: bool
    times: int


class Epoch(NamedTuple):
    """What one threshold noise decides: comparisons, equal ones counted, and what released numbers tell of it.

    Both noises take whole numbers, or neither, or one is none. Gaps need signed comparisons and noise of the queries.
    """

    rho: Noise  # drawn once; atoms, if any, are integers
    nu: Noise  # drawn for each comparison
    absolute: bool  # positive if abs(answer + nu) >= threshold + rho, else if answer + nu >= threshold + rho
    groups: tuple[Group, ...]
    cap: Any = math.inf  # the largest possible rho, known where a compared number has been released
    offsets: tuple[Any, ...] = ()  # query noises that are rho plus this, known from released gaps


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Rows of comparisons as in `Epoch`, in each of which the first columns are negative and the others positive."""

    nu: Noise
    absolute: bool
    negatives: int  # columns
    threshold: Array  # shape (rows, columns), as the next two
    answer: Array
    count: Array  # where there are several rows one may be 0
    cap: Array  # shape (rows,)
    offset: Array = field(default_factory=lambda: _NONE)  # shape (rows, gaps)
    times: Array = field(default_factory=lambda: _NONE)  # so many query noises equal rho + offset

    @classmethod
    def of(cls, epoch: Epoch) -> Comparisons:
        """One row."""
        ordered, offsets = sorted(epoch.groups, key=lambda group: group.positive), epoch.offsets
        threshold, answer, positive, count = np.array(ordered, dtype=float).reshape(-1, 4).T[:, None]
        negatives = positive.size - int(np.count_nonzero(positive))
        gaps = (np.array([offsets]), np.ones((1, len(offsets)))) if offsets else (_NONE, _NONE)
        return cls(epoch.nu, epoch.absolute, negatives, threshold, answer, count, np.array([epoch.cap]), *gaps)

    @property
    def rows(self) -> int:
        """How many integrals there are."""
        return self.cap.size

    def part(self, rows: slice | Index) -> Comparisons:
        """Some of the rows."""
        columns = {name: getattr(self, name)[rows] for name in ("threshold", "answer", "count", "cap")}
        gaps = {name: getattr(self, name)[rows] for name in ("offset", "times")} if self.offset.size else {}
        return replace(self, **columns, **gaps)

    def alone(self, rho: Noise, row: int) -> Epoch:
        """One row, equal comparisons counted together."""
        counted: dict[tuple[float, float, bool], int] = {}
        columns = zip(*(x[row].tolist() for x in (self.threshold, self.answer, self.count)), strict=True)
        for k, (threshold, answer, count) in enumerate(columns):
            key = threshold, answer, k >= self.negatives
            counted[key] = counted.get(key, 0) + int(count)
        offsets: list[float] = []
        if self.offset.size:
            for offset, times in zip(self.offset[row].tolist(), self.times[row].tolist(), strict=True):
                offsets += [offset] * int(times)
        groups = tuple(sorted(Group(*key, count) for key, count in counted.items() if count))
        return Epoch(rho, self.nu, self.absolute, groups, float(self.cap[row]), tuple(sorted(offsets)))

    def moved(self, shift: Array) -> Comparisons:
        """The same as functions of rho - shift of the row, so that large numbers cancel once and not at every point."""
        moved = object.__new__(Comparisons)  # with what is known of the signs and counts, which stay
        moved.__dict__.update(self.__dict__, threshold=self.threshold + shift[:, None])
        if self.offset.size:
            moved.__dict__["offset"] = self.offset + shift[:, None]
        return moved

    def kinks(self) -> Array:
        """Where the product is not smooth, or where its slope is likely to change, in rho; shape (rows, kinks)."""
        if self.absolute:
            return np.concatenate([-self.threshold, np.abs(self.answer) - self.threshold], axis=1)
        return np.concatenate([-self.threshold, -self.offset], axis=1) if self.offset.size else -self.threshold

    def support(self) -> tuple[Array, Array]:
        """For each row an open interval of rho outside which the product is 0, or rho above the cap."""
        low, high, made, k = np.full(self.rows, -np.inf), self.cap, self.count > 0, self.negatives
        can_fall, can_rise = self.nu.ways
        if self.absolute:
            reach = np.maximum(0.0, np.where(can_fall, 0.0, self.answer[:, :k]))
            reach = np.maximum(reach, np.where(can_rise, 0.0, -self.answer[:, :k]))
            low = np.max(reach - self.threshold[:, :k], axis=1, where=made[:, :k], initial=-np.inf)
        elif not can_fall:
            low = np.max(-self.threshold[:, :k], axis=1, where=made[:, :k], initial=-np.inf)
            if self.offset.size:
                low = np.maximum(low, np.max(-self.offset, axis=1, where=self.times > 0, initial=-np.inf))
        elif not can_rise:
            high = np.minimum(high, np.min(-self.threshold[:, k:], axis=1, where=made[:, k:], initial=np.inf))
            if self.offset.size:
                high = np.minimum(high, np.min(-self.offset, axis=1, where=self.times > 0, initial=np.inf))
        return low, high

    @cached_property
    def dents(self) -> Array | None:
        """Where in rho the logarithm of the product is not concave, NaN for nowhere; None if that is not known."""
        if not self.nu.log_concave:
            return None
        if not self.absolute or self.negatives == self.count.shape[1]:
            return np.empty((self.rows, 0))
        k = self.negatives
        places = self.nu.dents(self.answer[:, k:])
        return None if places is None else np.where(self.count[:, k:] > 0, places - self.threshold[:, k:], np.nan)

    def _of_row(self, values: Array, row: Index | None) -> Array:
        """Columns, for points of these rows."""
        return values.T if row is None or len(values) == 1 else np.take(values.T, row, axis=1)

    def _weighed(self, count: Array, logs: Array, row: Index | None) -> Array:
        """The sum of logarithms, each so often."""
        if row is None or len(count) == 1:
            return np.asarray(count[0] @ logs)
        if self._once:
            return np.asarray(logs.sum(axis=0))
        return np.asarray((self._of_row(count, row) * np.maximum(logs, FLOOR)).sum(axis=0))

    @cached_property
    def _once(self) -> bool:
        return bool((self.count == 1).all())

    @cached_property
    def _sign(self) -> Array | None:
        """Pr[nu >= x] = Pr[nu <= -x] for symmetric noise: one call for both signs; None where that is not used."""
        if self.absolute or not self.nu.symmetric or self.nu.discrete:
            return None
        return np.where(np.arange(self.count.shape[1]) < self.negatives, 1.0, -1.0)[:, None]

    def _answered(self, z: Array, row: Index | None, positive: bool) -> Array:
        part = slice(self.negatives, None) if positive else slice(self.negatives)
        count = self.count[:, part]
        if not count.size:
            return np.zeros(z.size)
        threshold, nu = self._of_row(self.threshold[:, part], row), self.nu
        if self.absolute:
            answer = self._of_row(self.answer[:, part], row)
            logs = (nu.log_outside if positive else nu.log_inside)(z, threshold, answer)
        else:
            logs = (nu.log_at_least if positive else nu.log_less)(threshold + z)
        return self._weighed(count, logs, row)

    def sides(self, z: Array) -> tuple[Array, Array]:
        """Log of the products of one row: of the negative answers, which rises with rho, and of the positive ones."""
        negative, positive = (partial(self._answered, positive=positive) for positive in (False, True))
        return self.chunked(negative, z, None), self.chunked(positive, z, None)

    def total(self, z: Array, row: Index | None = None) -> Array:
        """Log of the product at each rho in `z`, each of its row, or all of the only one."""
        return self.chunked(self._total, z, row)

    def chunked(self, part: Any, z: Array, row: Index | None) -> Array:
        """A function of points and their rows, evaluated for so many at once that they stay in the cache."""
        step = max(1, _CHUNK // max(1, self.count.shape[1]))
        if z.size <= step:
            return np.asarray(part(z, row))
        starts = range(0, z.size, step)
        return np.concatenate([part(z[i : i + step], None if row is None else row[i : i + step]) for i in starts])

    def _total(self, z: Array, row: Index | None) -> Array:
        if self._sign is None:
            total = self._answered(z, row, False) + self._answered(z, row, True)
        else:
            x = self._sign * (self._of_row(self.threshold, row) + z)
            total = self._weighed(self.count, self.nu.logcdf(x), row)
        if self.offset.size:
            logs = np.maximum(self.nu.logpdf(self._of_row(self.offset, row) + z), FLOOR)
            total = total + (self._of_row(self.times, row) * logs).sum(axis=0)
        return total

    def fixed_between(self, left: Array, right: Array) -> tuple[Array, Array]:
        """Bounds of the density of the query noises that gaps tie to rho, on each interval, of one row.

        Every density rises up to 0 and falls from there.
        """
        a, b = self.offset.T + left, self.offset.T + right
        least, most = np.minimum(self.nu.log_atom(a), self.nu.log_atom(b)), self.nu.log_atom(np.clip(0.0, a, b))
        return np.asarray(least.sum(axis=0)), np.asarray(most.sum(axis=0))
