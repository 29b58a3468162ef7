"""Rules of several products are written once, and hold in each of them like copies."""

from __future__ import annotations

from datetime import date

import pytest

from holdback import InvalidDocument
from holdback.tools.example_run import run_examples
from holdback.tools.lint.lint import findings
from holdback.tools.mutants.mutation import mutants
from holdback.tools.workbench.history import histories
from holdback.tools.workbench.overview import overview
from small_folders import FLEX, child, country, errors_in, loaded, parameter, said

TODAY = date(2026, 7, 1)
PRODUCT = FLEX.removeprefix("format = 1\n").split("rules = [")[0]
STARTER = PRODUCT.replace('"flex"', '"starter"')


def shared(name="no-default", code="NL-P-10", require="deals_defaulted == 0", **more):
    """Return a rule of several products; *more* are its other keys, as text."""
    keys = {"from": "2025-01-01", **more}
    shown = "".join(f"{key} = {value}\n" for key, value in keys.items())
    return (
        f'\n[[rules]]\nid = "{name}"\ncode = "{code}"\nrequire = \'{require}\'\n'
        f'reason = "No."\nsource = "policy"\n{shown}'
    )


def own(name, code, require="identity_verified", **more):
    """Return a rule of the product that is written before it."""
    return shared(name, code, require, **more).replace("[[rules]]", "[[products.rules]]")


IDENTITY, TAKINGS = own("identity", "NL-P-01"), own("takings", "NL-P-02")


def land(*rules, flex=IDENTITY, starter=TAKINGS):
    """Return the files of a country with two products, and *rules* of both."""
    text = f"format = 1\n{''.join(rules)}{PRODUCT}{flex}{STARTER}{starter}"
    return {**country(), "products.toml": text}


def ids(rulebook, key):
    return [rule.id for rule in rulebook.product(key).rules.rules]


def codes(rulebook, key):
    return [rule.code for rule in rulebook.product(key).rules.rules]


def resolved(code="NL", on=TODAY, **folders):
    return loaded(**folders).resolve(code, on=on)


# -- one folder


def test_a_rule_of_all_products():
    """
    A rule without `products` is of all products, and comes before their own rules.
    """
    rulebook = resolved(NL=land(shared()))

    assert ids(rulebook, "flex") == ["no-default", "identity"]
    assert ids(rulebook, "starter") == ["no-default", "takings"]


def test_a_rule_of_the_products_that_it_names():
    """
    A rule with `products` is of those alone.
    """
    rulebook = resolved(NL=land(shared(products='["starter"]')))

    assert ids(rulebook, "flex") == ["identity"]
    assert ids(rulebook, "starter") == ["no-default", "takings"]


def test_the_days_of_a_shared_rule():
    """
    It holds from its own `from` on, and until its `until`.
    """
    days = [date(2025, 12, 31), date(2026, 1, 1), date(2026, 7, 31), date(2026, 8, 1)]
    files = land(shared(**{"from": "2026-01-01", "until": "2026-08-01"}))

    with_it = ["no-default", "identity"]
    assert [ids(resolved(NL=files, on=day), "flex") for day in days] == [
        ["identity"], with_it, with_it, ["identity"],
    ]  # fmt: skip


@pytest.mark.parametrize("key", ["flex", "starter"])
def test_the_digest_is_that_of_a_copy(key):
    """
    A folder with a shared rule has the digest of the folder with the rule in the product.
    """
    rules = {"flex": "", "starter": "", key: own("no-default", "NL-P-10", "deals_defaulted == 0")}
    copied = resolved(NL=land(**rules))
    once = resolved(NL=land(shared(products=f'["{key}"]'), flex="", starter=""))

    assert once.digest == copied.digest


def test_an_example_may_expect_the_code():
    """
    A shared rule declines like any other, and an example of each product may say so.
    """
    examples = "".join(
        f'\n[[examples]]\nname = "defaulted, {key}"\non = 2026-02-01\nproduct = "{key}"\n'
        'given = { identity_verified = true, deals_defaulted = 1 }\n'
        'expect = { decision = "Declined", codes = ["NL-P-10"] }\n'
        for key in ("flex", "starter")
    )  # fmt: skip
    files = land(shared())
    files["products.toml"] += examples
    jurisdiction = loaded(NL=files)["NL"]

    of_products = [run for run in run_examples(jurisdiction) if run.example.product]
    assert [run.passed for run in of_products] == [True, True]


