"""Mutants are planted where they are said to be, and chosen alike every time."""

from __future__ import annotations

import ast
from pathlib import Path

from planting import chosen, mutants_of, package_of

ROOT = Path(__file__).parents[2]
MODULE = '''"""A module of three lines, 1 < 2."""
MOST = 3  # a limit


class Deal:
    def late(self, days: int = 1) -> bool:
        assert days >= 0
        if not (days
                > MOST and self.funded):
            self.log(f"{days + 1}")
        return days - 1 == 4
'''


def test_every_operator_has_its_place():
    """
    Comparisons, boolean operators, arithmetic, constants, returns, calls; not asserts nor texts.
    """
    assert [(each.function, each.operator, each.after) for each in mutants_of("m.py", MODULE)] == [
        ("", "constant", "(4)"),
        ("Deal.late()", "constant", "(2)"),
        ("Deal.late()", "dropped not", "(days > MOST and self.funded)"),
        ("Deal.late()", "boolean operator", "(days > MOST or self.funded)"),
        ("Deal.late()", "comparison", "(days >= MOST)"),
        ("Deal.late()", "dropped call", "pass"),
        ("Deal.late()", "return", "return None"),
        ("Deal.late()", "comparison", "(days - 1 != 4)"),
        ("Deal.late()", "arithmetic", "(days + 1)"),
        ("Deal.late()", "constant", "(2)"),
        ("Deal.late()", "constant", "(5)"),
    ]


def test_a_mutant_changes_one_node():
    """
    Planted, the module has the change, as many lines, and every other node as before.
    """
    for mutant in mutants_of("m.py", MODULE):
        planted = mutant.planted(MODULE)

        assert planted.count("\n") == MODULE.count("\n"), mutant
        assert ast.dump(ast.parse(planted)) != ast.dump(ast.parse(MODULE)), mutant
        assert mutant.after in planted


def test_mutants_are_drawn_alike_from_all_packages():
    """
    One seed gives one list, with something of every package that has code.
    """
    drawn = chosen(ROOT, 60, seed=1)

    assert drawn == chosen(ROOT, 60, seed=1)
    assert 50 <= len(drawn) <= 80
    assert len({package_of(each.file) for each in drawn}) > 10
