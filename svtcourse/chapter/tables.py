"""Tables that come with the course: what the papers print, and what took too long to compute in a chapter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from svtlib.files import data_file
from svtlib.validate import choice

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["TABLES", "load_table"]

TABLES = {
    "table3-published": "published/lyu2016_table3_ser.csv",
    "auditors": "published/auditors.csv",
    "table3-10000": "computed/table3_10000.csv",
    "retraversal-10000": "computed/retraversal_10000.csv",
    "checks-100000": "computed/checks_100000.csv",
    "clipping-100000": "computed/clipping_100000.csv",
    "table3-pvalues": "computed/table3_pvalues.csv",
    "curves-1000": "computed/curves_1000.csv",
    "equal-ratios-1000": "computed/equal_ratios_1000.csv",
    "liu-1000": "computed/liu_1000.csv",
    "public-thresholds": "computed/public_thresholds.csv",
    "raises-4000": "computed/raises_4000.csv",
    "readings-1000": "computed/readings_1000.csv",
    "rivals-4000": "computed/rivals_4000.csv",
    "suspects-1000": "computed/suspects_1000.csv",
}
"""What `load_table` knows, and the files below data/; data/README.md says where each number comes from."""


def load_table(name: str) -> DataFrame:
    """Return one of the tables of `TABLES`.

    Parameters
    ----------
    name : str
        A key of `TABLES`. For instance "table3-published": Table 3 of Lyu, Su & Li 2016 as printed; "table3-10000":
        the same cells from 10,000 runs each.

    Returns
    -------
    DataFrame

    Raises
    ------
    ValueError
        If the name is unknown, or the file missing.

    Examples
    --------
    >>> load_table("table3-published").query("dataset == 'AOL' and c == 150 and epsilon == 0.1").ser_mean.max()
    np.float64(0.998)
    """
    import pandas as pd

    with data_file(TABLES[choice("name", name, TABLES)]).open(encoding="utf-8") as lines:
        return pd.read_csv(lines)
