"""The kinds of things that a name of a program may hold, and what is known of the functions that make them."""

from __future__ import annotations

__all__ = [
    "ARRAY",
    "BOARD",
    "CHANGES",
    "COUNT",
    "DRAWS",
    "EACH",
    "EXACT",
    "FIXED",
    "HITS",
    "JOINED",
    "LENGTH",
    "LIST",
    "MADE",
    "MODULE",
    "OF_ALL",
    "OF_A_FEW",
    "OF_VALUES",
    "OPTIONS",
    "OUTPUT",
    "OWN",
    "PAIR_OF_HITS",
    "PLACE",
    "PLACE_NOW",
    "QUEUE",
    "ROWS",
    "RUNNING",
    "SAID",
    "SHOWS",
    "SIZE",
    "TAIL",
    "TRUTHS",
    "VALUE",
]

VALUE, FIXED = "a value", "a few values"
ARRAY, LIST, TAIL = "an array of all", "a list of all", "the rest of the list"
PLACE_NOW, LENGTH = "where one is", "how many there are"
SAID, QUEUE, BOARD = "what was said", "what is left", "places to be set"
HITS, PLACE, COUNT, RUNNING = "the positives' places", "a positive's place", "how many positives", "positives so far"
PAIR_OF_HITS, OUTPUT, MODULE, OWN = "a tuple with the places", "an output", "a module", "a function of its own"
ROWS = ARRAY, LIST
EXACT = VALUE, FIXED, HITS, PLACE, COUNT, RUNNING, PAIR_OF_HITS, OUTPUT

JOINED = {
    frozenset(pair): kind
    for kind, pairs in {
        LIST: [(ARRAY, LIST)],
        PLACE: [(PLACE, LENGTH)],
        OUTPUT: [(OUTPUT, ARRAY), (OUTPUT, LIST), (OUTPUT, SAID), (OUTPUT, FIXED), (OUTPUT, VALUE), (PLACE, VALUE)],
    }.items()
    for pair in pairs
}
SIZE = {
    "random": 0,
    "random_sample": 0,
    "standard_normal": 0,
    "standard_exponential": 0,
    "exponential": 1,
    "choice": 1,
}
DRAWS = {*SIZE, "laplace", "gumbel", "normal", "uniform", "rvs"}
OPTIONS = {"size", "loc", "scale", "low", "high", "dtype", "random_state", "a_min", "a_max"}
EACH = {  # with as many arguments
    **dict.fromkeys(("abs", "absolute", "sign", "sqrt", "log", "log1p", "exp", "expm1", "negative", "logical_not"), 1),
    **dict.fromkeys(("sort", "array", "asarray", "copy", "ravel", "flatten", "zeros_like", "ones_like"), 1),
    **dict.fromkeys(("add", "subtract", "multiply", "divide", "maximum", "minimum", "greater", "greater_equal"), 2),
    **dict.fromkeys(("less", "less_equal", "logical_and", "logical_or", "full_like", "astype"), 2),
    "clip": 3,
    "where": 3,
}
OF_VALUES = {
    *("abs", "absolute", "fabs", "bool", "float", "int", "max", "min", "round", "str", "sqrt", "log", "log1p", "log2"),
    *("exp", "expm1", "cbrt", "power", "ceil", "floor", "sign", "maximum", "minimum", "clip", "where", "float64"),
    *("add", "subtract", "multiply", "divide", "negative", "greater", "greater_equal", "less", "less_equal"),
    *("logical_and", "logical_or", "logical_not", "isinf", "default_rng", "item"),
}
CHANGES = {"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "resize", "fill", "put"}
MADE = {"zeros", "ones", "full"}
OF_A_FEW = {"list", "tuple", "sorted", "array", "asarray", "sort", "tolist"}
OF_ALL = {"sum", "any", "all", "len", "max", "min"}
SHOWS = {"list", "tuple", "array", "asarray"}
TRUTHS = {"greater", "greater_equal", "less", "less_equal", "logical_and", "logical_or", "logical_not"}