# -- what is wrong


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (land(shared(products='["starterr"]')), "did you mean `starter`?"),
        (land(shared(products="[]")), "expected at least one; leave it out for all products"),
        (land(shared(products='["flex", "flex"]')), "`flex` is listed twice"),
        (land(shared("identity")), "`flex` has a rule `identity` already, on line 3"),
        (land(shared(), shared(code="NL-P-11")), "there is a rule `no-default` already"),
        (land(shared("on-pace")), "there is a rule `on-pace` already"),
        (land(shared(code="NL-P-01")), "`NL-P-01` is the code of the rule `no-default`"),
        (
            land(shared(**{"from": "2024-01-01", "until": "2025-01-01"}, products='["starter"]')),
            "`starter` is offered on no day of this rule",
        ),
        (
            land(flex=own("identity", "NL-P-01"), starter=own("identity", "NL-P-01")),
            "a rule of several products is written once, as `[[rules]]`",
        ),
        (land(shared().replace("from = 2025-01-01\n", "")), "`from` is missing"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_shared_rule(files, message):
    """
    An error says what is wrong between a shared rule and the products, and what to do.
    """
    assert any(message in str(error) for error in errors_in(files, "NL")), [
        str(error) for error in errors_in(files, "NL")
    ]


def test_a_rule_of_all_products_below_one_of_them():
    """
    `[[rules]]` below `[[products]]` may have been meant for the one product.
    """
    files = land()
    files["products.toml"] += shared()
    messages = [finding.message for finding in findings(loaded(NL=files))]

    assert "the rule `no-default` is of all products, and stands below `[[products]]`" in messages
    files["products.toml"] += 'products = ["flex"]\n'
    messages = [finding.message for finding in findings(loaded(NL=files))]
    assert not any("stands below" in message for message in messages)


def test_a_proposal_that_makes_it_wrong():
    """
    A rule of several products that a proposal makes wrong is one error.
    """
    least = parameter("least_score", "count", ("2025-01-01", 600))
    files = land(shared(require="credit_score >= least_score"))
    files["products.toml"] = files["products.toml"].replace("format = 1\n", f"format = 1\n{least}")

    with pytest.raises(InvalidDocument) as refused:
        resolved(NL=files).replace(least_score=100_000)
    assert [error.code for error in refused.value.errors] == ["invalid_rule"]


# -- a child


def of_child(*rules, more="", products="", parent=None):
    """Return the rulebook of a child with *rules* of several products and *more* settings."""
    files = child(more=more, products="".join(rules) + products if rules or products else None)
    return resolved("NL-ZH", NL=parent or land(shared()), NL_ZH=files)


def test_a_child_replaces_it_in_all_products():
    """
    The rule of a child takes the place of the one with its id, in every product.
    """
    rulebook = of_child(shared(code="NL-ZH-P-10"))

    assert codes(rulebook, "flex") == ["NL-ZH-P-10", "NL-P-01"]
    assert codes(rulebook, "starter") == ["NL-ZH-P-10", "NL-P-02"]


def test_a_child_replaces_it_in_one_product():
    """
    A rule that names a product takes the place in this one; the parent's stays in the others.
    """
    rulebook = of_child(shared(code="NL-ZH-P-10", products='["flex"]'))

    assert codes(rulebook, "flex") == ["NL-ZH-P-10", "NL-P-01"]
    assert codes(rulebook, "starter") == ["NL-P-10", "NL-P-02"]


def test_a_child_replaces_the_rule_of_a_product():
    """
    So a child changes one rule of an inherited product without writing the product again.
    """
    rulebook = of_child(shared("takings", "NL-ZH-P-02", products='["starter"]'))

    assert codes(rulebook, "starter") == ["NL-P-10", "NL-ZH-P-02"]


def test_a_product_of_the_child_has_the_rules_of_all():
    """
    A parent's rule of all products is of the child's products, too.

    A rule of such a product itself takes the place of the shared one with its id.
    """
    extra = PRODUCT.replace('"flex"', '"extra"') + own("extra", "NL-ZH-P-20")
    again = STARTER + own("no-default", "NL-ZH-P-21")
    rulebook = of_child(products=extra + again)

    assert codes(rulebook, "extra") == ["NL-P-10", "NL-ZH-P-20"]
    assert codes(rulebook, "starter") == ["NL-ZH-P-21"]


@pytest.mark.parametrize(
    ("entry", "flex", "starter"),
    [
        ('rule = "no-default"', ["identity"], ["takings"]),
        ('rule = "no-default", product = "flex"', ["identity"], ["no-default", "takings"]),
        ('rule = "identity", product = "flex"', ["no-default"], ["no-default", "takings"]),
        (
            'rule = "no-default", from = 2026-08-01',
            ["no-default", "identity"],
            ["no-default", "takings"],
        ),
    ],
)
def test_what_a_child_switches_off(entry, flex, starter):
    """
    A child switches a rule off by its id: a shared one in all products, or a rule in one of them.
    """
    rulebook = of_child(more=f'switch_off = [{{ {entry}, reason = "x" }}]\n')

    assert (ids(rulebook, "flex"), ids(rulebook, "starter")) == (flex, starter)


def test_a_renewal_rule_switched_off_leaves_the_products_alone():
    """
    The rules of a product itself are dropped by the product's key, and not by the id alone.
    """
    parent = land(flex=own("few-missed", "NL-P-01"))
    off = 'switch_off = [{ rule = "few-missed", reason = "x" }]\n'
    rulebook = of_child(more=off, parent=parent)

    assert ids(rulebook, "flex") == ["few-missed"]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ('rule = "no-default", product = "flexx"', "no rule `no-default` of the product `flexx`"),
        ('rule = "takings", product = "flex"', "no rule `takings` of the product `flex`"),
        ('rule = "takings"', "`NL` has no rule `takings`"),
        ('parameter = "x", product = "flex"', "only `rule` may have a `product` beside it"),
    ],
)
def test_what_cannot_be_switched_off(entry, message):
    """
    An error says which product has no such rule.
    """
    files = child(more=f'switch_off = [{{ {entry}, reason = "x" }}]\n')

    assert any(message in line for line in said("NL-ZH", NL=land(shared()), NL_ZH=files))


