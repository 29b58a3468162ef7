"""
`copy_jurisdictions` copies the jurisdictions that ship to a new folder, to change and compare.
"""

from __future__ import annotations

from datetime import date

import pytest

from holdback import InvalidDocument, load_jurisdictions
from holdback.portfolio import copy_jurisdictions

SHIPPED = load_jurisdictions()


def test_the_copy_is_what_ships(tmp_path):
    """
    The copy loads, has the same rulebooks, and has the schemas beside them that its files name.
    """
    copied = copy_jurisdictions(tmp_path / "proposal")
    loaded = load_jurisdictions(copied.folder)
    assert copied.codes == SHIPPED.codes == loaded.codes
    assert [each.digest for each in loaded.rulebooks()] == [
        each.digest for each in SHIPPED.rulebooks()
    ]
    assert (tmp_path / "proposal" / "schema" / "renewal.json").exists()


def test_it_says_what_to_do_next(tmp_path, monkeypatch):
    """
    Shown, the result names a file to change, and the questions to ask then.
    """
    monkeypatch.chdir(tmp_path)
    shown = repr(copy_jurisdictions("proposal"))
    assert f"{len(SHIPPED.codes)} jurisdictions were copied to proposal: AU, CA" in shown
    assert "proposal/AU/renewal.toml" in shown
    assert "portfolio.compare(deals, load_jurisdictions(), proposal)" in shown


def test_a_change_in_the_copy_is_another_policy(tmp_path):
    """
    What is changed in the copy is what `replace` proposes, with the same digest.
    """
    copied = copy_jurisdictions(tmp_path / "proposal")
    file = tmp_path / "proposal" / "GB" / "renewal.toml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('value = "80%"', 'value = "85%"'), encoding="utf-8")
    day = date(2026, 7, 1)
    written = load_jurisdictions(copied.folder).resolve("GB", on=day)
    assert written == SHIPPED.resolve("GB", on=day).replace(minimum_performance="85%")


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_nothing_is_overwritten(tmp_path, kind):
    """
    A file or a folder that is there already stays unchanged.
    """
    target = tmp_path / "proposal"
    if kind == "folder":
        target.mkdir()
    else:
        target.write_text("mine", encoding="utf-8")
    with pytest.raises(InvalidDocument, match="give the name of a new folder"):
        copy_jurisdictions(target)
    assert list(target.iterdir()) == [] if kind == "folder" else target.read_text() == "mine"


def test_a_folder_that_cannot_be_made(tmp_path):
    """
    A folder in a folder that is not there, or under a file, is refused with what to do.
    """
    with pytest.raises(InvalidDocument, match="make it first"):
        copy_jurisdictions(tmp_path / "nowhere" / "proposal")
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InvalidDocument, match="cannot be written"):
        copy_jurisdictions(tmp_path / "file" / "proposal")
