"""Folders of jurisdictions, and where the ones that ship are found."""

from __future__ import annotations

import importlib.util
import zipfile
from pathlib import Path

import pytest

from every_case import for_every
from holdback import ConfigurationError, InvalidDocument, load_jurisdictions
from holdback.jurisdictions import folder
from small_folders import IRELAND

REPOSITORY = Path(folder.__file__).resolve().parents[3]


@pytest.fixture
def shelf(tmp_path):
    """A folder with the small jurisdiction in it."""
    root = tmp_path / "shelf"
    write(root / "IE", IRELAND)
    return root


def write(place, files):
    place.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (place / name).write_text(text, encoding="utf-8")


def said(root):
    """What is said of the jurisdictions in *root*, a line for each error."""
    with pytest.raises(InvalidDocument) as raised:
        load_jurisdictions(root)
    return [str(error) for error in raised.value.errors]


def test_a_folder_of_jurisdictions(shelf):
    """
    A jurisdiction is added by adding a folder of TOML files.
    """
    british = {
        name: text.replace("IE", "GB").replace("EUR", "GBP") for name, text in IRELAND.items()
    }
    write(shelf / "GB", british)

    assert load_jurisdictions(shelf).codes == ("GB", "IE")
    assert load_jurisdictions(str(shelf)).codes == ("GB", "IE")


def test_files_are_named_by_their_folder(shelf):
    """
    The same files give the same decisions, wherever they lie.
    """
    assert load_jurisdictions(shelf).examples("IE")[0].file == "shelf/IE/renewal.toml"


def test_what_is_no_jurisdiction_is_left_alone(shelf):
    """
    Other files and folders, such as `digests.lock`, `README.md` and `.git`, are ignored.
    """
    (shelf / "digests.lock").write_text("")
    (shelf / ".git").mkdir()
    (shelf / "__pycache__").mkdir()
    (shelf / "IE" / "README.md").write_text("# Ireland")
    (shelf / "IE" / ".DS_Store").write_bytes(b"\0")

    assert load_jurisdictions(shelf).codes == ("IE",)


def test_every_error_of_every_jurisdiction_at_once(shelf):
    """
    The errors of all jurisdictions are reported at once.
    """
    french = IRELAND["renewal.toml"].replace("IE-", "FR-")
    write(shelf / "FR", {"renewal.toml": french, "renewals.toml": "", "notes": ""})
    write(shelf / "ireland", IRELAND)
    (shelf / "IE" / "products.toml").write_bytes(b"\xff")

    missing = "the file is missing; a jurisdiction has `jurisdiction.toml`, `renewal.toml`"
    expected = [
        "shelf/FR/notes: this file is not known here; a folder has nothing else in it",
        "shelf/FR/renewals.toml: this file is not known here; did you mean `renewal.toml`?",
        f"shelf/FR/jurisdiction.toml: {missing}",
        f"shelf/FR/products.toml: {missing}",
        "shelf/IE/products.toml:1: the file is not UTF-8; save it as UTF-8",
        "shelf/ireland: `ireland` is not the code of a jurisdiction; a folder is named as `GB`",
    ]

    found = said(shelf)

    assert len(found) == len(expected)
    for line, begins in zip(found, expected, strict=True):
        assert line.startswith(begins)


@pytest.mark.parametrize("code", ["GB", "US-CA", "DE-BY", "GB-1", "FR-2A"])
def test_codes(code):
    """
    A folder is named by an ISO 3166-1 or 3166-2 code, as `GB` or `US-CA`.
    """
    assert folder.CODE.fullmatch(code)


@for_every("name", ["gb", "GBR", "G", "US_CA", "US-", "US-CALI", "US-ca", "GB "])
def test_what_is_no_code(name):
    """
    A code has the shape `[A-Z]{2}(-[A-Z0-9]{1,3})?` of ISO 3166.
    """
    assert not folder.CODE.fullmatch(name)


def test_no_folder_and_an_empty_one(tmp_path):
    """
    Loading nothing is a mistake, not an empty answer.
    """
    assert said(tmp_path / "nowhere") == [f"{tmp_path / 'nowhere'}: there is no such folder"]
    assert said(tmp_path) == [f"{tmp_path}: there is no jurisdiction in this folder"]


def test_a_file_too_large_is_not_read_whole(shelf):
    """
    A file above the cap of 256 KiB is refused, and not read whole.
    """
    (shelf / "IE" / "renewal.toml").write_bytes(b"#" * (300 * 1024))

    assert said(shelf) == ["shelf/IE/renewal.toml: the file has more than 256 KiB"]


def test_a_file_that_cannot_be_opened(shelf):
    """
    A folder with the name of a file.
    """
    (shelf / "IE" / "renewal.toml").unlink()
    (shelf / "IE" / "renewal.toml").mkdir()

    assert said(shelf) == ["shelf/IE/renewal.toml: the file cannot be read; it is a folder"]


def test_the_ones_that_ship():
    """
    `jurisdictions/` is data without Python: one folder each, shipped in the wheel
    (decisions/layers).
    """
    loaded = load_jurisdictions()

    assert "GB" in loaded.codes
    assert loaded.examples("GB")[0].file == "jurisdictions/GB/jurisdiction.toml"
    assert loaded.examples("GB")[-1].file == "jurisdictions/GB/disclosures.toml"
    assert folder.bundled_path() == REPOSITORY / "jurisdictions"


def relocated(place):
    """Return the module `folder` as if it were in *place*, a copy of the repository's `src`."""
    path = place / "holdback" / "jurisdictions" / "folder.py"
    path.parent.mkdir(parents=True)
    path.write_bytes(Path(folder.__file__).read_bytes())
    spec = importlib.util.spec_from_file_location("holdback.jurisdictions.relocated", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "project", [None, "[project]\nname = 'another'", "not TOML", "project = 1"]
)
def test_a_repository_that_is_not_this_one_lends_nothing(tmp_path, project):
    """
    A `jurisdictions` folder of another project is not used.
    """
    if project is not None:
        (tmp_path / "pyproject.toml").write_text(project)
    (tmp_path / "jurisdictions").mkdir()

    with pytest.raises(
        ConfigurationError, match="holdback was installed without its jurisdictions"
    ):
        relocated(tmp_path / "src").bundled_path()


def test_a_checkout_elsewhere_lends_its_own(tmp_path):
    """
    A checkout of this project uses its own `jurisdictions` folder.
    """
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'holdback'")
    (tmp_path / "jurisdictions").mkdir()

    assert relocated(tmp_path / "src").bundled_path() == (tmp_path / "jurisdictions").resolve()


def test_jurisdictions_in_an_archive(shelf, tmp_path):
    """
    What ships is read through `importlib.resources`, so it may lie in an archive.
    """
    archive = tmp_path / "shelf.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for path in sorted(shelf.rglob("*.toml")):
            file.write(path, path.relative_to(shelf))

    loaded = folder.load_from(zipfile.Path(archive), "shelf")

    assert loaded == load_jurisdictions(shelf)
