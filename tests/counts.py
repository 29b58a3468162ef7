"""
How many cases the long tests try: one table, with a column for each of the two lanes.

`pytest` runs the everyday lane and `pytest --campaign` the campaign. Both lanes run the same tests
and differ only in these counts. A test reads its count with `count("...")` and scales by it every
minimum that it asserts, so the shorter lane drops no assertion.
"""

from __future__ import annotations

from types import MappingProxyType

LANES = EVERYDAY, CAMPAIGN = ("everyday", "campaign")

# The columns are the name of a count, its everyday value and its value in a campaign.
TABLE = MappingProxyType(
    {
        name: MappingProxyType({EVERYDAY: everyday, CAMPAIGN: campaign})
        for name, everyday, campaign in (
            # Hypothesis: the examples of a test that names no count of its own.
            ("default examples", 20, 100),
            # tests/unit/portfolio
            ("samples without a suspicion", 4, 20),
            ("deals projected one by one", 400, 3_000),
            ("deals asked one by one", 400, 3_000),
            # tests/laws
            ("rules read by closure and interpreter", 600, 10_000),
            ("rules read by proofs and interpreter", 60, 2_500),
            ("sets of rules read by proofs and assessment", 20, 1_000),
            ("rules among which wrong terms are found", 300, 300),
            ("jurisdictions for a second solver", 1, 10),
            ("small rulebooks for a second solver", 20, 150),
            ("rulebooks searched for what would help", 150, 2_000),
            ("rulebooks with facts that trade", 400, 4_000),
            ("rules and facts from Hypothesis", 200, 2_000),
            ("rules with facts hidden", 200, 1_000),
            ("rules written canonically", 200, 1_500),
            ("rules among which a planted fault is caught", 250, 1_500),
            ("rules read by each dataframe engine", 40, 200),
            ("deals with facts hidden", 200, 1_000),
            ("columns read cell by cell", 15, 1_000),
            ("sequences of commands to one merchant", 80, 2_000),
            ("sequences of commands about one merchant's money", 80, 2_000),
            ("families written otherwise", 8, 60),
            ("families cut into other slices", 8, 60),
            ("families with several changes", 12, 100),
            ("families decided alike", 10, 40),
            ("families priced alike", 10, 40),
            ("changes of a calculator", 30, 300),
            ("seeds of a change in each jurisdiction", 1, 2),
            ("spoilt files", 60, 400),
            ("names of facts and parameters", 50, 400),
            ("settings within the bounds", 40, 400),
            ("pairs of rulebooks held against every deal", 120, 2_000),
            ("files of random bytes", 30, 300),
            ("histories in another order", 60, 300),
            ("histories delivered twice", 40, 200),
            ("histories with marked profiles", 40, 2_000),
            ("histories with a statement", 40, 5_000),
            ("sequences of movements in ledgers", 50, 5_000),
            ("histories compared with the model of evidence", 400, 100_000),
            ("histories among which a planted fault is found", 4_000, 4_000),
            ("errors planted in what is remembered", 3, 25),
            ("histories compared with the bookkeeper", 300, 100_000),
            ("histories among which an error in a ledger is found", 4_000, 4_000),
            ("errors planted in ledgers", 3, 44),
            ("faults planted in files that ship", 10, 150),
            ("histories whose deals are possible", 200, 20_000),
            ("histories of operations whose deals are possible", 20, 500),
            ("histories at the border of every relation", 2_000, 2_000),
            # tests/unit
            ("documents with mistakes", 150, 2_000),
            ("values of a strategy", 10, 30),
            ("values that differ in every attribute", 50, 100),
            ("values that may be changed", 3, 30),
            ("facts and evidence of a jurisdiction", 15, 60),
            ("facts that reach every outcome", 150, 400),
            ("reachable merchants", 40, 300),
            ("histories with every operation", 1_200, 2_000),
            ("intervals held against every number", 60, 1_000),
            ("pairs of rules held against every deal", 20, 80),
            ("rules whose mutants are held against every deal", 6, 30),
            ("jurisdictions whose examples are drafted anew", 1, 10),
            ("changed rules held against every deal", 60, 500),
            ("changed rules whose questions are held against every deal", 30, 200),
            ("rules rewritten", 12, 60),
            ("texts of a file for its limits", 150, 2_000),
            ("texts that may be a rule", 150, 2_000),
            # tests/parity
            ("prepared rows", 100, 620),
            ("rulebooks over prepared rows", 4, 9),
            ("rows explained in each kind of frame", 2, 60),
            ("pairs of rules and prepared rows", 35_000, 500_000),
            ("plain rows of any values", 120, 600),
            ("plain rows that can be read", 60, 400),
            ("plain frames assessed on each engine", 3, 7),
            ("plain frames read without Polars", 1, 7),
            ("columns of texts and of objects", 100, 5_000),
            ("pairs of rules and plain rows", 7_500, 100_000),
            ("rules as SQL", 100, 300),
            ("rows of rules as SQL", 60, 850),
            ("pairs of rules as SQL and rows on each database", 12_000, 500_000),
            ("rules as SQL on Spark", 60, 120),
            ("rows of rules as SQL on Spark", 100, 2_100),
            ("pairs of rules as SQL and rows on Spark", 12_000, 500_000),
            ("rulebooks translated for other databases", 2, 10),
            ("jurisdictions in one frame", 3, 10),
            # tests/hostile
            ("hostile expressions", 10_000, 200_000),
            ("hostile documents", 1_000, 20_000),
            # tests/formats
            ("documents that the first version reads again", 80, 325),
            ("documents of the first version carried over", 65, 325),
            ("checks of the suite on a fleet", 3, 18),
            ("sets of offers raced for on a fleet", 10, 40),
            ("processes killed in a fleet", 1, 4),
            ("journeys through an upgrade", 1, 3),
            ("operations of a journey in a phase", 12, 40),
            ("requests of the first version's database", 20, 150),
            ("processes of each version in a fleet", 1, 2),
            # tests/wire
            ("mutations of stored documents", 300, 20_000),
            # tests/hosts
            ("sets of offers raced for on each database", 25, 500),
            ("processes killed on each database", 2, 6),
            ("histories on each database", 2, 12),
            ("operations in a history on each database", 40, 100),
            ("simulated histories", 80, 2_000),
            ("simulated histories that have to be rich", 40, 80),
            ("failures in a host", 10, 50),
            ("crashes of PostgreSQL", 2, 6),
            ("generated requests of each kind to each operation", 20, 110),
            ("generated sequences of requests", 8, 40),
            ("generated requests in all", 360, 2_000),
        )
    }
)

_lane = EVERYDAY


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
