"""
"Digest: comments, layout, prose and the order of keys do not change it, any change of meaning does
(Hypothesis)."

The files that ship and the small jurisdiction are read as plain values, changed, and written again
in a random layout. What they mean on a day is worked out beside the reader, in `written_meaning`;
the digest of a day must be the same exactly when that is.
"""

from __future__ import annotations

import tomllib
from copy import deepcopy
from decimal import Decimal
from functools import cache
from pathlib import Path
from random import Random

import pytest
from attrs import field, frozen
from file_changes import (
    CHANGES,
    change_automated_decisioning,
    change_code,
    change_dates_of_parameter,
    change_dates_of_rule,
    change_id,
    change_options,
    change_order_of_rules,
    change_otherwise,
    change_parameter,
    change_range,
    change_rounding,
    change_setting,
    change_threshold,
    change_zone,
    say_otherwise,
    spell_otherwise,
    split_some,
)
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from toml_layouts import in_some_layout
from written_meaning import CALCULATORS, DATED, INHERITED, WHO, meaning

from counts import count
from holdback import InvalidDocument, Jurisdictions, RuleError
from holdback.exact_json import canonical
from holdback.jurisdictions import digest as digest_module
from holdback.jurisdictions.digest import RulebookDigester
from holdback.jurisdictions.reader import FILES, Folder, read_jurisdictions
from holdback.rules.tree import Constant, FactRead, comparisons, leaves
from holdback.workbench.mutation import mutants
from small_folders import IRELAND as SMALL

ROOT = Path(__file__).parents[2] / "jurisdictions"
SEEDS = st.integers(0, 2**32)
# Which are read together: a country, its subdivisions; and the small one.
FAMILIES = ("AU", "CA CA-QC", "DE", "GB", "IE", "JP", "US US-CA US-NY", "small")


# -- the files as values, and back


def values(text):
    return tomllib.loads(text, parse_float=Decimal)


@cache
def shipped(family):
    """The files of every jurisdiction of a *family*, as values."""
    if family == "small":
        return {"IE": {name: values(text) for name, text in SMALL.items()}}
    return {
        code: {
            name: values((ROOT / code / name).read_text(encoding="utf-8"))
            for name in FILES
            if (ROOT / code / name).exists()
        }
        for code in family.split()
    }


def read(files, random):
    """The jurisdictions whose *files* are values, written in a layout of *random*."""
    folders = [
        Folder(code, {name: in_some_layout(data, random).encode() for name, data in each.items()})
        for code, each in files.items()
    ]
    found, faults = read_jurisdictions(folders)
    if faults:
        raise InvalidDocument([fault for each in faults.values() for fault in each])
    return found


@cache
def as_shipped(family):
    """The jurisdictions of a *family* as they ship."""
    return read(shipped(family), Random(family))


def without_examples(files):
    """*files* without what is only there to be tried: for what changes their meaning."""
    dropped = ("examples", "typical", "survivors")
    return {
        code: {
            name: {key: value for key, value in deepcopy(data).items() if key not in dropped}
            for name, data in each.items()
        }
        for code, each in files.items()
    }


def digests(jurisdiction):
    return {each.since: each.digest for each in jurisdiction.slices}


def digest_on(jurisdiction, day):
    """The digest of *day*; None before the first rule."""
    begun = [each.digest for each in jurisdiction.slices if each.since <= day]
    return begun[-1] if begun else None


def layers_of(files, code):
    """The files of the parents of *code*, the eldest first, and its own."""
    parent = files[code][WHO].get("parent")
    return [*(layers_of(files, parent) if parent else ()), files[code]]


# -- what has no meaning


@settings(max_examples=count("families written otherwise"))
@given(family=st.sampled_from(FAMILIES), seed=SEEDS)
def test_layout_prose_and_the_order_of_keys(family, seed):
    """
    "comments, layout, prose and the order of keys do not change it"
    """
    random, files = Random(seed), deepcopy(shipped(family))
    for each in files.values():
        say_otherwise(each, random)
        spell_otherwise(each, random)
    after = read(files, random)

    for code, before in as_shipped(family).items():
        assert digests(after[code]) == digests(before)


