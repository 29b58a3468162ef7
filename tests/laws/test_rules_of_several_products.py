"""
Rules that several products share mean what copies of them in each product mean.

Random rules of several products are put into the shipped files: into those of a country, and of its
parts, which replace and switch off some of them. `written_meaning` says independently of the reader
which rules each product has on a day (decisions/jurisdiction-folders#rules-of-several-products).
"""

from __future__ import annotations

from copy import deepcopy
from datetime import date
from random import Random

from file_changes import products_of
from hypothesis import given, settings
from hypothesis import strategies as st
from test_digest_laws import FAMILIES, SEEDS, WITH_CHILDREN, layers_of, read, shipped
from test_digest_laws import without_examples as bare
from written_meaning import PRODUCTS, WHO, overlaid, product_rules

from counts import count
from holdback.jurisdictions import resolver

DAYS = (date(2024, 1, 1), date(2025, 3, 1), date(2026, 6, 1), date(2027, 2, 1))
REQUIREMENTS = (
    "deals_defaulted == 0",
    "months_trading >= 6",
    "identity_verified",
    "deals_completed >= 1 or months_trading > 12",
    "average_monthly_takings > average_monthly_takings - average_monthly_takings",
)


def shared_rules(code, keys, random):
    """Some rules of products with *keys*, in the jurisdiction *code*."""
    rules = []
    for place in range(random.randint(1, 4)):
        rule = {
            "id": f"shared-{place}",
            "code": f"{code}-S-{place}",
            "require": random.choice(REQUIREMENTS),
            "reason": "A reason.",
            "source": "a source",
            "otherwise": random.choice(("decline", "refer")),
            "from": random.choice(DAYS[:3]),
        }
        if random.random() < 0.6:
            rule["products"] = random.sample(keys, random.randint(1, len(keys)))
        if random.random() < 0.3:
            rule["until"] = DAYS[3]
        rules.append(rule)
    return rules


def keys_of(files):
    return list(dict.fromkeys(product["key"] for product in products_of(files)))


def with_shared_rules(family, random):
    """The files of a *family* with rules of several products, some replaced or switched off."""
    files = bare(shipped(family))
    country, *parts = files
    keys = keys_of(files[country])
    files[country][PRODUCTS]["rules"] = shared_rules(country, keys, random)
    of_products = {
        product["key"]: [rule["id"] for rule in product.get("rules", ())]
        for product in products_of(files[country])
    }
    for part in parts:
        if random.random() < 0.7:
            own = files[part].setdefault(PRODUCTS, {"format": 1})
            own["rules"] = shared_rules(part, keys, random)
            inherited = [key for key in keys if key not in keys_of(files[part])]
            tables = [by_file.get("rules", ()) for by_file in files[part].values()]
            tables += [product.get("rules", ()) for product in products_of(files[part])]
            taken = {rule["id"] for rules in tables for rule in rules}
            free = [(key, id_) for key in inherited for id_ in of_products[key] if id_ not in taken]
            if free and random.random() < 0.5:  # in the place of a rule of one product
                key, id_ = random.choice(free)
                own["rules"][-1] |= {"id": id_, "products": [key]}
        dropped = files[part][WHO].setdefault("switch_off", [])
        for rule in random.sample(files[country][PRODUCTS]["rules"], 1):
            off = {"rule": rule["id"], "reason": "not here", "from": random.choice(DAYS)}
            if random.random() < 0.5:
                off["product"] = random.choice(rule.get("products", keys))
            dropped.append(off)
    return files


def texts(rulebook):
    """What is said of the rules of each product, besides where each is written."""
    return [
        [
            (rule.code, rule.id, rule.otherwise, rule.require, rule.reason)
            for rule in terms.rules.rules
        ]
        for terms in rulebook.products
    ]


def with_copies(files):
    """The *files* of a country with a copy of each shared rule in front of its products' own."""
    files = deepcopy(files)
    for by_name in files.values():
        shared = by_name[PRODUCTS].pop("rules")
        for product in products_of(by_name):
            copies = [
                {key: value for key, value in rule.items() if key != "products"}
                for rule in shared
                if product["key"] in rule.get("products", [product["key"]])
            ]
            product["rules"] = [*copies, *product.get("rules", ())]
    return files


@settings(max_examples=count("families with shared rules"))
@given(family=st.sampled_from(FAMILIES), seed=SEEDS)
def test_a_folder_with_shared_rules_has_the_digest_of_one_with_copies(family, seed):
    """
    A folder with shared rules has the digest, and so the answers, of the same folder with copies.

    Files may not have copies with one code; this is the only check that is left out here.
    """
    random = Random(seed)
    files = with_shared_rules(family, random)
    (country, *_), checked = files, resolver.add_uniqueness_errors
    once = read({country: files[country]}, random)[country]
    resolver.add_uniqueness_errors = lambda _layers: None
    try:
        copied = read(with_copies({country: files[country]}), random)[country]
    finally:
        resolver.add_uniqueness_errors = checked

    of_copies = {rulebook.since: rulebook for rulebook in copied.slices}
    for rulebook in once.slices:
        copy = copied.rulebook(rulebook.since)
        assert rulebook.digest == copy.digest, rulebook.since
        assert texts(rulebook) == texts(copy)
    assert set(of_copies) == {rulebook.since for rulebook in once.slices}


@settings(max_examples=count("families with shared rules"))
@given(family=st.sampled_from(WITH_CHILDREN), seed=SEEDS)
def test_what_children_make_of_shared_rules(family, seed):
    """
    On each day every product has the rules that the files give it, in their order.
    """
    random = Random(seed)
    files = with_shared_rules(family, random)
    jurisdictions = read(files, random)

    compared = 0
    for code, jurisdiction in jurisdictions.items():
        layers = layers_of(files, code)
        for rulebook in jurisdiction.slices:
            products = overlaid(layers, rulebook.since, "product", PRODUCTS, "products", "key")
            written = {
                key: [rule["code"] for rule in product_rules(layers, product, rulebook.since)]
                for key, product in products.items()
            }
            assert written == {
                terms.key: [rule.code for rule in terms.rules.rules] for terms in rulebook.products
            }, (code, rulebook.since)
            compared += len(written)
    assert compared > 0
