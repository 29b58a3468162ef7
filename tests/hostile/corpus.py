"""The three files of cases, and how a case becomes an expression or the files of a jurisdiction.

A text in the files is a string, or a list of pieces, one after the other. A piece is a string, or
one of these objects:

    {"repeat": text, "times": 5000}    the text again and again; in it `@n@` is the number of the
                                       turn, from 0, and `@day@` the day that number of days after
                                       2000-01-01
    {"hex": "fffe"}                    these bytes, in a document only

A case has a `name` and a `why`, and a hostile one the `stage` that must refuse it:

    {"expression": text}                        an expression of the rule language
    {"file": name, "content": text}             a jurisdiction's file, whole; null: it is not there
    {"file": name, "edit": [[old, new], ...]}   the file of the small jurisdiction with these texts
                                                changed: each old one, a string, is there exactly
                                                once
    {"files": [...]}                            several of the two above

`"encoding"`, beside a content or an edit, is how the text becomes bytes when that is not UTF-8. A
hostile document has in `expect` a phrase of the message that must be reported. A control that is an
expression has the `facts` on which it is interpreted, and the `value` that must come out.
"""

from __future__ import annotations

import json
import re
from datetime import date, timedelta
from pathlib import Path

from small_folders import IRELAND

FOLDER = Path(__file__).parent
EXPRESSIONS, DOCUMENTS, CONTROLS = (
    FOLDER / f"{name}.json" for name in ("expressions", "documents", "controls")
)
# The stages of an expression are those of `RuleError`.
EXPRESSION_STAGES = ("text", "syntax", "types")
# What refuses a document: its size, encoding and invisible characters; what it would cost to read;
# the syntax of TOML; its keys and the types of its values; an expression in it; and what it means:
# dates, ranges, names used twice, and everything that two places have to agree about.
DOCUMENT_STAGES = ("bytes", "cost", "toml", "shape", "rule", "meaning")

# The messages of each stage. Any other message is about the meaning.
_SAYS = {
    "bytes": r"the file (has more than|starts with a byte order|has a NUL|is not UTF-8)"
    r"|an invisible ",
    "cost": r"a key has at most|a key or a number has at most|values are nested at most"
    r"|there are more than \d+ words and signs",
    "toml": r"this is not TOML: ",
    "rule": None,  # whatever is said of an expression that is one
    "shape": r"unknown (key|type|answer|rounding|outcome|decision) `|.* is missing$"
    r"|expected .*, not (an? |text$)"
    r"|expected (printable text|text|an id|a code|a key|the name of)\b"
    r"|expected (a name such as|the code of|an amount (in|such as)|a plain decimal|a percentage)\b"
    r"|expected (a short text of|`\.` or)|expected (percent|money \(...\)) in quotes"
    r"|expected (a date|days) such as"
    r"|this is empty|a number (is written in|has at most) |(... amounts: )?at most \d+ decimals",
}
_NO_EXPRESSION = "expected an expression in quotes"

_FIRST_DAY = date(2000, 1, 1)


def cases(path):
    """The cases in the file at *path*."""
    return json.loads(path.read_text("ascii"))


def expression(case):
    """The expression of *case*, as text."""
    return "".join(_pieces(case["expression"]))


def files(case):
    """The files of a jurisdiction, as bytes by name, as *case* has them."""
    contents = {name: text.encode() for name, text in IRELAND.items()}
    for spoilt in case.get("files", [case]):
        if spoilt.get("content", "") is None:
            del contents[spoilt["file"]]
        elif "content" in spoilt:
            contents[spoilt["file"]] = _bytes(spoilt["content"], spoilt)
        else:
            contents[spoilt["file"]] = _edited(spoilt)
    return contents


def stage_of(message, path):
    """The stage at which the error with this *message* and *path* was found."""
    for stage, says in _SAYS.items():
        if says is None:
            if re.search(r"\.(require|when)$", path) and not message.startswith(_NO_EXPRESSION):
                return stage
        elif re.match(says, message):
            return stage
    return "meaning"


def _edited(spoilt):
    text = IRELAND[spoilt["file"]].encode()
    for old, new in spoilt["edit"]:
        found = text.count(old.encode())
        assert found == 1, f"{old!r} is in {spoilt['file']} {found} times"
        text = text.replace(old.encode(), _bytes(new, {}))
    if "encoding" in spoilt:
        text = text.decode().encode(spoilt["encoding"])
    return text


def _bytes(text, spoilt):
    encoding = spoilt.get("encoding", "utf-8")
    return b"".join(
        piece if isinstance(piece, bytes) else piece.encode(encoding) for piece in _pieces(text)
    )


def _pieces(text):
    """The strings and bytes of *text*, in order."""
    for piece in text if isinstance(text, list) else [text]:
        if isinstance(piece, str):
            yield piece
        elif "hex" in piece:
            yield bytes.fromhex(piece["hex"])
        else:
            assert piece.keys() == {"repeat", "times"}, f"unknown keys in {piece}"
            yield from _repeated("".join(_pieces(piece["repeat"])), piece["times"])


def _repeated(text, times):
    if "@" not in text:
        yield text * times
        return
    for turn in range(times):
        day = str(_FIRST_DAY + timedelta(days=turn)) if "@day@" in text else ""
        yield text.replace("@n@", str(turn)).replace("@day@", day)
