"""The ten rules by hand on a million deals: Polars, NumPy, pandas, DuckDB SQL and Spark SQL.

They are written as an engineer who knows the library would write them for one use: on floats,
without nulls and range checks, with the thresholds in the text. Each gives a mask of the failing
rules and a flag for eligible deals. The mask has 16 bits, the fastest of the forms that were tried.
"""

from __future__ import annotations

# Each rule's failing, in SQL.
FAILING = (
    "progress < 50",
    "performance < 80",
    "status <> 'Funded'",
    "days_since_funding < 30",
    "days_since_last_remittance > 10",
    "missed_remittances_30d > 3",
    "deals_defaulted <> 0",
    "average_monthly_takings < 2500",
    "takings_trend < 85 and not (deals_completed >= 2 and balance < 5000)",
    "not identity_verified",
)


def sql(table):
    """Return a query over *table* for DuckDB and Spark."""
    bits = " + ".join(
        f"case when {text} then {1 << bit} else 0 end" for bit, text in enumerate(FAILING)
    )
    return f"select failing, failing = 0 as eligible from (select {bits} as failing from {table})"


def polars_query(frame):
    """Return a lazy query over *frame* of Polars."""
    import polars as pl
    from polars import col

    failing = (
        col("progress") < 50,
        col("performance") < 80,
        col("status") != "Funded",
        col("days_since_funding") < 30,
        col("days_since_last_remittance") > 10,
        col("missed_remittances_30d") > 3,
        col("deals_defaulted") != 0,
        col("average_monthly_takings") < 2500,
        (col("takings_trend") < 85) & ~((col("deals_completed") >= 2) & (col("balance") < 5000)),
        ~col("identity_verified"),
    )

    def bit(place):
        return pl.lit(1 << place if place >= 0 else 0, dtype=pl.Int16)

    mask = bit(-1)
    for place, fails in enumerate(failing):
        mask += pl.when(fails).then(bit(place)).otherwise(bit(-1))
    return frame.lazy().select(failing=mask).with_columns(eligible=col("failing") == 0)


def numpy_masks(facts):
    """Return the mask and the flag of *facts*, arrays by name."""
    import numpy as np

    small = (facts["deals_completed"] >= 2) & (facts["balance"] < 5000)
    failing = (
        facts["progress"] < 50,
        facts["performance"] < 80,
        facts["status"] != 0,
        facts["days_since_funding"] < 30,
        facts["days_since_last_remittance"] > 10,
        facts["missed_remittances_30d"] > 3,
        facts["deals_defaulted"] != 0,
        facts["average_monthly_takings"] < 2500,
        (facts["takings_trend"] < 85) & ~small,
        ~facts["identity_verified"],
    )
    mask = np.zeros(len(small), np.int16)
    for place, fails in enumerate(failing):
        mask += fails * np.int16(1 << place)
    return mask, mask == 0


def pandas_answer(deals):
    """Return *deals* of pandas with the mask and the flag, as an analyst would write it."""
    small = (deals["deals_completed"] >= 2) & (deals["balance"] < 5000)
    failing = (
        deals["progress"] < 50,
        deals["performance"] < 80,
        deals["status"] != "Funded",
        deals["days_since_funding"] < 30,
        deals["days_since_last_remittance"] > 10,
        deals["missed_remittances_30d"] > 3,
        deals["deals_defaulted"] != 0,
        deals["average_monthly_takings"] < 2500,
        (deals["takings_trend"] < 85) & ~small,
        ~deals["identity_verified"],
    )
    mask = sum(fails * (1 << place) for place, fails in enumerate(failing))
    return deals.assign(failing=mask, eligible=mask == 0)
