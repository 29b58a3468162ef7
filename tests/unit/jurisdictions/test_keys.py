"""The table of keys: what the readers take, and what each row says."""

from __future__ import annotations

import attrs
import pytest

from every_case import for_every
from holdback import InvalidDocument
from holdback.jurisdictions.keys import DATED, JURISDICTION, ByName, Keys, dated_form
from holdback.rulebooks.rulebook import SETTINGS_IN_DIGEST, Rulebook
from holdback.tools.mutants.mutation import mutants
from small_folders import country, loaded, said

LINES = country()["jurisdiction.toml"].splitlines()


def without(name):
    """The file of a country without the line or the timeline of the key *name*."""
    kept, gone = [], False
    for line in LINES:
        gone = line.startswith(f"{name} =") or (gone and not line[:1].isalpha() and line != "")
        if not gone:
            kept.append(line)
    return "\n".join(kept)


@for_every("name", JURISDICTION.required)
def test_a_required_key_is_missed(name):
    """
    A country without a required key is refused, and the error names the key.
    """
    files = {**country(), "jurisdiction.toml": without(name)}

    assert any(f"`{name}` is missing" in error for error in map(str, said("NL", NL=files)))


@for_every("name", DATED)
def test_a_dated_setting_is_an_attribute_of_a_rulebook(name):
    """
    A dated setting has a value on a day, whole, in its range and with a title of its own.
    """
    row, ends = DATED[name], dated_form(DATED[name]).ends
    rulebook = loaded(NL=country())["NL"].slices[0]

    assert name in attrs.fields_dict(Rulebook)
    assert ends[0] <= getattr(rulebook, name) <= ends[1]
    assert row.default is None or row.default == getattr(rulebook, name)
    # A setting that may be left out is in no digest: older folders keep theirs.
    assert (row.default is None) == (name in SETTINGS_IN_DIGEST)
    assert [other.title for other in DATED.values()].count(row.title) == 1


def test_every_row_of_the_first_file_says_what_it_means():
    """
    Every key of `jurisdiction.toml` has a meaning for its author.
    """
    assert all(row.meaning for row in JURISDICTION.rows.values())


@for_every("name", DATED)
def test_the_mutants_of_a_dated_setting_stay_in_its_range(name):
    """
    Each stated setting is moved by one, up and down; the end of its range refuses.
    """
    low, high = dated_form(DATED[name]).ends
    stated = f'{name} = [{{ from = 2020-01-01, value = {high}, source = "x" }}]\n'
    files = {**country(), "jurisdiction.toml": f"{stated}{without(name)}"}
    jurisdictions = loaded(NL=files)
    jurisdiction = jurisdictions["NL"]
    moved = [
        mutant for mutant in mutants(jurisdiction, jurisdictions) if mutant.name.startswith(name)
    ]

    assert [mutant.name.rpartition(" ")[2] for mutant in moved] == [str(high + 1), str(high - 1)]
    with pytest.raises(InvalidDocument, match=f"expected {low} to {high}"):
        moved[0].change(jurisdiction.slices[0])


def test_a_form_that_takes_more_than_the_value_is_not_read_alone():
    """
    A table of declared facts is read by its own reader, and not as one value.
    """
    table = Keys((JURISDICTION.rows["facts"],))

    assert isinstance(table.rows["facts"].form, ByName)
    assert table.read({}) == {}
