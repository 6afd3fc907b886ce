"""The arrays of a page, which has no numpy, do what numpy's do, or refuse it."""

from __future__ import annotations

import operator

import numpy as np
import pytest

from svtcourse.judge.rows import Row

ONE, OTHER = [3.0, -1.0, 2.0, 5.0], [1.0, -1.0, 4.0, 0.5]
TRUE, FALSE = [True, False, True, False], [True, True, False, False]
OF_TWO = ["add", "sub", "mul", "truediv", "ge", "gt", "le", "lt", "eq", "ne", "iadd", "isub", "imul", "itruediv"]
OF_ITS_OWN = ["tolist", "copy", "sum", "max", "min", "argmax", "cumsum", "nonzero"]


@pytest.mark.parametrize("name", OF_TWO)
@pytest.mark.parametrize("other", [OTHER, 2.0], ids=["row", "number"])
def test_two_arrays_give_what_numpys_give(name, other):
    given = (Row(list(other)), np.array(other)) if isinstance(other, list) else (other, other)
    found = getattr(operator, name)(Row(list(ONE)), given[0])
    assert list(found) == list(getattr(operator, name)(np.array(ONE), given[1]))


def test_numbers_stand_before_arrays_too():
    row, array = Row(list(ONE)), np.array(ONE)
    assert list(2.0 + row) == list(2.0 + array) and list(2.0 - row) == list(2.0 - array)
    assert list(2.0 * row) == list(2.0 * array) and list(-row) == list(-array) and list(abs(row)) == list(abs(array))


@pytest.mark.parametrize("name", OF_ITS_OWN)
def test_an_array_says_of_itself_what_numpys_says(name):
    found, known = getattr(Row(list(ONE)), name)(), getattr(np.array(ONE), name)()
    assert list(np.ravel([list(x) if isinstance(x, Row) else x for x in [found]])) == list(np.ravel([known]))


def test_truths_are_taken_together_as_numpys():
    row, other, array, another = Row(list(TRUE)), Row(list(FALSE)), np.array(TRUE), np.array(FALSE)
    assert list(row & other) == list(array & another) and list(row | other) == list(array | another)
    assert list(~row) == list(~array) and (row.any(), row.all()) == (array.any(), array.all())
    assert list(Row(list(ONE))[row]) == list(np.array(ONE)[array])
    assert list(Row(list(ONE))[[2, 0]]) == list(np.array(ONE)[[2, 0]])
    assert row.shape == array.shape and row.size == array.size == len(row)


@pytest.mark.parametrize(
    "what",
    [
        lambda row: bool(row),
        lambda row: row + Row([1.0]),
        lambda row: (row[:2], row.__setitem__(0, 1.0)),
        lambda row: (row[:2], operator.iadd(row, 1.0)),
    ],
    ids=["its truth", "another length", "a place after a slice", "a change after a slice"],
)
def test_what_numpy_would_do_otherwise_is_refused(what):
    with pytest.raises(TypeError):
        what(Row(list(ONE)))
