"""The jurisdictions that ship are read when they are asked for, and answer as if read at once."""

from __future__ import annotations

import copy
import pickle
import shutil
import threading
from datetime import date
from functools import cache
from pathlib import Path
from typing import ClassVar

import pytest
from attrs import frozen

from every_case import for_every
from holdback import (
    ConfigurationError,
    Engine,
    HoldbackError,
    InvalidDocument,
    load_jurisdictions,
)
from holdback.cli.sources import load_one
from holdback.jurisdictions import folder, reader
from journey import Journey

ON = date(2026, 7, 1)


@cache
def at_once():
    """Those that ship, all read at once."""
    return folder.load_from(folder.bundled_path(), "jurisdictions")


@pytest.fixture
def opened(monkeypatch):
    """The names of the folders whose files are opened."""
    at_once()
    names = []
    original = folder.read_folder

    def read_folder(place, prefix):
        names.append(place.name)
        return original(place, prefix)

    monkeypatch.setattr(folder, "read_folder", read_folder)
    return names


@pytest.fixture(autouse=True)
def read_anew():
    """Each test reads what ships anew: a process does so once."""
    folder.bundled.cache_clear()
    yield
    folder.bundled.cache_clear()


def test_what_ships_is_read_once_in_a_process(opened):
    """
    Every call returns the same jurisdictions, so that no file is opened again.
    """
    first = load_jurisdictions()
    first["GB"]
    load_jurisdictions()["GB"]

    assert load_jurisdictions() is first
    assert opened == ["GB"]


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """A copy of the folder that ships, which a test may damage."""
    copied = tmp_path / "jurisdictions"
    shutil.copytree(Path(str(folder.bundled_path())), copied)
    monkeypatch.setattr(folder, "bundled_path", lambda: copied)
    return copied


def change(path, before, after):
    """Replace *before*, which is in the file, by *after*."""
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")


def errors_of(call):
    """The errors with which *call* refuses."""
    with pytest.raises((InvalidDocument, ConfigurationError)) as raised:
        call()
    return raised.value.errors


def test_nothing_is_opened_before_it_is_asked_for(opened):
    """
    The codes of what ships are known without opening a file.
    """
    loaded = load_jurisdictions()

    assert loaded.codes == at_once().codes
    assert len(loaded) == len(at_once())
    assert repr(loaded) == repr(at_once())
    assert opened == []


def test_a_command_about_one_jurisdiction_opens_it_alone(opened):
    """
    Nobody waits for nine jurisdictions to be read who asks about the tenth and its parent.
    """
    assert load_one(None, "CA-QC").code == "CA-QC"

    assert opened == ["CA-QC", "CA"]


def test_a_jurisdiction_is_opened_with_its_parents_and_once(opened):
    """
    What is read is the jurisdiction that was asked for, and the parents whose rules it inherits.
    """
    loaded = load_jurisdictions()

    for _ in range(2):
        loaded.resolve("CA-QC", on=ON)
        loaded.currency("CA")
        loaded.zone("CA-QC")

    assert sorted(opened) == ["CA", "CA-QC"]


def test_they_equal_what_is_read_at_once():
    """
    Rules, examples, order and equality are the same whether they are read at once or on demand.
    """
    loaded = load_jurisdictions()

    assert loaded == at_once()
    assert at_once() == loaded  # the other way around
    assert list(loaded) == list(at_once())
    assert [rulebook.digest for rulebook in loaded.rulebooks()] == [
        rulebook.digest for rulebook in at_once().rulebooks()
    ]


@for_every("code", load_jurisdictions().codes)
def test_what_decides_is_the_same(code):
    """
    A rulebook that is read when it is asked for is the same to the last line number.
    """
    asked, whole = load_jurisdictions(), at_once()[code]

    for rulebook in whole.slices:
        resolved = asked.resolve(code, on=rulebook.on)
        assert resolved == rulebook
        assert resolved.renewal == rulebook.renewal
        assert resolved.products == rulebook.products
        assert resolved.parameters == rulebook.parameters
    assert asked.currency(code) == whole.currency
    assert asked.zone(code) == whole.zone
    assert asked.examples(code) == whole.examples


def test_threads_get_the_same_object():
    """
    Threads may ask at once; all of them get the same jurisdiction.
    """
    loaded, gate, answers = load_jurisdictions(), threading.Barrier(8), []

    def ask():
        gate.wait()
        answers.append((loaded["CA-QC"], loaded.resolve("CA-QC", on=ON).renewal))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(answers) == 8
    assert len({id(whole) for whole, _ in answers}) == 1
    assert len({id(renewal) for _, renewal in answers}) == 1
    assert loaded["CA"] is loaded["CA"]


