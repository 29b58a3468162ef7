"""
A digest changes exactly when the meaning of a jurisdiction's files does.

The shipped files and the small jurisdiction are read as plain values, changed, and written again in
a random layout. `written_meaning` derives what they mean on a day, independently of the reader. The
digest of a day must be unchanged exactly when that meaning is (decisions/jurisdiction-folders).
"""

from __future__ import annotations

import tomllib
from copy import deepcopy
from decimal import Decimal
from functools import cache
from pathlib import Path
from random import Random
from typing import ClassVar

import pytest
from attrs import evolve, field, frozen
from file_changes import (
    CHANGES,
    change_automated_decisioning,
    change_code,
    change_dates_of_parameter,
    change_dates_of_rule,
    change_id,
    change_options,
    change_order_of_products,
    change_order_of_rules,
    change_otherwise,
    change_parameter,
    change_range,
    change_rounding,
    change_setting,
    change_threshold,
    change_zone,
    rephrase,
    respell,
    split_some,
)
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from toml_layouts import in_some_layout
from written_meaning import CALCULATORS, DATED, INHERITED, OPTIONAL_CALCULATORS, WHO, meaning

from counts import count
from holdback import InvalidDocument, Jurisdictions, RuleError
from holdback.exact.exact_json import canonical
from holdback.exact.money import Money
from holdback.jurisdictions import keys
from holdback.jurisdictions.reader import FILES, FolderFiles, read_jurisdictions
from holdback.offers.calculator import PricingCase, Term
from holdback.offers.quote import quote
from holdback.offers.registry import bind, registered, versions
from holdback.rulebooks import digest as digest_module
from holdback.rulebooks.digest import RulebookDigester, rulebook_digest, versions_of
from holdback.rulebooks.product_terms import undigested
from holdback.rulebooks.rulebook import SETTINGS_IN_DIGEST
from holdback.rules.tree import Constant, FactRead, comparisons, leaves
from holdback.tools.mutants.mutation import mutants
from small_folders import IRELAND as SMALL

ROOT = Path(__file__).parents[2] / "jurisdictions"
SEEDS = st.integers(0, 2**32)
# A country is read together with its subdivisions.
FAMILIES = ("AU", "CA CA-QC", "DE", "GB", "IE", "JP", "US US-CA US-NY", "small")
WITH_CHILDREN = [family for family in FAMILIES if " " in family]

# -- files as values, and back


def values(text):
    return tomllib.loads(text, parse_float=Decimal)


@cache
def shipped(family):
    """The values in the files of each jurisdiction of a *family*, by code and name."""
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
    """The jurisdictions with *files* of these values, written in a random layout."""
    folders = [
        FolderFiles(
            code, {name: in_some_layout(data, random).encode() for name, data in by_name.items()}
        )
        for code, by_name in files.items()
    ]
    jurisdictions, errors = read_jurisdictions(folders)
    if errors:
        raise InvalidDocument([error for of_folder in errors.values() for error in of_folder])
    return jurisdictions


@cache
def as_shipped(family):
    """The shipped jurisdictions of a *family*."""
    return read(shipped(family), Random(family))


def without_examples(files):
    """*files* without their examples and claims: a change of meaning could make these invalid."""
    dropped = ("examples", "typical", "survivors", "claims")
    return {
        code: {
            name: {key: value for key, value in deepcopy(data).items() if key not in dropped}
            for name, data in by_name.items()
        }
        for code, by_name in files.items()
    }


def digests(jurisdiction):
    return {rulebook.since: rulebook.digest for rulebook in jurisdiction.slices}


def digest_on(jurisdiction, day):
    """The digest on *day*, or None before the first rule."""
    begun = [rulebook.digest for rulebook in jurisdiction.slices if rulebook.since <= day]
    return begun[-1] if begun else None


def layers_of(files, code):
    """The files of the ancestors of *code*, the most distant first, and its own."""
    parent = files[code][WHO].get("parent")
    return [*(layers_of(files, parent) if parent else ()), files[code]]


# -- changes without meaning


@settings(max_examples=count("families written otherwise"))
@given(family=st.sampled_from(FAMILIES), seed=SEEDS)
def test_layout_prose_and_the_order_of_keys(family, seed):
    """
    Comments, layout, prose and the order of keys do not change a digest.
    """
    random, files = Random(seed), deepcopy(shipped(family))
    for by_name in files.values():
        rephrase(by_name, random)
        respell(by_name, random)
    after = read(files, random)

    for code, before in as_shipped(family).items():
        assert digests(after[code]) == digests(before)


