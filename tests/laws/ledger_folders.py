"""Small jurisdictions in three currencies, for histories of deals to be tried in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product

from journey import remembering_engine
from small_folders import loaded

SINCE = "2025-01-01"
# The largest amount of the product, in minor units: small, so that amounts often meet.
MOST = 40_000
ZONES = {"GBP": "Europe/London", "JPY": "Pacific/Kiritimati", "KWD": "America/St_Johns"}
DIGITS = {"GBP": 2, "JPY": 0, "KWD": 3}


@dataclass(frozen=True)
class World:
    """What differs between the jurisdictions."""

    currency: str
    late: str
    cooling_off_days: int
    settlement_percent: int

    def money(self, minor):
        """An amount as a file states it."""
        digits = DIGITS[self.currency]
        return f"{self.currency} {minor // 10**digits}" + (
            f".{minor % 10**digits:0{digits}}" if digits else ""
        )


WORLDS = tuple(
    World(currency, late, days, percent)
    for currency, late, (days, percent) in product(
        ZONES, ("transfer", "refund"), ((14, 50), (3, 0), (14, 33))
    )
)


def files(world):
    """Return the files of the jurisdiction of a *world*."""
    settlement = (
        f'settlement = {{ calculator = "percentage", percentage = "{world.settlement_percent}%" }}'
        if world.settlement_percent
        else ""
    )
    return {
        "jurisdiction.toml": f"""\
format = 1
code = "NL"
name = "A land"
currency = "{world.currency}"
rounding = "half_even"
timezone = "{ZONES[world.currency]}"
owner = "risk-nl"
review_by = 2030-06-30
automated_decisioning = true
late_remittances = "{world.late}"
offers_valid_hours = {_always(72)}
recently_active_days = {_always(400)}
acceptance_days = {_always(3_660)}
cooling_off_days = {_always(world.cooling_off_days)}
""",
        "renewal.toml": f"""\
format = 1

[[rules]]
id = "alive"
code = "NL-R-01"
require = 'status == "Funded" or progress >= 50%'
reason = "No."
source = "policy"
from = {SINCE}
""",
        "products.toml": f"""\
format = 1

[[products]]
key = "only"
name = "A product"
description = "Repaid from takings."
repayment_mechanism = "terminal_split"
from = {SINCE}
amounts = ["50%", "100%"]
limits = {{ calculator = "fixed", minimum = "{world.money(MOST // 4)}", \
maximum = "{world.money(MOST)}" }}
split_percentage = {{ calculator = "chosen", choices = ["10%"] }}
factor_rate = {{ calculator = "flat", rate = "1.237" }}
term = {{ calculator = "fixed", months = 6 }}
{settlement}
rules = []

[[products.fees]]
key = "returned"
after = "reversal"
amount = "{world.money(300)}"
at_most = "{world.money(1_000)}"
at_most_share = "1%"
source = "policy"

[[products.fees]]
key = "late"
after = "default"
amount = "{world.money(500)}"
at_most = "{world.money(1_000)}"
source = "policy"

[[products.fees]]
key = "interest"
after = "default"
yearly_rate = "12%"
at_most_share = "10%"
source = "policy"
""",
    }


def _always(value):
    return f'[{{ from = {SINCE}, value = {value}, source = "policy" }}]'


@cache
def engine_of(world):
    """The engine of a *world*, which forgets nothing that a history can ask for."""
    return remembering_engine(loaded(NL=files(world)), memory_days=36_500, retry_days=36_500)