def test_a_damaged_file_is_reported_when_its_jurisdiction_is_asked_for(shipped):
    """
    A damaged file has the errors that reading everything at once would report, every time; the
    others are not affected.
    """
    change(shipped / "GB" / "renewal.toml", "performance >= minimum", "performanze >= minimum")
    (shipped / "GB" / "notes.txt").write_text("")
    expected = errors_of(lambda: folder.load_from(shipped, "jurisdictions"))
    loaded = load_jurisdictions()

    assert len(expected) > 1
    assert loaded.codes == at_once().codes
    assert loaded.resolve("IE", on=ON) == at_once().resolve("IE", on=ON)
    assert errors_of(lambda: loaded.resolve("GB", on=ON)) == expected
    assert errors_of(lambda: loaded.currency("GB")) == expected
    assert errors_of(lambda: loaded["GB"]) == expected
    assert errors_of(lambda: list(loaded)) == expected


def test_a_damaged_installation_is_not_a_partners_mistake(shipped):
    """
    What is found while a request is answered is an error of the configuration, and not one of the
    request.
    """
    (shipped / "GB" / "renewal.toml").write_bytes(b"\xff")
    (shipped / "IE" / "renewal.toml").unlink()
    (shipped / "IE" / "renewal.toml").mkdir()
    loaded = load_jurisdictions()

    for code in ("GB", "IE"):
        with pytest.raises(ConfigurationError, match=r"renewal\.toml"):
            loaded.resolve(code, on=ON)


def test_a_damaged_parent_is_reported_with_its_child(shipped):
    """
    A child of an invalid parent has an error of its own, and the parent's errors come with it.
    """
    change(shipped / "CA" / "renewal.toml", "performance >=", "performanze >=")
    expected = errors_of(lambda: folder.load_from(shipped, "jurisdictions"))

    assert errors_of(lambda: load_jurisdictions().resolve("CA-QC", on=ON)) == expected


def test_parents_in_a_circle(shipped):
    """
    Parents that form a circle are an error, not an endless search.
    """
    change(shipped / "CA" / "jurisdiction.toml", 'code = "CA"', 'code = "CA"\nparent = "CA-QC"')
    expected = errors_of(lambda: folder.load_from(shipped, "jurisdictions"))

    assert errors_of(lambda: load_jurisdictions()["CA-QC"]) == expected


def test_a_folder_without_jurisdictions(shipped):
    """
    An installation without its jurisdictions is reported at once.
    """
    shutil.rmtree(shipped)
    assert errors_of(load_jurisdictions)
    shipped.mkdir()
    assert errors_of(load_jurisdictions)


@for_every("code", ["ZZ", "gb", "", None, [], 1])
def test_an_unknown_code_is_refused_in_the_same_words(code):
    """
    A code that does not exist is refused as by a collection that was read at once.
    """
    loaded = load_jurisdictions()

    for ask in (
        lambda jurisdictions: jurisdictions[code],
        lambda jurisdictions: jurisdictions.resolve(code, on=ON),
        lambda jurisdictions: jurisdictions.currency(code),
    ):
        assert errors_of(lambda ask=ask: ask(loaded)) == errors_of(lambda ask=ask: ask(at_once()))


def test_a_mistake_in_the_reader_is_not_an_unknown_code(monkeypatch):
    """
    An error that nobody expected is not reported as a code that does not exist.
    """

    def broken(*_, **__):
        raise KeyError("GB")

    monkeypatch.setattr(reader, "resolve", broken)
    with pytest.raises(KeyError):
        load_jurisdictions().resolve("GB", on=ON)


def test_an_engine_reads_what_it_decides_by(opened):
    """
    An engine with the rules that ship reads those of the merchants that come.
    """
    engine = Engine.for_trial()
    assert opened == []

    Journey(engine).ask()
    assert opened == ["GB"]


def test_the_calculators_of_a_host_are_checked_when_the_engine_is_made():
    """
    A calculator of the host that does not suit the rules that ship is an error at once.
    """

    @frozen
    class Own:
        """It takes no settings."""

        version: ClassVar[int] = 1

    with pytest.raises(HoldbackError, match="has no setting"):
        Engine.for_trial(calculators={"limits/takings_multiple": Own})


def test_copies_hold_everything():
    """
    A copy does not depend on the files: it may be read where they are not installed.
    """
    loaded = load_jurisdictions()
    again = pickle.loads(pickle.dumps(loaded))

    assert again == loaded == copy.deepcopy(loaded)
    assert hash(again) == hash(loaded) == hash(at_once())
    assert not again.reads_on_demand
