"""
The cases in the JSON files next to this one, as expressions and as files of a jurisdiction.

A text in these files is a string, or a list of pieces that are joined. A piece is a string or one
of these objects:

    {"repeat": text, "times": 5000}    the repeated text, in which `@n@` is the number of the
                                       repetition, from 0, and `@day@` is 2000-01-01 plus n days
    {"hex": "fffe"}                    these bytes, in a document only

A case has a `name` and a `why`. A hostile case also has the `stage` that must refuse it:

    {"expression": text}                        an expression of the rule language
    {"file": name, "content": text}             a jurisdiction's file; null removes it
    {"file": name, "edit": [[old, new], ...]}   the small jurisdiction's file with texts replaced;
                                                each old text, a string, occurs exactly once
    {"files": [...]}                            several of the two above

`"encoding"`, next to a content or an edit, is the encoding of the text if that is not UTF-8. A
hostile document has in `expect` a phrase of the message of the expected error. A control with an
expression has the `facts` for which it is interpreted, and the expected `value`.
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
# The stages of `RuleError`.
EXPRESSION_STAGES = ("text", "syntax", "types")
# The reasons to refuse a document: its size, encoding or invisible characters; the cost of reading
# it; the syntax of TOML; its keys and the types of its values; an expression in it; and its
# meaning, such as dates, ranges, duplicate names, and places that contradict each other.
DOCUMENT_STAGES = ("bytes", "cost", "toml", "shape", "rule", "meaning")

# The messages of each stage. Any other message is about the meaning.
_MESSAGES = {
    "bytes": r"the file (has more than|starts with a byte order|has a NUL|is not UTF-8)"
    r"|an invisible ",
    "cost": r"a key has at most|a key or a number has at most|values are nested at most"
    r"|there are more than \d+ words and signs",
    "toml": r"this is not TOML: ",
    "rule": None,  # any message about a `require` or `when` that is an expression
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
    """The contents of the jurisdiction's files in *case*, as bytes by name."""
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
    """The stage of the error of a document with this *message* and *path*."""
    for stage, pattern in _MESSAGES.items():
        if pattern is None:
            if re.search(r"\.(require|when)$", path) and not message.startswith(_NO_EXPRESSION):
                return stage
        elif re.match(pattern, message):
            return stage
    return "meaning"


def _edited(spoilt):
    text = IRELAND[spoilt["file"]].encode()
    for old, new in spoilt["edit"]:
        times = text.count(old.encode())
        assert times == 1, f"{old!r} is in {spoilt['file']} {times} times"
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
