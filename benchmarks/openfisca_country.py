"""The ten rules as an OpenFisca country: a variable for each fact and each rule, and one for the mask.

A rule is a formula over NumPy arrays, as in its documentation. Numbers with decimals are OpenFisca's own floats, which
have 32 bits. A fact that was not given is its default, 0; that is how OpenFisca does it, and no deal here has one.
"""

from __future__ import annotations

import numpy
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
    """The failing rules, a bit each."""
    total = numpy.zeros(deal.count, numpy.int32)
    for place, name in enumerate(RULES):
        total += deal(name, month) * numpy.int32(1 << place)
    return total


def variable(name, type_, formula=None):
    """A variable of a deal, asked for by the month."""
    body = {"value_type": type_, "entity": DEAL, "definition_period": MONTH, "label": name}
    if formula is not None:
        body["formula"] = formula
    return type(name, (Variable,), body)


def country(facts):
    """A country with the *facts*, arrays by name, as its variables, and the ten rules."""
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
    A call that sets *facts* as inputs and calculates the mask and the flag. What an earlier call calculated is
    forgotten first, since OpenFisca would only look it up. Setting an input makes OpenFisca's own widths of it, 32
    bits; where the inputs are not set again, only calculating is timed.
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
