"""The ten rules as an OpenFisca country: a variable for each fact, each rule, and the mask.

A rule is a formula over NumPy arrays, as in OpenFisca's documentation. Numbers with decimals are
OpenFisca's floats of 32 bits. A fact that is not given has its default, 0; no deal here lacks one.
"""

from __future__ import annotations

import numpy as np
from openfisca_core.entities import build_entity
from openfisca_core.periods import MONTH
from openfisca_core.simulations import SimulationBuilder
from openfisca_core.taxbenefitsystems import TaxBenefitSystem
from openfisca_core.variables import Variable

PERIOD = "2026-01"
DEAL = build_entity("deal", "deals", "A deal.", is_person=True)

FAILING = (
    lambda deal, month: deal("progress", month) < 50,
    lambda deal, month: deal("performance", month) < 80,
    lambda deal, month: deal("status", month) != 0,
    lambda deal, month: deal("days_since_funding", month) < 30,
    lambda deal, month: deal("days_since_last_remittance", month) > 10,
    lambda deal, month: deal("missed_remittances_30d", month) > 3,
    lambda deal, month: deal("deals_defaulted", month) != 0,
    lambda deal, month: deal("average_monthly_takings", month) < 2500,
    lambda deal, month: (
        (deal("takings_trend", month) < 85)
        * ~((deal("deals_completed", month) >= 2) * (deal("balance", month) < 5000))
    ),
    lambda deal, month: ~deal("identity_verified", month),
)
RULES = tuple(f"rule_{place}_fails" for place in range(len(FAILING)))
ANSWERS = ("failing", "eligible")
TYPES = {"f": float, "i": int, "b": bool}


def mask(deal, month):
    """Return the failing rules, one bit each."""
    total = np.zeros(deal.count, np.int32)
    for place, name in enumerate(RULES):
        total += deal(name, month) * np.int32(1 << place)
    return total


def variable(name, type_, formula=None):
    """Return a variable of a deal, by month."""
    body = {"value_type": type_, "entity": DEAL, "definition_period": MONTH, "label": name}
    if formula is not None:
        body["formula"] = formula
    return type(name, (Variable,), body)


def country(facts):
    """Return a country with the *facts*, arrays by name, as its variables, and the ten rules."""
    system = TaxBenefitSystem([DEAL])
    for name, values in facts.items():
        system.add_variable(variable(name, TYPES[values.dtype.kind]))
    for name, fails in zip(RULES, FAILING, strict=True):
        system.add_variable(variable(name, bool, fails))
    system.add_variable(variable("failing", int, mask))
    system.add_variable(variable("eligible", bool, lambda deal, month: deal("failing", month) == 0))
    return system


def calculation(facts, *, set_inputs_again=True):
    """
    Return a call that sets *facts* as inputs and calculates the mask and the flag.

    Earlier results are deleted first, because OpenFisca would only look them up. Setting an input
    converts it to 32 bits; where inputs are not set again, only calculating is timed.
    """
    simulation = SimulationBuilder().build_default_simulation(
        country(facts), len(facts["progress"])
    )

    def set_inputs():
        for name, values in facts.items():
            simulation.delete_arrays(name, PERIOD)
            simulation.set_input(name, PERIOD, values)

    def run():
        for name in (*RULES, *ANSWERS):
            simulation.delete_arrays(name, PERIOD)
        if set_inputs_again:
            set_inputs()
        return tuple(simulation.calculate(name, PERIOD) for name in ANSWERS)

    set_inputs()
    return run
