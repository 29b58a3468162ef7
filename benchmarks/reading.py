"""Reading two hundred jurisdictions, from the bytes of their files.

Measures: `read_jurisdictions` on 160 countries and 40 subdivisions of them, each with ten dates of
change or more: all files read and checked, all rules parsed and checked at every value of their
parameters, timelines resolved, examples read, and digests made. They are the jurisdictions that
ship, with other codes, other values and further dates. The bytes are in memory.

Against: `tomllib` on the same bytes, its results kept. The ratio to reach: at most 5.

Also: looking up a rulebook by `resolve`, on a day of change and on another day, against a dict by
code and day. It has no ratio to reach.

Run it: `python benchmarks/reading.py`; `--rounds` and `--smallest` make it shorter.
"""

from __future__ import annotations

import gc
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from decimal import Decimal
from itertools import product
from string import ascii_uppercase
from time import perf_counter
from typing import Any

from ratios import interleaved, print_table
from sizes import sizes

from holdback import Jurisdictions, load_jurisdictions
from holdback.jurisdictions.folder import bundled_path
from holdback.jurisdictions.reader import FILES, RENEWAL, FolderFiles, read_jurisdictions

CHANGES = 10
RATIO_TO_REACH = 5

BUNDLED = load_jurisdictions()
PARENTS = {each.code: each.policy.layers[0].code for each in BUNDLED}
COUNTRIES = [code for code in BUNDLED.codes if PARENTS[code] == code]
CHILDREN = [code for code in BUNDLED.codes if PARENTS[code] != code]
# By how much a further entry of a timeline differs from the one before, by the parameter's type.
UNITS = {"percent": "0.0001", "ratio": "0.0001", "count": "1", "days": "1", "money": "1"}
FIRST_FURTHER, APART = date(2027, 1, 1), timedelta(days=91)


# -- two hundred jurisdictions


def texts_of(code: str) -> dict[str, str]:
    """Return the files of a jurisdiction that ships."""
    folder = bundled_path() / code
    return {
        name: (folder / name).read_text(encoding="utf-8")
        for name in FILES
        if (folder / name).is_file()
    }


def renamed(texts: Mapping[str, str], before: str, after: str) -> dict[str, str]:
    """Return *texts* with another code of the jurisdiction, also in rules and examples."""
    pattern = re.compile(rf"\b{before}\b(?![A-Z])")
    return {name: pattern.sub(after, text) for name, text in texts.items()}


def further(texts: Mapping[str, str], model: str, place: int) -> dict[str, str]:
    """Return *texts* with the dates of change that *model* lacks, each with another value."""
    text = texts[RENEWAL]
    known = tomllib.loads(text)["parameters"]
    rules = BUNDLED[model].slices[-1].renewal.rules
    read = {name for rule in rules for name in rule.checked.parameters}
    movable = [name for name in known if name in read and known[name]["type"] in UNITS]
    # A change of prose or of fees is in no digest.
    digests = {rulebook.digest for rulebook in BUNDLED[model].slices}
    count = max(0, CHANGES - len(digests))
    for number in range(count):
        name = movable[number % len(movable)]
        value = known[name]["timeline"][-1]["value"]
        day = FIRST_FURTHER + number * APART
        entry = f"  {{ from = {day}, value = {moved(value, known[name]['type'], place)}, "
        entry += 'source = "reference policy, a further review" },\n'
        start = text.index(f"[parameters.{name}]")
        end = text.index("\n]", start) + 1
        text = f"{text[:end]}{entry}{text[end:]}"
        known = tomllib.loads(text)["parameters"]
    return {**texts, RENEWAL: text}


def moved(value: Any, kind: str, place: int) -> str:
    """Return *value* of a parameter as a file has it, changed for each *place*."""
    if kind == "money":
        currency, _, amount = value.partition(" ")
        return f'"{currency} {Decimal(amount) + int(UNITS[kind]) * (place + 1)}"'
    if kind in ("count", "days"):
        number, _, unit = str(value).partition(" ")
        larger = int(number) + int(UNITS[kind]) * (1 + place % 2)
        return f'"{larger} days"' if unit else str(larger)
    number = str(value).rstrip("%")
    smaller = Decimal(number) - Decimal(UNITS[kind]) * (place + 1)
    return f'"{smaller}%"' if kind == "percent" else f'"{smaller}"'