@settings(max_examples=count("families cut into other slices"))
@given(family=st.sampled_from(FAMILIES), seed=SEEDS)
def test_the_bounds_of_slices(family, seed):
    """
    Cutting a period in two does not change the digest of any day
    (decisions/jurisdiction-folders#identified).
    """
    random, files = Random(seed), without_examples(shipped(family))
    for each in files.values():
        split_some(each, random)
    after = read(files, random)

    for code, before in as_shipped(family).items():
        for day in {*before.changes, *after[code].changes}:
            assert digest_on(after[code], day) == digest_on(before, day), (code, day)
        assert set(before.changes) <= set(after[code].changes)


# -- what has meaning


def compared(family, files, after):
    """
    The digest of a day changed exactly when the meaning did, in every jurisdiction of the *family*:
    how many days changed, and how many did not, of those on which anything begins.
    """
    changed = same = 0
    for code, before in as_shipped(family).items():
        old, new = layers_of(shipped(family), code), layers_of(files, code)
        for day in {*before.changes, *after[code].changes}:
            one, two = digest_on(before, day), digest_on(after[code], day)
            if one is None or two is None:
                continue
            if meaning(old, day) == meaning(new, day):
                assert one == two, (code, day, "the digest changed, and the meaning did not")
                same += 1
            else:
                assert one != two, (code, day, "the meaning changed, and the digest did not")
                changed += 1
    return changed, same


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_every_kind_of_change(change):
    """
    "any change of meaning does": of each kind, in every jurisdiction that has such a thing, the
    digest of the slices that it touches changes, and of no other.
    """
    changed, applied = 0, 0
    for family in FAMILIES:
        for code in shipped(family):
            for seed in range(TRIES):
                random, files = Random(f"{code} {seed}"), without_examples(shipped(family))
                try:
                    change(files[code], random)
                    after = read(files, random)
                except (LookupError, InvalidDocument):
                    continue
                applied += 1
                changed += compared(family, files, after)[0] > 0

    assert applied >= 1
    assert changed >= applied * MOSTLY.get(change, 1), (changed, applied)


# How many seeds are tried in each jurisdiction.
TRIES = count("seeds of a change in each jurisdiction")
# What need not mean anything: a fact that no rule reads, a parameter or a rule that is gone or
# replaced, two versions of a rule in another order, a zone or a rounding that it had.
MOSTLY = {
    change_range: 0.5,
    change_options: 0.5,
    change_zone: 0.9,
    change_rounding: 0.7,
    change_automated_decisioning: 0.7,
    change_parameter: 0.9,
    change_dates_of_parameter: 0.9,
    change_dates_of_rule: 0.9,
    change_order_of_rules: 0.8,
}


@settings(max_examples=count("families with several changes"))
@given(family=st.sampled_from(FAMILIES), seed=SEEDS)
def test_many_changes_at_once(family, seed):
    """
    After any change of meaning or prose, two texts have one digest on a day exactly when they mean
    the same on it.
    """
    random, files = Random(seed), without_examples(shipped(family))
    try:
        for _ in range(random.randint(1, 3)):
            random.choice(CHANGES)(files[random.choice([*files])], random)
        if random.random() < 0.5:
            say_otherwise(files[random.choice([*files])], random)
        after = read(files, random)
    except (LookupError, InvalidDocument):
        reject()

    compared(family, files, after)


@pytest.mark.parametrize("family", [each for each in FAMILIES if " " in each])
@pytest.mark.parametrize("seed", range(3))
def test_prose_in_a_parent(family, seed):
    """
    What a parent says in other words changes no digest of its children.
    """
    parent, *children = family.split()
    files = deepcopy(shipped(family))
    say_otherwise(files[parent], Random(seed))
    after = read(files, Random(seed))

    for code in children:
        assert digests(after[code]) == digests(as_shipped(family)[code])


