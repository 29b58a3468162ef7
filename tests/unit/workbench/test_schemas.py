"""JSON Schemas of the files, for editors: they know the reader's keys and find what is mistyped."""

from __future__ import annotations

import copy
import json
import re
import tomllib
from datetime import date

import pytest
from jsonschema import Draft7Validator, FormatChecker
from template_files import filled_in
from test_new_jurisdiction import filled

from every_case import for_every
from holdback.cli.schema import schema_text
from holdback.eligibility.facts import catalogue
from holdback.exact.money import Currency
from holdback.jurisdictions import keys
from holdback.jurisdictions.folder import bundled_path
from holdback.jurisdictions.reader import ALL_FILES
from holdback.offers.registry import BUILT_IN
from holdback.tools.workbench.schemas import DRAFT, KINDS, schema
from small_folders import FIGURES, child, country, said

ROOT = bundled_path()
BUNDLED = [
    (folder.name, name)
    for folder in sorted(ROOT.iterdir())
    for name in ALL_FILES
    if (folder / name).is_file()
]


def plain(value):
    """A TOML value as an editor hands it to a schema: dates as text."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    return value.isoformat() if isinstance(value, date) else value


def wrong(kind, text):
    """What the schema of *kind* finds in *text*: the path of each thing that is wrong."""
    checker = Draft7Validator(schema(kind), format_checker=FormatChecker(["date"]))
    found = checker.iter_errors(plain(tomllib.loads(text)))
    return [".".join(map(str, error.absolute_path)) for error in found]


def at(kind, *path):
    """The part of the schema of *kind* under *path*."""
    part = schema(kind)
    for key in path:
        part = part["items"] if key == "[]" else part["properties"][key]
    return part


def parts(value):
    """Every schema in *value*, itself a schema."""
    yield value
    for part in value.get("properties", {}).values():
        yield from parts(part)
    for key in ("items", "additionalProperties", "not"):
        if isinstance(value.get(key), dict):
            yield from parts(value[key])
    for part in value.get("anyOf", ()):
        yield from parts(part)


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_a_schema(kind):
    """
    Each kind of file has a valid JSON Schema.
    """
    Draft7Validator.check_schema(schema(kind))

    assert schema(kind)["$schema"] == DRAFT
    assert schema(kind)["title"] == f"{kind}.toml"


# What taplo, which the TOML editors use, completes and checks by.
READ = {
    "$schema", "title", "description", "type", "properties", "required", "additionalProperties",
    "items", "enum", "anyOf", "not", "pattern", "format", "minLength", "maxLength", "minimum",
    "maximum", "minItems",
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_it_keeps_to_what_editors_read(kind):
    """
    The schemas keep to what TOML editors understand.
    """
    for part in parts(schema(kind)):
        assert set(part) <= READ, set(part) - READ
        if "pattern" in part:
            assert part["pattern"].startswith("^")
            assert part["pattern"].endswith("$")
            re.compile(part["pattern"])


@pytest.mark.parametrize("kind", KINDS)
def test_the_schemas_that_ship_are_those(kind):
    """
    The shipped schemas are the generated ones.
    """
    text = (ROOT / "schema" / f"{kind}.json").read_text(encoding="utf-8")

    assert text == schema_text(kind)
    assert json.loads(text) == schema(kind)


def test_nothing_else_ships_beside_them():
    """
    One for each kind of file.
    """
    assert sorted(each.name for each in (ROOT / "schema").iterdir()) == sorted(
        f"{kind}.json" for kind in KINDS
    )


def test_the_keys_are_the_readers():
    """
    A schema has the keys that the reader knows.
    """
    assert set(at("jurisdiction")["properties"]) == set(keys.JURISDICTION.rows)
    assert set(at("jurisdiction", "figures")["properties"]) == set(keys.FIGURES.rows)
    assert set(at("renewal", "rules", "[]")["properties"]) == set(keys.RULE.rows)
    assert set(at("products", "products", "[]", "rules", "[]")["properties"]) == set(keys.RULE.rows)
    assert set(at("products", "products", "[]")["properties"]) == set(keys.PRODUCT.rows)
    kinds = schema("renewal")["properties"]["parameters"]["additionalProperties"]
    assert kinds["properties"]["type"] == keys.PARAMETER.rows["type"].form.schema
    for kind in ("renewal", "products"):
        facts = {fact.name for fact in catalogue(Currency.of("GBP")).facts}
        assert set(at(kind, "typical")["properties"]) == facts
        assert set(at(kind, "examples", "[]", "given")["properties"]) == facts


@for_every("name", BUILT_IN)
def test_every_calculator(name):
    """
    The schema of products has every built-in calculator with its settings.
    """
    kind, _, calculator = name.partition("/")
    choices = at("products", "products", "[]", kind)["anyOf"]
    (found,) = [
        each for each in choices if each["properties"]["calculator"].get("enum") == [calculator]
    ]

    assert set(found["properties"]) - {"calculator"} == {
        each.name for each in BUILT_IN[name].__attrs_attrs__
    }


def test_every_key_says_what_it_is():
    """
    Every key has a description.
    """
    for kind in KINDS:
        assert all("description" in part for part in schema(kind)["properties"].values())
    for part in at("renewal", "rules", "[]")["properties"].values():
        assert "description" in part


@for_every(("code", "name"), BUNDLED)
def test_every_file_that_ships(code, name):
    """
    Every bundled file is valid by the schema that it names.
    """
    text = (ROOT / code / name).read_text(encoding="utf-8")
    kind = name.removesuffix(".toml")

    assert text.startswith(f"#:schema ../schema/{kind}.json\n")
    assert wrong(kind, text) == []


@for_every(
    "files",
    [
        country(),
        country(more=FIGURES),
        child(),
        child(
            more='switch_off = [{ rule = "on-pace", reason = "x", until = 2026-01-01 }]\n',
            renewal="",
        ),
        filled(filled_in("SE", None, date(2026, 1, 1))),
        filled(filled_in("NL-ZH", "NL", date(2026, 1, 1))),
    ],
)
def test_the_schemas_accept_what_the_reader_reads(files):
    """
    The schemas accept every file that the reader reads.
    """
    for name, text in files.items():
        assert wrong(name.removesuffix(".toml"), text) == []


PARAMETER = (
    '[parameters.p]\ntype = "{}"\ntimeline = [{{ from = 2025-01-01, value = {}, source '
    '= "x" }}]\n\n[typical]'
)
FACT = '\n[facts.x]\ntype = "{}"\ndescription = "x"\n{}\n'
ALLOWED = [
    *(
        ("renewal.toml", "[typical]", PARAMETER.format(kind, value))
        for kind, value in (
            ("flag", "true"),
            ("count", "3"),
            ("percent", '"12.5%"'),
            ("ratio", '"1.18"'),
            ("ratio", "1.18"),
            ("money", '"EUR 5.00"'),
            ("days", '"21 days"'),
            ("days", "21"),
            ("date", "2026-01-01"),
        )
    ),
    *(
        ("jurisdiction.toml", "review_by = 2027-06-30", ("review_by = 2027-06-30\n"
                                                        f"{FACT.format(kind, ends)}"))
        for kind, ends in (
            ("flag", ""),
            ("count", "minimum = -3\nmaximum = 9"),
            ("percent", 'minimum = "-5%"\nmaximum = "50%"'),
            ("ratio", "minimum = 0.5\nmaximum = 2.5"),
            ("money", 'minimum = "EUR -5.00"\nmaximum = "EUR 5.00"'),
            ("days", 'minimum = "0 days"\nmaximum = 400'),
            ("date", "minimum = 2020-01-01\nmaximum = 2030-01-01"),
            ("text", 'options = ["A", "B"]'),
        )
    ),
    ("renewal.toml", "missed_remittances_30d = 0", "days_since_funding = 21"),
    ("renewal.toml", "missed_remittances_30d = 0", 'days_since_funding = "1 day"'),
    ("renewal.toml", "missed_remittances_30d = 0", "credit_checked_on = 2025-01-01"),
    ("renewal.toml", ('on = 2025-12-31\ngiven = { performance = "75%" '
                     '}'), ('from = 2025-12-31\nuntil = 2026-01-01\ngiven = { performance = '
                           '"75%" }')),
    ("products.toml", '"EUR 500.00"', '"EUR 500"'),
]  # fmt: skip


@for_every(("name", "old", "new"), ALLOWED)
def test_the_schemas_accept_every_type_that_the_reader_reads(name, old, new):
    """
    The schemas accept every type of value and fact that the reader reads.
    """
    files = country()
    assert old in files[name]
    files[name] = files[name].replace(old, new, 1)
    bare = {**files, "renewal.toml": files["renewal.toml"].partition("[[examples]]")[0]}

    assert said("NL", NL=bare) == []
    assert wrong(name.removesuffix(".toml"), files[name]) == []


MISTAKES = [
    ("jurisdiction.toml", "format = 1", "format = 2"),
    ("jurisdiction.toml", "format = 1", 'format = "1"'),
    ("jurisdiction.toml", 'code = "NL"', 'code = "nl"'),
    ("jurisdiction.toml", 'code = "NL"', "code = 7"),
    ("jurisdiction.toml", 'name = "Land of NL"', 'name = ""'),
    ("jurisdiction.toml", '"EUR"', '"EUA"'),
    ("jurisdiction.toml", '"half_up"', '"half-up"'),
    ("jurisdiction.toml", "= false", '= "false"'),
    ("jurisdiction.toml", "owner = ", "ownr = "),
    ("jurisdiction.toml", "2027-06-30", '"next year"'),
    ("jurisdiction.toml", "2027-06-30", '""'),
    ("jurisdiction.toml", "value = 720", "value = 0"),
    ("jurisdiction.toml", "value = 720", 'value = "720"'),
    ("jurisdiction.toml", "value = 720, source", "value = 720, sorce"),
    ("jurisdiction.toml", 'timezone = "Europe/Amsterdam"\n', ""),
    ("renewal.toml", 'type = "percent"', 'type = "percentage"'),
    ("renewal.toml", 'type = "percent"', 'type = "text"'),
    ("renewal.toml", 'value = "75%", source = "policy"', 'value = "75%"'),
    ("renewal.toml", "from = 2026-01-01, value", "form = 2026-01-01, value"),
    ("renewal.toml", 'id = "on-pace"', 'id = "On Pace"'),
    ("renewal.toml", 'code = "NL-R-02"', 'code = "R2"'),
    ("renewal.toml", 'otherwise = "refer"', 'otherwise = "reject"'),
    ("renewal.toml", '"missed_remittances_30d <= 3"', "true"),
    ("renewal.toml", 'reason = "Missed', 'raeson = "Missed'),
    ("renewal.toml", 'progress = "64%"', "progress = 64"),
    ("renewal.toml", 'progress = "64%"', 'progress = "64"'),
    ("renewal.toml", "missed_remittances_30d = 0", "missed_remittances_30d = 31"),
    ("renewal.toml", "missed_remittances_30d = 0", 'status = "Fundd"'),
    ("renewal.toml", 'without = ["performance"]', 'without = "performance"'),
    ("renewal.toml", 'outcome = "referred"', 'outcome = "refered"'),
    ("renewal.toml", 'name = "four missed"\n', ""),
    ("renewal.toml", "[typical]", "[typcal]"),
    ("renewal.toml", "[typical]", "[[rules]]\n[typical]"),
    ("products.toml", 'key = "flex"', 'key = "Flex"'),
    ("products.toml", '"50%", "100%"', "50, 100"),
    ("products.toml", '"EUR 500.00"', "500"),
    ("products.toml", '"EUR 500.00"', '"500 EUR"'),
    ("products.toml", 'limits = { calculator = "fixed", ', "limits = { "),
    ("products.toml", 'calculator = "chosen", choices', 'calculator = "chosen", choice'),
    ("products.toml", "months = 6", 'months = "6"'),
    ("products.toml", 'rate = "1.2"', 'rate = "1,2"'),
    ("products.toml", 'decision = "Declined"', 'decision = "declined"'),
    ("products.toml", "term_days = 183", "term_day = 183"),
    ("products.toml", 'product = "flex"\nexpect', "expect"),
    ("products.toml", "term = {", "trem = {"),
]  # fmt: skip


@for_every(("name", "old", "new"), MISTAKES)
def test_a_mistake(name, old, new):
    """
    A schema rejects mistakes that an editor should mark.
    """
    text = country()[name]
    assert old in text

    assert wrong(name.removesuffix(".toml"), text.replace(old, new, 1))


@for_every(("name", "old", "new"), MISTAKES)
def test_the_reader_finds_it_too(name, old, new):
    """
    An error that the schema finds is found by the reader too, or with the calculators.
    """
    from holdback import ConfigurationError
    from holdback.jurisdictions.jurisdiction import Jurisdictions
    from holdback.offers.registry import priceable_products
    from small_folders import read_all

    files = country()
    files[name] = files[name].replace(old, new, 1)
    found, errors = read_all(NL=files)
    if not errors:
        with pytest.raises(ConfigurationError):
            priceable_products(Jurisdictions(found.values()).rulebooks(), {}, lambda code, key: key)


@for_every(
    "more",
    [
        'switch_off = [{ rule = "on-pace" }]\n',
        'switch_off = [{ rul = "on-pace", reason = "x" }]\n',
        'switch_off = ["on-pace"]\n',
        'parent = "usa"\n',
        FACT.format("number", ""),
        FACT.format("count", "minimun = 0"),
        '[facts.x]\ntype = "flag"\n',
        FIGURES.replace("decimal", "decmal"),
        FIGURES.replace('"{number}%"', '""'),
        'figures = "de"\n',
    ],
)
def test_a_mistake_of_a_child(more):
    """
    A schema rejects mistakes that an editor should mark.
    """
    text = country(more=more)["jurisdiction.toml"]

    assert wrong("jurisdiction", text)


def test_a_hosts_own_calculator_takes_any_setting():
    """
    A schema accepts a calculator of the host's own (decisions/engine).
    """
    text = country()["products.toml"]
    own = text.replace('"fixed", months = 6', '"seasonal", peak = 12, shape = ["a"]')

    assert wrong("products", own) == []


def test_a_schema_is_made_anew():
    """
    Nothing mutable is shared.
    """
    first = schema("renewal")
    before = copy.deepcopy(first)
    first["properties"].clear()

    assert schema("renewal") == before