# -- what shows it


def test_the_mutants_of_a_shared_rule():
    """
    A mutant changes the rule in all its products, or leaves it out of one that it names.
    """
    jurisdictions = loaded(NL=land(shared(products='["flex", "starter"]')))
    made = {each.name: each for each in mutants(jurisdictions["NL"], jurisdictions)}
    rulebook = jurisdictions.resolve("NL", on=TODAY)

    left_out = made["NL-P-10 left out"].change(rulebook)
    fewer = made["NL-P-10 not for flex"].change(rulebook)
    assert (ids(left_out, "flex"), ids(left_out, "starter")) == (["identity"], ["takings"])
    assert (ids(fewer, "flex"), ids(fewer, "starter")) == (["identity"], ["no-default", "takings"])


@pytest.mark.parametrize("product", [None, "flex"])
def test_the_mutant_that_switches_it_on_again(product):
    """
    A rule that is switched off comes back in the products in which it was.
    """
    of = "" if product is None else f', product = "{product}"'
    off = child(more=f'switch_off = [{{ rule = "no-default"{of}, reason = "x" }}]\n')
    family = loaded(NL=land(shared()), NL_ZH=off)
    (again,) = (
        each for each in mutants(family["NL-ZH"], family) if "not switched off" in each.name
    )
    rulebook = again.change(family.resolve("NL-ZH", on=TODAY))

    assert codes(rulebook, "flex") == ["NL-P-10", "NL-P-01"]
    assert codes(rulebook, "starter") == ["NL-P-10", "NL-P-02"]


def test_a_switch_off_in_one_product_is_shown():
    """
    An example of that product shows the switch-off; one of another product does not.
    """
    off = 'switch_off = [{ rule = "no-default", product = "flex", reason = "x" }]\n'
    accepted = (
        '[[examples]]\nname = "defaulted"\non = 2026-02-01\nproduct = "{}"\n'
        'given = {{ identity_verified = true, deals_defaulted = 1 }}\n'
        'expect = {{ decision = "{}" }}\n'
    )  # fmt: skip

    def messages(key, decision):
        files = child(more=off, products=accepted.format(key, decision))
        return [each.message for each in findings(loaded(NL=land(shared()), NL_ZH=files))]

    lacking = "no example shows that the rule `no-default` is switched off in `flex`"
    assert lacking not in messages("flex", "Accepted")
    assert lacking in messages("starter", "Declined")


def test_what_shows_a_shared_rule():
    """
    `show` and `history` have a shared rule in each product, and what a child switches off in one.
    """
    off = child(
        more='switch_off = [{ rule = "no-default", product = "flex", reason = "Not here." }]\n'
    )
    family = loaded(NL=land(shared()), NL_ZH=off)
    shown = overview(family["NL-ZH"], TODAY)

    assert [[rule["id"] for rule in each["rules"]] for each in shown["products"]] == [
        ["identity"], ["no-default", "takings"],
    ]  # fmt: skip
    (dropped,) = shown["switched_off"]
    assert (dropped["name"], dropped["product"]) == ("no-default", "flex")
    of_rule = histories(family, family["NL"], "no-default")
    assert [each.subject.product for each in of_rule] == ["flex", "starter"]
    states = [
        version.state for each in histories(family, family["NL-ZH"], "no-default")
        for version in each.versions
    ]  # fmt: skip
    assert states == ["switched off", "in force"]
