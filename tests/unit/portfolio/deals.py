"""A sample of deals, and the assessment of each by its rulebook."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import polars as pl

from holdback import ConfigurationError, InvalidDocument, load_jurisdictions
from holdback.portfolio import sample

COUNT, SEED = 3_000, 11


@lru_cache
def shipped():
    return load_jurisdictions()


@lru_cache
def deals():
    """The sample as a Polars frame."""
    return sample(COUNT, SEED, backend="polars")


def facts_of(rulebook, row):
    return {fact.name: row[fact.name] for fact in rulebook.catalogue.facts if fact.name in row}


def alone(row, jurisdictions):
    """The rulebook of a row and its assessment, each None if there is none."""
    try:
        rulebook = jurisdictions.resolve(row["jurisdiction"], on=row["on"])
    except ConfigurationError:
        return None, None
    try:
        return rulebook, rulebook.assess(facts_of(rulebook, row))
    except InvalidDocument:
        return rulebook, None


def counted(jurisdictions, frame=None):
    """
    The deals counted one by one: by outcome, by code and by missing fact, and the balance left.
    """
    outcomes, codes, needs, left = Counter(), Counter(), Counter(), Counter()
    for row in (deals() if frame is None else frame).iter_rows(named=True):
        rulebook, assessment = alone(row, jurisdictions)
        place = rulebook.code if rulebook else "-"
        outcome = "invalid" if assessment is None else assessment.outcome
        outcomes[place, outcome] += 1
        if assessment is not None:
            left[place, outcome] += row["balance"] or 0
            codes.update((place, code) for code in assessment.codes)
            needs.update((place, name) for name in assessment.needs)
    return outcomes, codes, needs, left


def of_gb():
    return deals().filter(pl.col("jurisdiction") == "GB")
