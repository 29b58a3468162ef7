"""A folder of jurisdictions with one hostile member: the others are still reported."""

from __future__ import annotations

import json
import os
import pathlib

import pytest
from invocation import findings, invoke

from holdback.jurisdictions import regular_file
from small_folders import changed, child, country, write

UNREADABLE = "the file cannot be read"


def binary(root):
    (root / "BE" / "renewal.toml").write_bytes(b"\xff\xfe\x80" * 100)
    return "BE/renewal.toml", "the file is not UTF-8"


def half_written(root):
    text = (root / "BE" / "renewal.toml").read_text()
    (root / "BE" / "renewal.toml").write_text(text[: text.index("timeline") + 15])
    return "BE/renewal.toml", "this is not TOML"


def empty(root):
    (root / "BE" / "jurisdiction.toml").write_text("")
    return "BE/jurisdiction.toml", "`format` is missing"


def pipe(root):
    (root / "BE" / "products.toml").unlink()
    os.mkfifo(root / "BE" / "products.toml")
    return "BE/products.toml", UNREADABLE


def symlink(root):
    (root / "BE" / "products.toml").unlink()
    (root / "BE" / "products.toml").symlink_to("/etc/passwd")
    return "BE/products.toml", UNREADABLE


def loop(root):
    (root / "BE" / "products.toml").unlink()
    (root / "BE" / "products.toml").symlink_to("products.toml")
    return "BE/products.toml", UNREADABLE


def dangling(root):
    (root / "LU").symlink_to("nowhere")
    return "LU", "the link leads nowhere"


def folder_as_file(root):
    (root / "BE" / "products.toml").unlink()
    (root / "BE" / "products.toml").mkdir()
    return "BE/products.toml", UNREADABLE


def too_large(root):
    (root / "BE" / "renewal.toml").write_bytes(b"#" * 300_000)
    return "BE/renewal.toml", "the file has more than 256 KiB"


def another_name(root):
    (root / "BE").rename(root / "be")
    return "be", "`be` is not the code of a jurisdiction"


def escapes_in_a_name(root):
    (root / "BE").rename(root / "B\x1b[31mE")
    return "B?[31mE", "`B?[31mE` is not the code of a jurisdiction"


def bytes_in_a_name(root):
    (root / "BE").rename(root / os.fsdecode(b"\xff\xfe"))
    return "??", "`??` is not the code of a jurisdiction"


def stray_file(root):
    pathlib.Path(os.fsdecode(os.fsencode(root / "BE") + b"/\xff\n.toml")).write_text("")
    return "BE/??.toml", "this file is not known here"


def escapes_in_a_text(root):
    file = root / "BE" / "renewal.toml"
    file.write_text(
        file.read_text().replace("progress = ", '"\\u001b[31m\\u202e" = "64%"\nprogress = ', 1)
    )
    return "BE/renewal.toml", "unknown fact `?[31m?`"


def deep(root):
    (root / "BE" / "renewal.toml").write_text("x = " + "[" * 1000 + "]" * 1000)
    return "BE/renewal.toml", ""


def unreadable(root, monkeypatch):
    real = pathlib.Path.iterdir

    def iterdir(path):
        if path.name == "BE":
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(pathlib.Path, "iterdir", iterdir)
    return "BE", "the folder cannot be read"


def unreadable_file(root, monkeypatch):
    real = os.open

    def open_(path, *arguments, **options):
        if os.fspath(path).endswith("BE/renewal.toml"):
            raise PermissionError(13, "Permission denied")
        return real(path, *arguments, **options)

    monkeypatch.setattr(regular_file.os, "open", open_)
    return "BE/renewal.toml", UNREADABLE


HOSTILE = [
    binary, half_written, empty, pipe, symlink, loop, dangling, folder_as_file, too_large,
    another_name, escapes_in_a_name, bytes_in_a_name, stray_file, escapes_in_a_text, deep,
    unreadable, unreadable_file,
]  # fmt: skip


@pytest.fixture(params=HOSTILE, ids=lambda each: each.__name__)
def hostile(request, tmp_path, monkeypatch):
    """A folder with one hostile member, and a country whose only finding is a passed review."""
    text = changed(country(), "jurisdiction.toml", "2027-06-30", "2020-01-01")
    write(tmp_path, NL=text, NL_ZH=child(), BE=country("BE"))
    spoil = request.param
    with_patch = spoil in (unreadable, unreadable_file)
    return tmp_path, *(spoil(tmp_path, monkeypatch) if with_patch else spoil(tmp_path))


def test_the_others_are_reported(hostile):
    """
    An unreadable, half-written or hostile folder never stops the others from being reported.
    """
    root, file, message = hostile
    ran = invoke("check", ".", "--on", "2026-07-01", "--format", "json", cwd=root)
    found = findings(ran)

    assert ran.exit_code == 1
    assert json.loads(ran.stdout)["jurisdictions"] in (2, 3)
    assert ("./NL/jurisdiction.toml", 11, "the review was due by 2020-01-01") in found
    assert any(each[0] == f"./{file}" and each[2].startswith(message) for each in found), found


@pytest.mark.parametrize("form", ["text", "github"])
def test_output_is_escaped(hostile, form):
    """
    A file cannot write to the terminal: output is escaped.
    """
    root, *_ = hostile
    ran = invoke("check", ".", "--on", "2026-07-01", "--format", form, cwd=root)

    assert ran.exit_code == 1
    assert "the review was due" in ran.output
    assert all(each.isprintable() for each in ran.output.replace("\n", ""))


def test_the_others_are_tested(hostile):
    """
    The examples of the others run.
    """
    root, *_ = hostile
    ran = invoke("test", ".", "--format", "json", cwd=root)
    tested = {each["jurisdiction"]: each["passed"] for each in json.loads(ran.stdout)}

    assert ran.exit_code == 2
    assert tested["NL"] is True
    assert all(each.isprintable() for each in ran.stderr.replace("\n", ""))


def test_nothing_is_locked(hostile):
    """
    Exit code 2 for misuse or a document that cannot be read.
    """
    root, *_ = hostile

    assert invoke("lock", ".", "--on", "2026-07-01", cwd=root).exit_code == 2
    assert not (root / "digests.lock").exists()


def test_show_of_a_valid_neighbour(hostile):
    """
    An unreadable, half-written or hostile folder never stops the others from being reported.
    """
    root, *_ = hostile
    ran = invoke("show", "NL", "--on", "2026-07-01", "--jurisdictions", root)

    assert ran.exit_code == 0
    assert "cannot be read" not in ran.output


def test_the_root_cannot_be_read(tmp_path, monkeypatch):
    """
    The folder of all jurisdictions cannot be read.
    """
    write(tmp_path, NL=country())

    def iterdir(_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(pathlib.Path, "iterdir", iterdir)

    assert invoke("check", tmp_path).exit_code == 1
    assert invoke("test", tmp_path).exit_code == 2


@pytest.mark.parametrize("kind", ["folder", "binary"])
def test_a_hostile_lock(tmp_path, kind):
    """
    A lock file that is not one is a finding.
    """
    write(tmp_path, NL=country())
    lock = tmp_path / "digests.lock"
    if kind == "folder":
        lock.mkdir()
    else:
        lock.write_bytes(b"\x00\xff\x1b[31m\n" * 3)
    ran = invoke("check", tmp_path)

    assert ran.exit_code == 1
    assert "digests.lock" in ran.output
    assert "\x1b" not in ran.output
