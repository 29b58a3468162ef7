"""
How many cases the long tests try: one table, with a column for each of the three lanes.

`pytest` runs the plain lane, `pytest --everyday` the everyday lane and `pytest --campaign` the
campaign; `tests/lanes.py` says which tests each has. A test reads its count with `count("...")` and
scales by it every minimum that it asserts, so a shorter lane drops no assertion.
"""

from __future__ import annotations

from types import MappingProxyType

LANES = PLAIN, EVERYDAY, CAMPAIGN = ("plain", "everyday", "campaign")

# The columns are the name of a count, and its value in each lane.
TABLE = MappingProxyType(
    {
        name: MappingProxyType({PLAIN: plain, EVERYDAY: everyday, CAMPAIGN: campaign})
        for name, plain, everyday, campaign in (
            # Hypothesis: the examples of a test that names no count of its own.
            ("default examples", 10, 20, 100),
            # tests/unit/portfolio
            ("samples without a suspicion", 2, 4, 20),
            ("deals projected one by one", 100, 400, 3_000),
            ("deals asked one by one", 400, 400, 3_000),
            # tests/laws
            ("rules read by closure and interpreter", 200, 600, 10_000),
            ("rules read by proofs and interpreter", 60, 60, 2_500),
            ("sets of rules read by proofs and assessment", 20, 20, 1_000),
            ("rules among which wrong terms are found", 300, 300, 300),
            ("jurisdictions for a second solver", 1, 1, 10),
            ("small rulebooks for a second solver", 20, 20, 150),
            ("rulebooks searched for what would help", 50, 150, 2_000),
            ("rulebooks with facts that trade", 100, 400, 4_000),
            ("rules and facts from Hypothesis", 60, 200, 2_000),
            ("rules with facts hidden", 80, 200, 1_000),
            ("rules written canonically", 80, 200, 1_500),
            ("rules among which a planted fault is caught", 250, 250, 1_500),
            ("rules read by each dataframe engine", 40, 40, 200),
            ("deals with facts hidden", 60, 200, 1_000),
            ("columns read cell by cell", 5, 15, 400),
            ("sequences of commands to one merchant", 50, 200, 1_000),
            ("sequences of commands about one merchant's money", 20, 80, 800),
            ("families written otherwise", 3, 8, 60),
            ("families cut into other slices", 3, 8, 60),
            ("families with several changes", 4, 12, 100),
            ("families with shared rules", 4, 12, 24),
            ("families decided alike", 4, 10, 40),
            ("families priced alike", 4, 10, 40),
            ("changes of a calculator", 10, 30, 300),
            ("families in which a change is tried", 2, 100, 100),
            ("seeds of a change in each jurisdiction", 1, 1, 2),
            ("random tables of tiers", 40, 200, 2_000),
            ("spoilt files", 20, 60, 400),
            ("names of facts and parameters", 50, 50, 400),
            ("currencies at each bound", 1, 4, 4),
            ("settings within the bounds", 12, 40, 400),
            ("pairs of rulebooks held against every deal", 60, 120, 1_000),
            ("families of dated rules held against every deal", 8, 48, 1_000),
            ("files of random bytes", 10, 30, 300),
            ("histories in another order", 20, 60, 300),
            ("histories delivered twice", 15, 40, 200),
            ("histories with marked profiles", 12, 40, 2_000),
            ("histories whose decisions have reasons", 30, 100, 500),
            ("histories with a statement", 12, 40, 3_000),
            ("sequences of movements in ledgers", 15, 50, 5_000),
            ("histories compared with the model of evidence", 150, 400, 30_000),
            ("histories among which a planted fault is found", 4_000, 4_000, 4_000),
            ("histories whose payouts are asked about", 100, 300, 5_000),
            ("histories whose offers are asked about", 150, 400, 1_000),
            ("errors planted in acceptances", 3, 9, 18),
            ("errors planted in what is remembered", 3, 3, 25),
            ("histories compared with the bookkeeper", 100, 300, 30_000),
            ("histories among which an error in a ledger is found", 4_000, 4_000, 4_000),
            ("errors planted in ledgers", 3, 117, 117),
            ("faults planted in files that ship", 10, 10, 150),
            ("times that a partner does its worst", 60, 120, 1_000),
            ("histories whose deals are possible", 80, 200, 20_000),
            ("histories of operations whose deals are possible", 8, 20, 500),
            ("schedules of payments with a rate", 40, 100, 2_000),
            ("schedules of payments with an effective rate", 40, 100, 600),
            ("histories at the border of every relation", 2_000, 2_000, 2_000),
            # tests/unit
            ("documents with mistakes", 50, 150, 2_000),
            ("values of a strategy", 4, 10, 30),
            ("values that differ in every attribute", 50, 50, 100),
            ("values that may be changed", 2, 3, 30),
            ("facts and evidence of a jurisdiction", 6, 15, 60),
            ("facts that reach every outcome", 150, 150, 400),
            ("merchants at each stage", 2, 5, 5),
            ("reachable merchants", 15, 40, 300),
            ("histories with every operation", 1_200, 1_200, 2_000),
            ("intervals held against every number", 30, 60, 1_000),
            ("pairs of rules held against every deal", 8, 20, 80),
            ("rules whose mutants are held against every deal", 3, 6, 30),
            ("jurisdictions whose examples are drafted anew", 1, 1, 10),
            ("changed rules held against every deal", 20, 60, 500),
            ("changed rules whose questions are held against every deal", 10, 30, 200),
            ("rules rewritten", 6, 12, 60),
            ("texts of a file for its limits", 50, 150, 2_000),
            ("texts that may be a rule", 50, 150, 2_000),
            # tests/parity
            ("prepared rows", 100, 100, 620),
            ("rulebooks over prepared rows", 4, 4, 9),
            ("rows explained in each kind of frame", 2, 2, 60),
            ("rows explained in one kind of frame", 100, 300, 300),
            ("pairs of rules and prepared rows", 35_000, 35_000, 500_000),
            ("plain rows of any values", 120, 120, 600),
            ("plain rows that can be read", 60, 60, 400),
            ("plain frames assessed on each engine", 3, 3, 7),
            ("columns of texts and of objects", 100, 100, 5_000),
            ("pairs of rules and plain rows", 7_500, 7_500, 100_000),
            ("rules as SQL", 100, 100, 300),
            ("rows of rules as SQL", 60, 60, 850),
            ("pairs of rules as SQL and rows on each database", 12_000, 12_000, 500_000),
            ("rules as SQL on Spark", 60, 60, 120),
            ("rows of rules as SQL on Spark", 100, 100, 2_100),
            ("pairs of rules as SQL and rows on Spark", 12_000, 12_000, 500_000),
            ("rulebooks translated for other databases", 2, 2, 10),
            ("rulebooks as DMN", 20, 20, 60),
            ("jurisdictions in one frame", 3, 3, 10),
            # tests/hostile
            ("hostile expressions", 10_000, 10_000, 100_000),
            ("hostile documents", 1_000, 1_000, 20_000),
            # tests/wire
            ("mutations of stored documents", 120, 300, 20_000),
            # tests/hosts
            ("sets of offers raced for on each database", 25, 25, 500),
            ("processes killed on each database", 2, 2, 6),
            ("times that a partner of a host in memory does its worst", 8, 20, 1_000),
            ("times that a partner does its worst on each database", 8, 8, 100),
            ("histories on each database", 2, 2, 12),
            ("operations in a history on each database", 40, 40, 100),
            ("simulated histories", 20, 80, 2_000),
            ("simulated histories that have to be rich", 60, 60, 80),
            ("failures in a host", 10, 10, 50),
            ("crashes of PostgreSQL", 2, 2, 6),
            ("generated requests of each kind to each operation", 20, 20, 70),
            ("generated sequences of requests", 8, 8, 40),
            ("generated requests in all", 360, 360, 2_000),
        )
    }
)

_lane = PLAIN


def choose(lane):
    """
    Make `count` read the column *lane*.

    `tests/conftest.py` calls this before any test module is imported.
    """
    global _lane  # noqa: PLW0603  # decorators read their counts when a test module is imported
    assert lane in LANES
    _lane = lane


def lane():
    """The lane that is being run."""
    return _lane


def count(name):
    """The count *name* in the lane that is being run."""
    return TABLE[name][_lane]
