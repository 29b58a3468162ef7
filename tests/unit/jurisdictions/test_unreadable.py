"""Folders and files that cannot be read: one jurisdiction's trouble never stops the others."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import socket

import pytest
from click.testing import CliRunner

from every_case import for_every
from holdback import InvalidDocument, load_jurisdictions
from holdback.cli.commands import holdback
from holdback.jurisdictions import regular_file
from holdback.jurisdictions.folder import load_valid_and_errors
from small_folders import IRELAND, child, country, write

CANNOT = "the file cannot be read"
IN_THE_WAY = "this is not a folder; a jurisdiction is a folder of files"


def loop(place):
    """A link that leads to itself."""
    place.symlink_to(place)


def nowhere(place):
    place.symlink_to(place.with_name("nowhere"))


def beyond_a_file(place):
    """A link to a file in the place of a folder."""
    place.with_name("notes").write_text("notes")
    place.symlink_to("notes")


def listener(place):
    """A socket, by a short name: the path of one has at most a hundred characters."""
    with contextlib.chdir(place.parent), socket.socket(socket.AF_UNIX) as opened:
        opened.bind(place.name)


def too_many(place):
    place.mkdir()
    for number in range(150):
        (place / f"file-{number}").touch()


# What is in the place of the folder `IE`, and what is said of it.
FOLDERS = {
    "a link that leads nowhere": (nowhere, "the link leads nowhere"),
    "a link to itself": (loop, "the link leads nowhere"),
    "a link to a file": (beyond_a_file, IN_THE_WAY),
    "a file": (lambda place: place.touch(), IN_THE_WAY),
    "a pipe": (os.mkfifo, IN_THE_WAY),
    "a socket": (listener, IN_THE_WAY),
}
# What is in the place of the file `renewal.toml` of `IE`, and what is said of it.
FILES = {
    "a link that leads nowhere": (nowhere, f"{CANNOT}; it is a link"),
    "a link to itself": (loop, f"{CANNOT}; it is a link"),
    "a link to a file": (beyond_a_file, f"{CANNOT}; it is a link"),
    "a folder": (lambda place: place.mkdir(), f"{CANNOT}; it is a folder"),
    "a pipe": (os.mkfifo, f"{CANNOT}; it is a pipe"),
    "a socket": (listener, f"{CANNOT}; it is a socket"),
}
# An error that the system may report, and what is said of it.
TROUBLES = {
    "no permission": (PermissionError(errno.EACCES, "denied"), "its permissions do not allow it"),
    "removed": (FileNotFoundError(errno.ENOENT, "gone"), "it is not there any more"),
    "a stale file": (OSError(errno.ESTALE, "stale"), None),
    "a broken disk": (OSError(errno.EIO, "broken"), None),
}


def root_with(tmp_path, name, **folders):
    return write(tmp_path / name.replace(" ", "-") / "all", NL=country(), **folders)


def read(root):
    """The codes that could be read, and what is said of the others, by `holdback check` too."""
    valid, errors = load_valid_and_errors(root, "all")
    assert all(error.file.startswith(("all/", str(root))) for error in errors)
    said = [str(error) for error in errors]
    checked = CliRunner().invoke(holdback, ["check", str(root), "--format", "json"])
    assert checked.exit_code == (1 if said else 0), checked.output
    assert all(str(error.message) in checked.output for error in errors)
    if said:
        with pytest.raises(InvalidDocument) as caught:
            load_jurisdictions(root)
        assert [str(error) for error in caught.value.errors] == said
    return valid.codes, said


@for_every("name", FOLDERS)
def test_what_is_in_the_place_of_a_folder(name, tmp_path):
    """
    A jurisdiction that is meant to be there is reported, and the others are read.
    """
    root = root_with(tmp_path, name)
    make, said = FOLDERS[name]
    make(root / "IE")

    assert read(root) == (("NL",), [f"all/IE: {said}"])


@for_every("name", FILES)
def test_what_is_in_the_place_of_a_file(name, tmp_path):
    """
    Only a regular file is read, nothing is waited for, and the others are read.
    """
    root = root_with(tmp_path, name, IE=IRELAND)
    make, said = FILES[name]
    (root / "IE" / "renewal.toml").unlink()
    make(root / "IE" / "renewal.toml")

    valid, errors = read(root)

    assert valid == ("NL",)
    assert [error for error in errors if "notes" not in error] == [f"all/IE/renewal.toml: {said}"]


def test_every_unreadable_file_is_named(tmp_path):
    """
    All errors of a folder are reported at once.
    """
    root = root_with(tmp_path, "all", IE=IRELAND)
    for file in (root / "IE").iterdir():
        file.unlink()
        os.mkfifo(file)
    (root / "IE" / "notes").touch()

    valid, errors = read(root)

    assert valid == ("NL",)
    assert errors == [
        "all/IE/notes: this file is not known here; a folder has nothing else in it",
        *(f"all/IE/{name}: {CANNOT}; it is a pipe" for name in sorted(IRELAND)),
    ]


def test_the_files_that_do_not_belong_are_reported_up_to_a_bound(tmp_path):
    """
    At most 100 files that do not belong into a folder are reported.
    """
    root = root_with(tmp_path, "many")
    too_many(root / "IE")

    _, errors = read(root)

    assert sum("not known here" in error for error in errors) == 100


@for_every(("name", "swap"), [(name, FILES[name]) for name in FILES if name != "a link to a file"])
def test_a_file_that_is_replaced_before_it_is_opened(name, swap, tmp_path):
    """
    What was a file when it was looked at, and is a pipe when it is opened, is not waited for.
    """
    root = root_with(tmp_path, name, IE=IRELAND)
    target = root / "IE" / "renewal.toml"
    real = os.open

    def swapped(path, *arguments, **options):
        if str(path) == str(target) and target.is_file():
            target.unlink()
            swap[0](target)
        return real(path, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(regular_file.os, "open", swapped)
        valid, errors = load_valid_and_errors(root, "all")

    assert valid.codes == ("NL",)
    (error,) = errors
    assert (error.file, error.message) == ("all/IE/renewal.toml", CANNOT)


@for_every(("name", "call"), [(name, call) for name in TROUBLES for call in ("lstat", "open")])
def test_a_file_that_the_system_does_not_give(name, call, tmp_path):
    """
    A permission that is missing, or a file that vanishes, is an error with the file's place.
    """
    root = root_with(tmp_path, f"{name} {call}", IE=IRELAND)
    target, (trouble, why) = root / "IE" / "products.toml", TROUBLES[name]
    real = getattr(os, call)

    def failing(path, *arguments, **options):
        if str(path) == str(target):
            raise trouble
        return real(path, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(regular_file.os, call, failing)
        valid, errors = load_valid_and_errors(root, "all")

    assert valid.codes == ("NL",)
    assert [str(error) for error in errors] == [
        f"all/IE/products.toml: {CANNOT}{'' if why is None else f'; {why}'}"
    ]


@for_every(
    ("name", "method"),
    [(name, method) for name in TROUBLES for method in ("iterdir", "is_dir", "is_symlink")],
)
def test_a_folder_that_the_system_does_not_give(name, method, tmp_path):
    """
    A folder without permission is reported with its place, wherever the system refuses it.
    """
    root = root_with(tmp_path, f"{name} {method}", IE=IRELAND)
    place, (trouble, why) = root / "IE", TROUBLES[name]
    real = getattr(type(root), method)

    def failing(path):
        if path == place:
            raise trouble
        return real(path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(root), method, failing)
        valid, errors = load_valid_and_errors(root, "all")

    if method != "iterdir":  # what it is could not be asked, and it could be read all the same
        assert (valid.codes, errors) == (("IE", "NL"), ())
        return
    assert valid.codes == ("NL",)
    assert [str(error) for error in errors] == [
        f"all/IE: the folder cannot be read{'' if why is None else f'; {why}'}"
    ]


@for_every("name", TROUBLES)
def test_the_folder_of_jurisdictions_itself(name, tmp_path):
    """
    When nothing can be listed, the error names the folder.
    """
    root, (trouble, why) = root_with(tmp_path, name), TROUBLES[name]

    def failing(path):
        raise trouble

    for method in ("iterdir", "is_dir"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(type(root), method, failing)
            with pytest.raises(InvalidDocument) as caught:
                load_jurisdictions(root)
        reason = f"; {why}" if why is not None and method == "iterdir" else ""
        assert str(caught.value) == f"{root}: the folder cannot be read{reason}"


def test_a_path_that_is_no_folder(tmp_path):
    """
    A file, a loop of links or a name that is too long is reported, without a stack trace.
    """
    (tmp_path / "file").touch()
    loop(tmp_path / "loop")
    said = {
        "file": "this is not a folder; give the folder of the jurisdictions",
        "loop": "there is no such folder",
        "x" * 5_000: "the folder cannot be read",
        "a\0b": "there is no such folder",
    }
    for name, message in said.items():
        with pytest.raises(InvalidDocument, match=message) as caught:
            load_jurisdictions(tmp_path / name)
        assert caught.value.errors[0].file == str(tmp_path / name)


def test_a_child_of_an_unreadable_parent(tmp_path):
    """
    A child says that its parent is invalid, and not that there is none.
    """
    root = root_with(tmp_path, "family", NL_ZH=child(), IE=IRELAND)
    (root / "NL" / "renewal.toml").unlink()
    os.mkfifo(root / "NL" / "renewal.toml")

    valid, errors = read(root)

    assert valid == ("IE",)
    assert errors[0] == f"all/NL/renewal.toml: {CANNOT}; it is a pipe"
    assert "there is no jurisdiction" not in errors[1]


@for_every("name", ["a pipe", "a link that leads nowhere", "a folder"])
def test_a_lock_that_cannot_be_read(name, tmp_path):
    """
    The lock is a regular file too: anything else is reported, and not waited for.
    """
    root = root_with(tmp_path, name)
    FILES[name][0](root / "digests.lock")
    checked = CliRunner().invoke(holdback, ["check", str(root)])

    assert checked.exit_code == 1
    assert "digests.lock: the lock is not a regular file" in checked.output
    shutil.rmtree(root)
