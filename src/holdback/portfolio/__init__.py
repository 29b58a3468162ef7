"""The renewal rules over a whole portfolio, on whatever dataframe engine the user has.

A frame of pandas, Polars, PyArrow, DuckDB or PySpark goes in, with a column for each fact, and the same kind of
frame comes out. What the rules say of a row is what they say of that deal alone: the answers are worked out
from the same checked rules, on whole numbers.
"""

from holdback.portfolio.assessing import assess, prepare
from holdback.portfolio.changes import Comparison, compare
from holdback.portfolio.checking import check_frame
from holdback.portfolio.masks import OUTCOMES, codes, needed
from holdback.portfolio.quoting import quote
from holdback.portfolio.sampling import sample
from holdback.portfolio.summary import Summary, summarise

__all__ = [
    "OUTCOMES",
    "Comparison",
    "Summary",
    "assess",
    "check_frame",
    "codes",
    "compare",
    "needed",
    "prepare",
    "quote",
    "sample",
    "summarise",
]