@settings(max_examples=count("families cut into other slices"))
@given(family=st.sampled_from(FAMILIES), seed=SEEDS)
def test_the_bounds_of_slices(family, seed):
    """
    An entry split into two that say the same leaves the digest of every day unchanged.
    """
    random, files = Random(seed), without_examples(shipped(family))
    for by_name in files.values():
        split_some(by_name, random)
    after = read(files, random)

    for code, before in as_shipped(family).items():
        for day in {*before.changes, *after[code].changes}:
            assert digest_on(after[code], day) == digest_on(before, day), (code, day)
        assert set(before.changes) <= set(after[code].changes)


# -- changes of meaning


def compared(family, files, after):
    """
    The numbers of days that changed and that did not, of those on which anything begins.

    Asserts that the digest of a day changed exactly when its meaning did, in every jurisdiction of
    the *family*.
    """
    changed = unchanged = 0
    for code, before in as_shipped(family).items():
        old, new = layers_of(shipped(family), code), layers_of(files, code)
        for day in {*before.changes, *after[code].changes}:
            digest, digest_after = digest_on(before, day), digest_on(after[code], day)
            if digest is None or digest_after is None:
                continue
            if meaning(old, day) == meaning(new, day):
                assert digest == digest_after, (code, day, "only the digest changed")
                unchanged += 1
            else:
                assert digest != digest_after, (code, day, "only the meaning changed")
                changed += 1
    return changed, unchanged


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_every_kind_of_change(change):
    """
    A change of meaning changes the digests of the slices that it affects, and no others.

    Each kind of change is tried in every jurisdiction that has something to change; in the plain
    lane in those of the first families that have, in an order of its own.
    """
    changed, applied, families = 0, 0, 0
    for family in Random(change.__name__).sample(FAMILIES, len(FAMILIES)):
        before = applied
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
        families += applied > before
        if families == FAMILIES_CHANGED:
            break

    assert applied >= 1
    assert changed >= applied * MOSTLY.get(change, 1), (changed, applied)


# Seeds of each kind of change in each jurisdiction.
TRIES = count("seeds of a change in each jurisdiction")
FAMILIES_CHANGED = count("families in which a change is tried")
# The least share of changes that has a meaning. The others have none because no rule reads the
# fact, the parameter or rule has expired or is overridden, two versions of one rule or product swap
# places, or the random value is the old one.
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
    change_order_of_products: 0.8,
}


@settings(max_examples=count("families with several changes"))
@given(family=st.sampled_from(FAMILIES), seed=SEEDS)
def test_many_changes_at_once(family, seed):
    """
    Two texts with several changes of any kind share a day's digest exactly when they mean the same.
    """
    random, files = Random(seed), without_examples(shipped(family))
    try:
        for _ in range(random.randint(1, 3)):
            random.choice(CHANGES)(files[random.choice([*files])], random)
        if random.random() < 0.5:
            rephrase(files[random.choice([*files])], random)
        after = read(files, random)
    except (LookupError, InvalidDocument):
        reject()

    compared(family, files, after)


@pytest.mark.parametrize("family", WITH_CHILDREN)
@pytest.mark.parametrize("seed", range(3))
def test_prose_in_a_parent(family, seed):
    """
    Other prose in a parent changes no digest of its children.
    """
    parent, *children = family.split()
    files = deepcopy(shipped(family))
    rephrase(files[parent], Random(seed))
    after = read(files, Random(seed))

    for code in children:
        assert digests(after[code]) == digests(as_shipped(family)[code])