@pytest.mark.parametrize("family", [each for each in FAMILIES if " " in each])
def test_meaning_in_a_parent(family):
    """
    What a parent means is meant by its children too, as far as they do not say otherwise.
    """
    parent, *children = family.split()
    met = {code: set() for code in children}
    for change in CHANGES:
        for seed in range(TRIES):
            random, files = Random(seed), without_examples(shipped(family))
            try:
                change(files[parent], random)
                after = read(files, random)
            except (LookupError, InvalidDocument):
                continue
            compared(family, files, after)
            for code in children:
                same = digests(after[code]) == digests(as_shipped(family)[code])
                met[code].add((change, same))

    for code in children:
        assert len({change for change, same in met[code] if not same}) >= len(CHANGES) / 2
        # What a child has itself is its own.
        assert (change_zone, "timezone" in shipped(family)[code][WHO]) in met[code]


# -- planted faults


@pytest.fixture
def read_afresh():
    """What ships is read with the planted fault, and nothing that was read so is kept."""
    as_shipped.cache_clear()
    yield
    as_shipped.cache_clear()


def leaving_out(written, key):
    return lambda thing: {name: value for name, value in written(thing).items() if name != key}


PLANTED = {
    "the answer of a rule is left out": ("_rule", "otherwise", change_otherwise),
    "the code of a rule is left out": ("_rule", "code", change_code),
    "the id of a rule is left out": ("_rule", "id", change_id),
    "what a rule asks for is left out": ("_rule", "text", change_threshold),
    "the range of a fact is left out": ("_fact", "range", change_range),
    "the options of a fact are left out": ("_fact", "options", change_options),
    "the term is left out": ("_calculators", "term", change_setting),
}


@pytest.mark.usefixtures("read_afresh")
@pytest.mark.parametrize(("name", "key", "change"), PLANTED.values(), ids=PLANTED)
def test_what_is_left_out_is_noticed(name, key, change, monkeypatch):
    """
    Planted: a digest that overlooks something.
    """
    monkeypatch.setattr(digest_module, name, leaving_out(getattr(digest_module, name), key))

    with pytest.raises(AssertionError, match="the meaning changed, and the digest did not"):
        test_every_kind_of_change(change)


@pytest.mark.usefixtures("read_afresh")
@pytest.mark.parametrize("part", ["reason", "source", "line"])
def test_what_does_not_belong_is_noticed(part, monkeypatch):
    """
    Planted: a digest that sees the prose, or where a rule stands.
    """
    right = digest_module._rule
    monkeypatch.setattr(
        digest_module, "_rule", lambda rule: {**right(rule), part: getattr(rule, part)}
    )

    with pytest.raises(AssertionError):
        test_prose_in_a_parent("CA CA-QC", 0)


# -- every mutant


@frozen(eq=False)
class Offered:
    """A product of a rulebook as `Identity` takes it."""

    key: str
    repayment_mechanism: str
    amounts: tuple
    calculators: dict = field(factory=dict)


def digest_anew(rulebook):
    """The digest of the present content of *rulebook*, from any source."""
    products = [
        (
            Offered(
                key=each.key,
                repayment_mechanism=each.repayment_mechanism,
                amounts=each.amounts,
                calculators={kind: getattr(each, kind) for kind in CALCULATORS},
            ),
            each.rules.rules,
        )
        for each in rulebook.products
    ]
    given_by_name = {name: getattr(rulebook, name) for name in ("code", *INHERITED, *DATED)}
    return RulebookDigester().digest(
        rulebook.catalogue, rulebook.renewal.rules, products, given_by_name
    )


def told_apart(rulebook):
    """What a mutant changes of a rulebook."""
    settings = (rulebook.offers_valid_hours, rulebook.recently_active_days)
    return rulebook.renewal, rulebook.products, settings


