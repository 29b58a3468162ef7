"""A jurisdiction's file with any content is read, or refused with every error that it has."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import count
from holdback import InvalidDocument
from holdback.jurisdictions.reader import read_jurisdiction
from holdback.jurisdictions.toml.scanner import tokens
from small_folders import IRELAND, errors_in

# fmt: off
PIECES = st.sampled_from([
    "1", "-1", "0.5", "1e5", "inf", "nan", "true", "9" * 20,
    "2026-01-01", "2026-01-01T00:00:00Z", "00:00:00",
    "[]", "{}", "{a=1}", "[[1]]", "=", ",", "[", "]", "{", "}", ".", "\n", "#",
    "''", '""', '"x"', '"{"', '"80%"', '"GBP 5"', '"1 day"', '"progress"', '"progress >= 50%"',
    '"performance >= minimum_performance"',
    '"\\u0000"', '"\\n"', '"\\""', '"""x\ny"""',
]) | st.text(max_size=3)
# fmt: on


@st.composite
def spoilt(draw):
    """The files of a jurisdiction with some pieces replaced."""
    files = dict(IRELAND)
    for _ in range(draw(st.integers(1, 3))):
        name = draw(st.sampled_from(sorted(files)))
        pieces = tokens(files[name])
        if not pieces:
            continue
        place = draw(st.sampled_from(pieces))
        piece = draw(PIECES | st.sampled_from(pieces).map(lambda token: token.text))
        files[name] = files[name][: place.start] + piece + files[name][place.end :]
    return files


@settings(max_examples=count("spoilt files"))
@given(files=spoilt())
def test_a_file_is_read_or_its_faults_are_named(files):
    """
    All errors are reported at once, with their places, in messages that end without a full stop.
    """
    texts = {name: text.encode(errors="replace").decode() for name, text in files.items()}

    errors = errors_in(texts)

    assert len(set(errors)) == len(errors)
    for error in errors:
        assert error.file.startswith("IE/")
        assert error.line is not None or "character" in error.message
        assert error.message.isprintable()
        assert not error.message.endswith(".")
        assert error.underlined()


@settings(max_examples=count("files of random bytes"))
@given(st.binary(max_size=200), st.sampled_from(sorted(IRELAND)))
def test_bytes_are_read_or_refused(body, name):
    """
    Random bytes are refused, whichever file they replace.
    """
    contents = {file: text.encode() for file, text in IRELAND.items()}
    with pytest.raises(InvalidDocument):
        read_jurisdiction("IE", {**contents, name: body})