@pytest.mark.parametrize("family", WITH_CHILDREN)
def test_meaning_in_a_parent(family):
    """
    A parent's rules hold for its children, except where a child has its own.
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
                unchanged = digests(after[code]) == digests(as_shipped(family)[code])
                met[code].add((change, unchanged))

    for code in children:
        effective = {change for change, unchanged in met[code] if not unchanged}
        assert len(effective) >= len(CHANGES) / 2
        # A child's own time zone overrides its parent's.
        assert (change_zone, "timezone" in shipped(family)[code][WHO]) in met[code]


# -- planted faults


@pytest.fixture
def read_afresh():
    """Read the shipped files with the planted fault, and keep nothing that was read with it."""
    as_shipped.cache_clear()
    yield
    as_shipped.cache_clear()


def leaving_out(written, key):
    return lambda item: {name: value for name, value in written(item).items() if name != key}


PLANTED = {
    "the answer of a rule is left out": ("_rule", "otherwise", change_otherwise),
    "the code of a rule is left out": ("_rule", "code", change_code),
    "the id of a rule is left out": ("_rule", "id", change_id),
    "what a rule asks for is left out": ("_rule", "text", change_threshold),
    "the range of a fact is left out": ("_fact", "range", change_range),
    "the options of a fact are left out": ("_fact", "options", change_options),
    "the factor rate is left out": ("_calculators", "factor_rate", change_setting),
}


@pytest.mark.usefixtures("read_afresh")
@pytest.mark.parametrize(("name", "key", "change"), PLANTED.values(), ids=PLANTED)
def test_what_is_left_out_is_noticed(name, key, change, monkeypatch):
    """
    A digest that leaves out part of the meaning is found.
    """
    monkeypatch.setattr(digest_module, name, leaving_out(getattr(digest_module, name), key))

    with pytest.raises(AssertionError, match="only the meaning changed"):
        test_every_kind_of_change(change)


@pytest.mark.usefixtures("read_afresh")
@pytest.mark.parametrize("part", ["reason", "source", "line"])
def test_what_does_not_belong_is_noticed(part, monkeypatch):
    """
    A digest that depends on prose, or on the line of a rule, is found.
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

    @property
    def choices(self):
        """Its calculators, as a product has them."""
        return tuple(self.calculators.values())


def digest_anew(rulebook):
    """The digest of the present content of *rulebook*, which may not be that of its files."""
    products = [
        (
            Offered(
                key=product.key,
                repayment_mechanism=product.repayment_mechanism,
                amounts=product.amounts,
                calculators={
                    kind: getattr(product, kind)
                    for kind in (*CALCULATORS, *OPTIONAL_CALCULATORS)
                    if getattr(product, kind) is not None
                },
            ),
            product.rules.rules,
        )
        for product in rulebook.products
    ]
    given_by_name = {name: getattr(rulebook, name) for name in ("code", *INHERITED, *DATED)}
    limits = {
        name: {"max_age_days": check.max_age_days, "facts": check.facts}
        for name, check in rulebook.checks.items()
        if check.max_age_days is not None
    }
    if limits:
        given_by_name["checks"] = limits
    first = RulebookDigester().rules_digest(
        rulebook.catalogue,
        rulebook.renewal.rules,
        products,
        given_by_name,
        rulebook.funding.rules,
    )
    choices = [
        choice
        for product in rulebook.products
        for choice in (*product.calculators, product.settlement)
        if choice is not None
    ]
    return rulebook_digest(first, versions_of(choices) | dict(rulebook.versions))


def told_apart(rulebook):
    """The parts of a rulebook that a mutant may change."""
    settings = (rulebook.offers_valid_hours, rulebook.recently_active_days)
    return rulebook.renewal, rulebook.products, settings, rulebook.checks, rulebook.funding


@pytest.mark.parametrize("family", FAMILIES)
def test_every_mutant_has_another_digest(family):
    """
    A mutant changes the digests of the slices in which it is in force, also where no deal differs.

    The mutants move a threshold by one unit, flip a comparison or drop a rule.
    """
    jurisdictions = Jurisdictions(as_shipped(family).values())
    for jurisdiction in jurisdictions:
        slices = jurisdiction.slices
        before = {rulebook.since: digest_anew(rulebook) for rulebook in slices}
        assert before == digests(jurisdiction)
        every_mutant = list(mutants(jurisdiction, jurisdictions))
        assert every_mutant
        for mutant in every_mutant:
            try:
                after = {rulebook.since: mutant.change(rulebook) for rulebook in slices}
            except (RuleError, InvalidDocument):
                continue  # the reader would refuse such a file
            touched = {
                rulebook.since
                for rulebook in slices
                if told_apart(after[rulebook.since]) != told_apart(rulebook)
            }
            changed = {
                day for day, rulebook in after.items() if digest_anew(rulebook) != before[day]
            }
            assert changed == touched, mutant.name
            # A setting that decides no answer and no price is in no digest.
            setting = keys.DATED.get(mutant.name.partition(" ")[0])
            covered = setting is None or setting.name in SETTINGS_IN_DIGEST
            assert bool(changed) == covered, mutant.name


# -- one digest, one meaning