def generated(countries: int, subdivisions: int) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the code and the files of each jurisdiction, countries first."""
    codes = ["".join(letters) for letters in product(ascii_uppercase, repeat=2)]
    by_model: dict[str, list[str]] = {model: [] for model in COUNTRIES}
    for place, code in enumerate(codes[:countries]):
        model = COUNTRIES[place % len(COUNTRIES)]
        by_model[model].append(code)
        yield code, further(renamed(texts_of(model), model, code), model, place)
    for place in range(subdivisions):
        model = CHILDREN[place % len(CHILDREN)]
        parent = by_model[PARENTS[model]][place // len(CHILDREN)]
        code = f"{parent}-{codes[place]}"
        texts = renamed(renamed(texts_of(model), model, "{child}"), PARENTS[model], parent)
        yield code, {name: text.replace("{child}", code) for name, text in texts.items()}


def folders(countries: int, subdivisions: int) -> list[FolderFiles]:
    """Return the folders of the jurisdictions, as bytes."""
    return [
        FolderFiles(
            code, {name: text.encode() for name, text in texts.items()}, f"jurisdictions/{code}/"
        )
        for code, texts in generated(countries, subdivisions)
    ]


def checked(found: list[FolderFiles]) -> Jurisdictions:
    """Return the jurisdictions in *found*, which are valid, different and have enough dates."""
    read, errors = read_jurisdictions(found)
    assert not errors, next(iter(errors.values()))[0]
    assert len(read) == len(found)
    digests = [{rulebook.digest for rulebook in each.slices} for each in read.values()]
    assert min(len(each) for each in digests) >= CHANGES
    assert len(set().union(*digests)) == sum(map(len, digests)), "two jurisdictions are the same"
    return Jurisdictions(read.values())


# -- timing


def best(contenders: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Return the least seconds of each contender; results are deleted before the next turn."""
    times = {name: float("inf") for name in contenders}
    for _ in range(rounds):
        for name, call in contenders.items():
            gc.collect()
            start = perf_counter()
            kept = call()
            times[name] = min(times[name], perf_counter() - start)
            del kept
    return times


def look_ups(jurisdictions: Jurisdictions) -> dict[str, Callable[[], Any]]:
    """Return ways to look up a rulebook by code and day."""
    code = jurisdictions.codes[-1]
    day = jurisdictions[code].changes[-1]
    other = day + timedelta(days=100)
    bare = {
        (read.code, on): read.rulebook(on)
        for read in jurisdictions
        for on in (*read.changes, other)
        if on >= read.changes[0]
    }
    assert jurisdictions.resolve(code, on=day) == bare[code, day]
    return {
        "a bare dict": lambda: bare[code, day],
        "resolve, a day of change": lambda: jurisdictions.resolve(code, on=day),
        "resolve, another day": lambda: jurisdictions.resolve(code, on=other),
    }


def main() -> None:
    size = sizes(__doc__, rounds=(5, 1), countries=(160, 8), subdivisions=(40, 2))
    found = folders(size.countries, size.subdivisions)
    jurisdictions = checked(found)
    bodies = [body for folder in found for body in folder.files.values()]
    slices = sum(len(each.slices) for each in jurisdictions)
    megabytes = sum(map(len, bodies)) / 1e6
    print(f"{len(found)} jurisdictions, {slices} rulebooks, {megabytes:.1f} MB of TOML\n")
    times = best(
        {
            "tomllib": lambda: [tomllib.loads(body.decode()) for body in bodies],
            "holdback": lambda: read_jurisdictions(found),
        },
        size.rounds,
    )
    reach = {"holdback": f"at most {RATIO_TO_REACH}"}
    print_table(times, base="tomllib", reach=reach, packages=("attrs", "pendulum"))
    print()
    print_table(interleaved(look_ups(jurisdictions)), base="a bare dict", reach={})


if __name__ == "__main__":
    main()
