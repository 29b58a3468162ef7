"""Pipes and links in a folder of jurisdictions, and values that are not text or bytes."""

from __future__ import annotations

import os

import pytest

from holdback import InvalidDocument, RuleError, load_jurisdictions
from holdback.jurisdictions.reader import read_jurisdiction
from holdback.rules import parse
from small_folders import IRELAND


def written(folder):
    (folder / "IE").mkdir()
    for name, text in IRELAND.items():
        (folder / "IE" / name).write_text(text, encoding="utf-8")
    return folder / "IE"


def errors_of_loading(folder):
    with pytest.raises(InvalidDocument) as caught:
        load_jurisdictions(folder)
    return "\n".join(error.underlined() for error in caught.value.errors)


def test_a_pipe_is_not_waited_for(tmp_path):
    """A folder that somebody else may write does not hang a service."""
    (written(tmp_path) / "renewal.toml").unlink()
    os.mkfifo(tmp_path / "IE" / "renewal.toml")

    assert "renewal.toml: the file cannot be read" in errors_of_loading(tmp_path)


def test_a_link_is_not_followed_and_nothing_behind_it_is_shown(tmp_path):
    """An error message goes into logs; another file's content does not."""
    secret = tmp_path / "secret"
    secret.write_text("root:x:0:0", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    (written(tmp_path / "folder") / "renewal.toml").unlink()
    (tmp_path / "folder" / "IE" / "renewal.toml").symlink_to(secret)
    said = errors_of_loading(tmp_path / "folder")

    assert "renewal.toml: the file cannot be read" in said
    assert "root:x" not in said


def test_a_link_that_leads_nowhere_is_told(tmp_path):
    """A jurisdiction that is meant to be there is not silently missing."""
    written(tmp_path)
    (tmp_path / "SE").symlink_to(tmp_path / "nowhere")

    assert "SE: the link leads nowhere" in errors_of_loading(tmp_path)


def test_the_jurisdictions_own_folder_given(tmp_path):
    """A likely slip gets a hint."""
    assert "give the folder above it" in errors_of_loading(written(tmp_path))


@pytest.mark.parametrize("source", [None, 5, b"progress >= 50%", ["progress"]])
def test_an_expression_is_text(source):
    """A typed error, at the first stage."""
    with pytest.raises(RuleError) as caught:
        parse(source)

    assert caught.value.stage == "text"


@pytest.mark.parametrize("body", [None, "format = 1", 5])
def test_a_file_is_bytes(body):
    """A typed error that names the file."""
    files = {name: text.encode() for name, text in IRELAND.items()} | {"renewal.toml": body}
    with pytest.raises(InvalidDocument, match=r"renewal\.toml"):
        read_jurisdiction("IE", files)