def deals(rulebook, usual, random):
    """Prepared facts: ordinary ones, some of them at or near a constant of a rule, or unknown."""
    rules = [*rulebook.renewal.rules]
    for product in rulebook.products:
        rules += product.rules.rules
    facts = rulebook.catalogue.facts
    points = [[None, fact.low, fact.high] for fact in facts]
    for rule in rules:
        for comparison in comparisons(rule.checked.tree):
            operands = list(leaves(comparison))
            numbers = [leaf.number for leaf in operands if isinstance(leaf, Constant)]
            for leaf in operands:
                if isinstance(leaf, FactRead):
                    points[leaf.place] += [
                        number + unit for number in numbers for unit in (-1, 0, 1)
                    ]
    for place, fact in enumerate(facts):
        points[place] = [
            number for number in points[place] if number is None or fact.low <= number <= fact.high
        ]
    for _ in range(40):
        share = random.choice((0.1, 0.3, 0.7))
        yield tuple(
            random.choice(choices) if random.random() < share else number
            for number, choices in zip(usual, points, strict=True)
        )


def decided(rulebook, facts):
    """The decisions on renewal and on each product, as canonical JSON without prose."""
    assessment = rulebook.assess_prepared(facts)
    answers = [product.rules.answer(facts) for product in rulebook.products]
    return canonical(
        {
            "renewal": [assessment.outcome, assessment.codes, assessment.needs],
            "trace": [[line.rule, line.answer] for line in assessment.trace],
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
    Rulebooks with one digest decide alike on random deals, however differently they are written.
    """
    random, files = Random(seed), without_examples(shipped(family))
    for by_name in files.values():
        respell(by_name, random)
        rephrase(by_name, random)
        split_some(by_name, random)
    by_digest = {}
    for jurisdictions in (as_shipped(family), read(files, random)):
        for jurisdiction in jurisdictions.values():
            for rulebook in jurisdiction.slices:
                by_digest.setdefault(rulebook.digest, []).append(rulebook)
    pairs = [rulebooks for rulebooks in by_digest.values() if len(rulebooks) > 1]
    assert len(pairs) == len(by_digest)
    for first, *others in random.sample(pairs, min(4, len(pairs))):
        (usual,) = [
            first.catalogue.prepare(example.given)
            for example in as_shipped(family)[first.code].examples
            if example.product is None and not example.of_settings
        ][:1]
        for facts in deals(first, usual, random):
            meant = decided(first, facts)
            for rulebook in others:
                assert decided(rulebook, facts) == meant


# -- the digest covers the price


@frozen(kw_only=True)
class Seasonal:
    """A calculator of a host: a term of some months, one more for each later version."""

    version: ClassVar[int] = 1

    months: int

    def __call__(self, case, repayment_amount, split_percentage):
        return Term.of_months(self.months + self.version)


def of_version(version):
    """The host's calculators, with another version."""
    return {"term/seasonal": type("Seasonal", (Seasonal,), {"version": version})}


def with_seasonal(files, random):
    """*files* in which some products have a term by the calculator of the host."""
    for by_name in files.values():
        for product in by_name.get("products.toml", {}).get("products", ()):
            if random.random() < 0.5:
                product["term"] = {"calculator": "seasonal", "months": random.randint(1, 24)}
    return files


def changed_setting(settings, draw):
    """*settings* with one more, one less, or another value."""
    names = sorted(settings)
    ways = ["one more", *(["one less", "another value"] if names else [])]
    way = draw(st.sampled_from(ways))
    if way == "one more":
        return {**settings, "one_more": draw(st.sampled_from(["1%", "GBP 1", "x", 1, True]))}
    name = draw(st.sampled_from(names))
    rest = {key: value for key, value in settings.items() if key != name}
    return rest if way == "one less" else {**rest, name: [settings[name]]}


@settings(max_examples=count("changes of a calculator"))
@given(family=st.sampled_from(FAMILIES), data=st.data())
def test_a_calculator_that_changes(family, data):
    """
    Changing a calculator's version, its name or any of its settings changes the digest;
    undoing the change gives the digest of before.
    """
    jurisdiction = data.draw(st.sampled_from(sorted(as_shipped(family).values(), key=str)))
    rulebook = data.draw(st.sampled_from(jurisdiction.slices))
    product = data.draw(st.sampled_from(rulebook.products))
    kind = data.draw(st.sampled_from(CALCULATORS))
    choice = getattr(product, kind)

    def with_choice(other):
        products = [
            evolve(each, **{kind: other}) if each is product else each for each in rulebook.products
        ]
        return digest_anew(rulebook.altered(products=tuple(products)))

    assert with_choice(choice) == rulebook.digest
    assert with_choice(evolve(choice, name=f"{choice.name}_2")) != rulebook.digest
    other_settings = changed_setting(choice.settings, data.draw)
    assert with_choice(evolve(choice, settings=other_settings)) != rulebook.digest
    for name in ("pricing", choice.full_name):
        version = data.draw(st.integers(2, 10**6))
        newer = rulebook.with_versions({name: version})
        assert newer.digest != rulebook.digest
        assert newer.rules_digest == rulebook.rules_digest
        assert newer.with_versions({name: 1}) == rulebook


@given(
    numbers=st.lists(
        st.dictionaries(
            st.sampled_from(["pricing", "term/fixed", "term/seasonal", "limits/own"]),
            st.none() | st.integers(1, 5),
        ),
        min_size=2,
        max_size=4,
    )
)
def test_other_versions_have_other_digests(numbers):
    """
    Two sets of versions share a digest exactly when they are the same.
    """
    first = "sha256:" + "0" * 64
    for before in numbers:
        for after in numbers:
            same = rulebook_digest(first, before) == rulebook_digest(first, after)
            assert same == (before == after)
            assert rulebook_digest("sha256:" + "1" * 64, after) != rulebook_digest(first, before)


def prices(rulebook, products, facts, settlement):
    """
    The decision, the limits and the offers of each of *products*, without prose and fees.

    Fees are in no digest (decisions/money-after-funding#fees).
    """
    case = PricingCase(
        facts=facts,
        catalogue=rulebook.catalogue,
        renewal=settlement is not None,
        currency=rulebook.currency,
        rounding=rulebook.rounding,
    )
    result = []
    for product in products:
        quoted = quote(product, case, str, settlement)
        offers = [evolve(offer, fees=()) for offer in quoted.offers]
        result.append((product.terms.key, quoted.decision, quoted.limits, offers))
    return result


@settings(max_examples=count("families priced alike"), deadline=None)
@given(family=st.sampled_from(FAMILIES), seed=SEEDS)
def test_one_digest_prices_alike(family, seed):
    """
    Two rulebooks with the same digest price alike, however differently they
    are written; with another version of a calculator they have another digest.
    """
    random = Random(seed)
    files = with_seasonal(without_examples(shipped(family)), random)
    written = [deepcopy(files), deepcopy(files)]
    for by_name in written[1].values():
        respell(by_name, random)
        rephrase(by_name, random)
        split_some(by_name, random)
    by_digest = {}
    for version in (1, 2):
        calculators = of_version(version)
        for text in written:
            for jurisdiction in read(text, random).values():
                for loaded in jurisdiction.slices:
                    rulebook = loaded.with_versions(versions(calculators))
                    by_digest.setdefault(rulebook.digest, []).append((rulebook, calculators))
    for rulebooks in random.sample(list(by_digest.values()), min(6, len(by_digest))):
        bound = [
            (rulebook, bind(rulebook, registered(calculators), "{}/{}".format))
            for rulebook, calculators in rulebooks
        ]
        (first, first_products), *others = bound
        assert others
        if "term/seasonal" in first.versions:
            assert {kind["term/seasonal"].version for _, kind in rulebooks} == {
                first.versions["term/seasonal"]
            }
        for rulebook, _ in others:
            if rulebook.since == first.since:
                assert undigested(rulebook.products) == undigested(first.products)
        usual = first.catalogue.prepare(usual_evidence(first))
        for facts in deals(first, usual, random):
            settlement = random.choice([None, Money(random.randint(0, 10**7), first.currency)])
            meant = prices(first, first_products, facts, settlement)
            for rulebook, products in others:
                assert prices(rulebook, products, facts, settlement) == meant


def usual_evidence(rulebook):
    """Evidence with which most products are priced, in any currency."""
    declared = {fact.name for fact in rulebook.catalogue.facts}
    evidence = {
        "average_monthly_takings": "250000" if rulebook.currency.places == 0 else "25000.00",
        "months_trading": 60,
        "identity_verified": True,
        "business_verified": True,
        "credit_score": 720,
        "credit_checked_on": rulebook.since.isoformat(),
        "disclosure_acknowledged": True,
    }
    return {name: value for name, value in evidence.items() if name in declared}