@pytest.mark.parametrize("family", FAMILIES)
def test_every_mutant_has_another_digest(family):
    """
    "every threshold moved by one unit, every comparison flipped, every rule dropped": each changes
    the digest of the slices where it is in force, the ones that no deal can tell apart as well.
    """
    jurisdictions = Jurisdictions(as_shipped(family).values())
    for jurisdiction in jurisdictions:
        before = {each.since: digest_anew(each) for each in jurisdiction.slices}
        assert before == digests(jurisdiction)
        found = list(mutants(jurisdiction, jurisdictions))
        assert found
        for mutant in found:
            try:
                after = {each.since: mutant.change(each) for each in jurisdiction.slices}
            except (RuleError, InvalidDocument):
                continue  # refused: nobody could read it
            touched = {
                each.since
                for each in jurisdiction.slices
                if told_apart(after[each.since]) != told_apart(each)
            }
            changed = {day for day, each in after.items() if digest_anew(each) != before[day]}
            assert changed == touched, mutant.name
            assert changed, mutant.name


# -- one digest, one meaning


def deals(rulebook, usual, random):
    """Prepared facts: ordinary, at and beside the constants of the rules, anywhere, unknown."""
    of_products = (rule for product in rulebook.products for rule in product.rules.rules)
    rules = [*rulebook.renewal.rules, *of_products]
    facts = rulebook.catalogue.facts
    points = [[None, fact.low, fact.high] for fact in facts]
    for rule in rules:
        for comparison in comparisons(rule.checked.tree):
            found = list(leaves(comparison))
            numbers = [each.number for each in found if isinstance(each, Constant)]
            for leaf in found:
                if isinstance(leaf, FactRead):
                    points[leaf.place] += [
                        number + unit for number in numbers for unit in (-1, 0, 1)
                    ]
    for place, fact in enumerate(facts):
        points[place] = [
            each for each in points[place] if each is None or fact.low <= each <= fact.high
        ]
    for _ in range(40):
        share = random.choice((0.1, 0.3, 0.7))
        yield tuple(
            random.choice(choices) if random.random() < share else number
            for number, choices in zip(usual, points, strict=True)
        )


def decided(rulebook, facts):
    """What comes out for renewal and for each product, without the words."""
    found = rulebook.assess_prepared(facts)
    answers = [each.rules.answer(facts) for each in rulebook.products]
    return canonical(
        {
            "renewal": [found.outcome, found.codes, found.needs],
            "trace": [[line.rule, line.answer] for line in found.trace],
            "products": [
                [product.key, answer.declined, [line.answer for line in answer.trace], answer.needs]
                for product, answer in zip(rulebook.products, answers, strict=True)
            ],
        }
    )


@settings(max_examples=count("families decided alike"))
@given(family=st.sampled_from(FAMILIES), seed=SEEDS)
def test_one_digest_decides_alike(family, seed):
    """
    "two rulebooks with one digest decide alike, on every day": those of texts that differ in
    everything but their meaning, on random deals.
    """
    random, files = Random(seed), without_examples(shipped(family))
    for each in files.values():
        spell_otherwise(each, random)
        say_otherwise(each, random)
        split_some(each, random)
    by_digest = {}
    for jurisdictions in (as_shipped(family), read(files, random)):
        for jurisdiction in jurisdictions.values():
            for rulebook in jurisdiction.slices:
                by_digest.setdefault(rulebook.digest, []).append(rulebook)
    pairs = [each for each in by_digest.values() if len(each) > 1]
    assert len(pairs) == len(by_digest)
    for first, *others in random.sample(pairs, min(4, len(pairs))):
        (usual,) = [
            first.catalogue.prepare(each.given)
            for each in as_shipped(family)[first.code].examples
            if each.product is None and not each.of_settings
        ][:1]
        for facts in deals(first, usual, random):
            meant = decided(first, facts)
            for each in others:
                assert decided(each, facts) == meant
