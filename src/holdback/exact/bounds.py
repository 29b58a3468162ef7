"""The bounds of amounts, rates, splits and terms: one table, from a setting to a stored deal.

What can be configured can be offered, and what is offered can be stored, read back and replayed
(decisions/bounds#from-a-setting-to-a-replayed-record). Each number is used by what reads settings,
by what checks the results of calculators, and by the ranges of the facts that follow from a deal.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from holdback.exact.money import Currency

# The largest amount in a setting, of an offer and of a deal, in minor units: a million million.
# Facts of money have the same range, narrow enough that no ordinary sum of them passes 2**62, the
# bound of the rule language.
_MOST_MONEY: Final = 10**12
# In 2026 a dollar was more than a million minor units of these currencies, and a million million
# less than a million dollars. Their range is wider; a ratio that multiplies money in a rule then
# has fewer decimals before it passes 2**62.
_SMALL_UNITS: Final = frozenset({"IDR", "IQD", "IRR", "LAK", "LBP", "SYP", "UZS"})
_MOST_OF_SMALL_UNITS: Final = 10**15

# Below this bound the sum of all entries of a deal has fewer than the 28 digits that stay exact. A
# remittance may be more than the deal: the merchant overpaid.
TOO_MUCH: Final = 10**18  # minor units

# A factor rate, a discount of one, and a multiple of takings. The least factor rate is 1.
MOST_RATIO: Final = Decimal(100)
# A split percentage is above 0.
MOST_SPLIT: Final = Decimal(100)

# A term is at least a day and at most a hundred years, of 365 days as everywhere in holdback.
MOST_TERM_MONTHS: Final = 1_200
MOST_TERM_DAYS: Final = 36_500

# The offers of a product for one request: shares of the maximum, times split percentages. Also the
# entries of a list in a setting.
MOST_OFFERS: Final = 100


def most_money(currency: Currency) -> int:
    """
    Return the largest amount of *currency* in a setting, an offer or a deal, in minor units.

    >>> most_money(Currency.of("GBP")), most_money(Currency.of("LBP"))
    (1000000000000, 1000000000000000)
    """
    return _MOST_OF_SMALL_UNITS if currency.code in _SMALL_UNITS else _MOST_MONEY
