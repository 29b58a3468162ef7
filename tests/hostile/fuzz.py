"""
Give random expressions and files to their readers, and print the results as JSON.

    python fuzz.py SEED EXPRESSIONS DOCUMENTS [PLANT]

An expression is read, checked and interpreted. A document is the three files of a jurisdiction,
which are read. Either is valid, or refused at one of the stages with the error that its reader
promises; anything else is a failure. An audit hook notes files that are opened, code that is
compiled or run, modules that are imported, and all other audit events. A hook cannot be removed, so
this is a script and not a test. PLANT is `event` or `untyped`, a failure to be planted.
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import re
import sys
import time
import zoneinfo
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "laws"), str(TESTS / "hostile")]

import corpus  # noqa: E402

from holdback import InvalidDocument  # noqa: E402
from holdback.errors import RuleError  # noqa: E402
from holdback.jurisdictions.reader import read_jurisdiction  # noqa: E402
from holdback.jurisdictions.toml.scanner import tokens  # noqa: E402
from holdback.rules import check, interpret, parse  # noqa: E402
from rule_generator import RuleGenerator  # noqa: E402
from small_catalogue import CATALOGUE  # noqa: E402
from small_folders import IRELAND  # noqa: E402

# The number of the case at which a failure is planted.
PLANTED_AT = 7
MOST_FAILURES = 5

# -- expressions

WORDS = (
    *("(", ")", "[", "]", ",", "+", "-", "*", "<", ">", "<=", ">=", "==", "!=", "and", "or", "not"),
    *("in", "min(", "max(", "abs(", "true", "false", "50%", "1.5", "3", "0", "-1", "GBP 5.00"),
    *("USD 1", "14 days", "1 day", "2026-03-01", "2026-02-30", '"Funded"', '"A"', '"', "'", "."),
    *("progress", "balance", "missed", "status", "grade", "verified", "age", "factor_rate"),
    *("most_missed", "minimum_performance", "nonsense", "__class__", "lambda", "9" * 31, "1e9"),
    *(
        "**",
        "//",
        "%",
        "=",
        ":=",
        ";",
        "#",
        "{",
        "}",
        "\\",
        "$",
        "\t",
        "\n",
        "\0",
        "\u202e",
        "\ud800",
    ),
)
VALUES = (
    *(
        "progress",
        "balance",
        "missed",
        "status",
        "grade",
        "verified",
        "age",
        "factor_rate",
        "slack",
    ),
    *(
        "most_missed",
        "minimum_performance",
        "checked_on",
        "GBP 5",
        "50%",
        "1.5",
        "3",
        "9" * 25,
        "true",
    ),
)
ALPHABET = "".join(map(chr, range(32, 127)))


class Expressions:
    """Random expressions, of five kinds in turn, and random facts."""

    def __init__(self, chance):
        self.chance = chance
        generator = RuleGenerator(chance, CATALOGUE)
        self.rules = [generator.rule().source for _ in range(400)]
        self.facts = [generator.known_facts() for _ in range(40)]
        self.facts += [
            tuple(None if chance.random() < 0.5 else number for number in numbers)
            for numbers in self.facts
        ]
        self.facts.append((None,) * len(CATALOGUE.facts))
        self.kinds = (self.joined, self.mutated, self.swapped, self.soup, self.noise)

    def next(self, turn):
        """The expression with the number *turn*."""
        return self.kinds[turn % len(self.kinds)]()

    def joined(self):
        """Two rules joined, which is valid unless the result is too long."""
        first, second = self.chance.choice(self.rules), self.chance.choice(self.rules)
        joined = self.chance.choice(("{} and {}", "{} or ({})", "not ({}) or {}", "({}) and {}"))
        return joined.format(first, second)

    def mutated(self):
        """A rule with a few words or characters changed, doubled, moved or left out."""
        chance = self.chance
        parts = chance.choice(self.rules)
        parts = parts.split(" ") if chance.random() < 0.6 else list(parts)
        glue = " " if len(parts[0]) > 1 else ""
        for _ in range(chance.choice((1, 1, 2, 5))):
            place = chance.randrange(len(parts))
            part = chance.choice((chance.choice(WORDS), chance.choice(parts), parts[place] * 2, ""))
            if chance.random() < 0.3:
                parts.insert(place, part)
            else:
                parts[place] = part
        return glue.join(parts)

    def swapped(self):
        """A rule with values and names replaced, mostly of correct syntax."""
        parts = re.split(r"(\w+)", self.chance.choice(self.rules))
        for place in self.chance.choices(range(1, len(parts), 2), k=self.chance.choice((1, 2))):
            parts[place] = self.chance.choice(VALUES)
        return "".join(parts)

    def soup(self):
        """Words of this language and similar ones, in random order."""
        words = self.chance.choices(WORDS, k=self.chance.randrange(1, 12))
        return self.chance.choice((" ", " ", "")).join(words)

    def noise(self):
        """Random bytes decoded, or random ASCII characters."""
        if self.chance.random() < 0.5:
            return "".join(self.chance.choices(ALPHABET, k=self.chance.randrange(30)))
        body = self.chance.randbytes(self.chance.randrange(1, 30))
        return body.decode(self.chance.choice(("latin-1", "utf-8")), "surrogateescape")


def read_expression(source, facts):
    """The stage at which *source* is refused, or `valid` if it has values for *facts*."""
    try:
        rule = check(parse(source), CATALOGUE)
    except RuleError as error:
        return error.stage
    for numbers in facts:
        value = interpret(rule, numbers)
        assert value is None or isinstance(value, int), f"the value is {value!r}"
    return "valid"


# -- documents

PIECES = (
    *("1", "-1", "0.5", "1e5", "inf", "nan", "true", "9" * 20, "9" * 70, "0x1f", "1_0", "0", "400"),
    *("2026-01-01", "2026-01-01T00:00:00Z", "00:00:00", "9999-12-31", "0001-01-01", "2026-02-30"),
    *(
        "[]",
        "{}",
        "{a=1}",
        "[[1]]",
        "=",
        ",",
        "[",
        "]",
        "{",
        "}",
        ".",
        "\n",
        "\r",
        "#",
        "a.b",
        "[" * 33,
        "k" * 70,
    ),
    *(
        "''",
        '""',
        '"x"',
        '"{"',
        '"{x}"',
        '"80%"',
        '"EUR 5"',
        '"GBP 5"',
        '"1 day"',
        '"progress"',
        '"and"',
    ),
    *(
        '"progress >= 50%"',
        '"performance >= minimum_performance"',
        '"balance < GBP 5"',
        '"a("',
        '"1 < 2"',
    ),
    *('"\\u0000"', '"\\n"', '"\\""', '"""x\ny"""', '"__class__"', "__proto__", '"Europe/Atlantis"'),
    *(
        "\0",
        "\u200b",
        "\u202e",
        "\ufeff",
        "\ud800",
        "\xa0",
        "\u0430",
        ".a" * 9,
        "flex",
        "from",
        "until",
    ),
)


# Replacements for expressions, other texts, dates and other values, mostly valid TOML.
RULES = (
    *(
        "progress >= 60%",
        "identity_verified",
        "performance >= minimum_performance",
        "balance < GBP 5",
    ),
    *(
        "missed_remittances_30d <= 3",
        "missed_remittances_30d <= 31",
        "1 < 2",
        "progress",
        "progress >= 0.5",
    ),
    *(
        "performance == 80%",
        "credit_score * credit_score > 1",
        "identity_verified == true",
        "nonsense",
    ),
    *("identity_verified and (", "progress.__class__", "credit_score < 9**9", "", "status in [1]"),
)
TEXTS = (
    *(
        "policy",
        "IE",
        "GB",
        "EUR",
        "JPY",
        "percent",
        "money",
        "half_even",
        "UTC",
        "flex",
        "on-pace",
    ),
    *(
        "IE-R-01",
        "IE-R-02",
        "IE-P-01",
        "few-missed",
        "refer",
        "decline",
        "eligible",
        "undetermined",
        "Declined",
    ),
    *(
        "50%",
        "100%",
        "0%",
        "80.00001%",
        "101%",
        "EUR 500",
        "EUR 0.001",
        "1.2",
        "1 day",
        "{progress}",
        "{0}",
    ),
    *(
        "{performance}",
        "{performance",
        "{performance!r}",
        "fixed",
        "x",
        "",
        " ",
        "performance",
        "Funded",
    ),
)
DATES = (
    "2025-01-01",
    "2026-01-01",
    "2026-02-01",
    "2027-01-01",
    "0001-01-01",
    "9999-12-31",
    "2024-02-29",
)
NUMBERS = (
    "0",
    "1",
    "-1",
    "2",
    "90",
    "10000",
    "999999999999999999",
    "0.5",
    "true",
    "false",
    "nan",
    "[]",
    "{}",
)


class Documents:
    """The files of the small jurisdiction, with random changes to one of them."""

    def __init__(self, chance):
        self.chance = chance
        self.bytes = {name: text.encode() for name, text in IRELAND.items()}
        self.names = sorted(IRELAND)
        self.spans = {
            name: [(token.start, token.end) for token in tokens(text) if token.kind != "newline"]
            for name, text in IRELAND.items()
        }
        self.lines = {name: text.splitlines(keepends=True) for name, text in IRELAND.items()}
        self.values = {
            name: [span for span in spans if IRELAND[name][span[0]] in "\"'0123456789tf"]
            for name, spans in self.spans.items()
        }
        self.kinds = (self.valued, self.replaced, self.valued, self.moved, self.valued, self.broken)

    def next(self, turn):
        """The files with the number *turn*."""
        name = self.chance.choice(self.names)
        return {**self.bytes, name: self.kinds[turn % len(self.kinds)](name)}

    def valued(self, name):
        """The file with a few values replaced by others of their kind."""
        text = IRELAND[name]
        chosen = self.chance.sample(self.values[name], self.chance.choice((1, 1, 2, 3)))
        for start, end in sorted(chosen, reverse=True):  # backwards, so that spans stay valid
            text = text[:start] + self._like(text[start:end]) + text[end:]
        return text.encode()

    def _like(self, value):
        if value[0] in "\"'":
            inner = value.strip("\"'")
            compares = " " in inner and ("=" in inner or "<" in inner)
            expression = compares or inner.endswith("_verified")
            text = self.chance.choice(RULES if expression else TEXTS)
            return f"'{text}'" if '"' in text else f'"{text}"'
        return self.chance.choice(DATES if value[4:5] == "-" else NUMBERS)

    def replaced(self, name):
        """The file with a few pieces replaced by its own or by foreign ones."""
        text = IRELAND[name]
        chosen = self.chance.sample(self.spans[name], self.chance.choice((1, 1, 1, 2, 3)))
        for start, end in sorted(chosen, reverse=True):  # backwards, so that spans stay valid
            piece = self.chance.choice(PIECES)
            if self.chance.random() < 0.4:
                first, last = self.chance.choice(self.spans[name])
                piece = IRELAND[name][first:last]
            elif self.chance.random() < 0.1:
                piece = ""
            text = text[:start] + piece + text[end:]
        return text.encode("utf-8", "surrogatepass")

    def moved(self, name):
        """The file with some lines left out, doubled or moved."""
        lines = list(self.lines[name])
        for _ in range(self.chance.choice((1, 1, 2))):
            place, target = self.chance.randrange(len(lines)), self.chance.randrange(len(lines))
            line = lines[place]
            if self.chance.random() < 0.7:
                del lines[place]
            if self.chance.random() < 0.5:
                lines.insert(target, line)
        return "".join(lines).encode()

    def broken(self, name):
        """Random bytes, alone or within the file."""
        body, start = self.bytes[name], self.chance.randrange(len(self.bytes[name]))
        noise = self.chance.randbytes(self.chance.randrange(1, 8))
        if self.chance.random() < 0.3:
            return noise
        if self.chance.random() < 0.3:
            return body[:start]
        if self.chance.random() < 0.5:
            noise = noise.translate(bytes(32 + byte % 95 for byte in range(256)))
        return body[:start] + noise + body[start + self.chance.randrange(3) :]


def read_document(files):
    """The stage of the first error in *files*, or `valid`."""
    try:
        read_jurisdiction("IE", files, file_prefix="IE/")
    except InvalidDocument as error:
        for detail in error.errors:
            assert detail.file or "reading stopped" in detail.message, f"in no file: {detail!r}"
            assert detail.message.isprintable(), f"not printable: {detail!r}"
        return corpus.stage_of(error.errors[0].message, error.errors[0].path or "")
    return "valid"


# -- watching


class Watch:
    """Counts audit events while it is `on`, and those that are expected apart from the others."""

    def __init__(self):
        self.on = False
        self.events = Counter()
        self.expected = Counter()
        tzdata = importlib.util.find_spec("tzdata")
        self.zones = tuple(zoneinfo.TZPATH)
        if tzdata is not None:
            self.zones += tuple(tzdata.submodule_search_locations)
        sys.addaudithook(self.hook)

    def hook(self, event, arguments):
        """Called by Python for every audit event."""
        if not self.on:
            return
        self.on = False  # looking at the event may raise another one
        if self.is_expected(event, arguments):
            self.expected[event] += 1
        else:
            self.events[f"{event} {arguments!r:.200}"] += 1
        self.on = True

    def is_expected(self, event, arguments):
        """
        Whether the event is a look-up in the database of time zones.

        A jurisdiction's file names its time zone, which is looked up there and nowhere else.
        """
        path = arguments[0] if arguments else None
        if event not in ("open", "os.listdir") or not isinstance(path, str | os.PathLike):
            return False
        return any(Path(path).is_relative_to(zone) for zone in self.zones)


def warm_up():
    """Do what happens on first use: looking up a time zone and the first hint import modules."""
    for name in ("Europe/Dublin", "Europe/Atlantis", "Nowhere/Atlantis"):
        text = IRELAND["jurisdiction.toml"].replace("Europe/Dublin", name)
        read_document(
            {
                **{file: text.encode() for file, text in IRELAND.items()},
                "jurisdiction.toml": text.encode(),
            }
        )
    for expression in ("progress >= 50%", "progress >= 62,5%"):
        read_expression(expression, [])


def planted(plant):
    """Cause the failure that *plant* names."""
    if plant == "event":
        compile("1", "planted", "eval")
    elif plant == "untyped":
        raise KeyError("planted")


def run(read, cases, count, watch, plant):
    """The number of *cases* that reached each stage, out of *count*, and the first failures."""
    stages, failures, started = Counter(), [], time.perf_counter()
    for turn in range(count):
        case = cases(turn)
        watch.on = True
        try:
            stage = read(*case)
            if turn == PLANTED_AT:
                planted(plant)
        except Exception as error:  # noqa: BLE001 - any error is a failure
            watch.on = False
            stage = "failed"
            if len(failures) < MOST_FAILURES:
                failures.append(
                    {"turn": turn, "case": repr(case)[:2000], "error": repr(error)[:300]}
                )
        watch.on = False
        stages[stage] += 1
    return {
        "stages": dict(stages),
        "failures": failures,
        "seconds": round(time.perf_counter() - started, 1),
    }


def main(seed, expressions, documents, plant=None):
    """Read all cases and print the summary."""
    chance = random.Random(int(seed))
    sources, files = Expressions(chance), Documents(chance)
    watch = Watch()
    warm_up()

    def expression(turn):
        return sources.next(turn), chance.choices(sources.facts, k=3)

    def document(turn):
        return (files.next(turn),)

    summary = {
        "expressions": run(read_expression, expression, int(expressions), watch, plant),
        "documents": run(read_document, document, int(documents), watch, plant),
        "events": dict(watch.events.most_common(20)),
        "expected": dict(watch.expected),
    }
    sys.stdout.write(json.dumps(summary) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
