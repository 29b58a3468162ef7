"""The text of a file with drafts in it: everything else stays byte for byte."""

from __future__ import annotations

import tomllib

import pytest

from every_case import for_every
from holdback.errors import InvalidDocument
from holdback.tools.suggestions.insertion import DRAFTED, inserted

EXAMPLE = '[[examples]]\nname = "new"\non = 2026-01-01\nexpect = { outcome = "eligible" }\n'
OLD = '[[examples]]\nname = "old"\non = 2026-01-01\nexpect = { outcome = "eligible" }\n'
SURVIVORS = '\n# ---- survivors\n# Changes.\n\n[[survivors]]\nmutant = "m"\nreason = "r"\n'
TYPICAL = '[typical]\nprogress = "64%"  # paid down\n\n'


def names(body):
    return [example["name"] for example in tomllib.loads(body.decode())["examples"]]


@for_every(
    "before",
    [
        "format = 1\n",
        f"format = 1\n\n{OLD}",
        f"format = 1\n\n{OLD}".rstrip(),
        f"format = 1\n\n{TYPICAL}{OLD}{SURVIVORS}",
        f"format = 1\n\n{OLD}\n[parameters.a]\ntype = 'count'\n",
        f"format = 1\n\n{OLD}# a remark at the end\n\n\n",
        'format = 1\n\n[[examples]]\nname = "a # b"\nexpect = { offers = [\n  { x = 1 },\n] }\n',
    ],
)
@for_every("newline", ["\n", "\r\n"])
def test_everything_else_stays(before, newline):
    """
    The file with the drafts, less what was inserted, is the file of before, byte for byte.
    """
    body = before.replace("\n", newline).encode()

    after = inserted("renewal.toml", body, (), (EXAMPLE, EXAMPLE.replace("new", "newer")))

    text = after.decode()
    start = text.index(DRAFTED)
    end = text.index("newer")
    end = text.index("eligible", end) + len('eligible" }')
    assert body.decode().startswith(text[:start].rstrip())
    assert body.decode().rstrip().endswith(text[end:].strip())
    assert names(after)[-2:] == ["new", "newer"]
    assert text.count("\n") == text.count(newline)


@for_every("newline", ["\n", "\r\n"])
def test_examples_come_before_survivors(newline):
    """
    New examples follow the last example, and what comes after the examples stays behind them.
    """
    body = f"format = 1\n\n{OLD}{SURVIVORS}".replace("\n", newline).encode()

    text = inserted("renewal.toml", body, (), (EXAMPLE,)).decode()

    assert text.index('"old"') < text.index('"new"') < text.index("# ---- survivors")
    assert text.endswith(SURVIVORS.replace("\n", newline))


def test_typical_facts():
    """
    Typical facts go to the end of those that there are, or into a table before the examples.
    """
    with_table = inserted("renewal.toml", f"{TYPICAL}{OLD}".encode(), ("balance = 1",), ())
    without = inserted("renewal.toml", f"format = 1\n\n{OLD}".encode(), ("balance = 1",), ())

    assert with_table.decode() == TYPICAL.replace("down\n", "down\nbalance = 1\n") + OLD
    assert without.decode() == f"format = 1\n\n[typical]\nbalance = 1\n\n{OLD}"


def test_a_file_that_is_not_there():
    """
    A child may lack a file; it then begins with its schema and its format.
    """
    text = inserted("products.toml", None, (), (EXAMPLE,)).decode()

    assert text.startswith("#:schema ../schema/products.json\nformat = 1\n\n# Drafted by")
    assert tomllib.loads(text)["format"] == 1


@pytest.mark.parametrize(
    "before",
    [
        'examples = [{ name = "old", on = 2026-01-01, expect = { outcome = "eligible" } }]\n',
        f"typical = {{ progress = '64%' }}\n{OLD}",
    ],
)
def test_a_form_that_nothing_can_be_added_to(before):
    """
    Examples in brackets are refused, and the message says what to do.
    """
    with pytest.raises(InvalidDocument, match=r"write each as a table of its own, `\[\[examples"):
        inserted("renewal.toml", before.encode(), ("balance = 1",), (EXAMPLE,))
