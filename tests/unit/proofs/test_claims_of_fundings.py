"""Rules of fundings in the tools: claimed, proved, compared, drafted and explained as others."""

from __future__ import annotations

from datetime import date

import pytest

from holdback.jurisdictions.reader import FolderFiles
from holdback.rulebooks.rulebook import FUNDING
from holdback.tools.proofs.claims import Prover
from holdback.tools.proofs.effects import effects
from holdback.tools.proofs.finding import ERROR
from holdback.tools.suggestions.complete import complete
from holdback.tools.workbench.proving import prove
from small_folders import changed, child, country, errors_in, loaded, without_example

RULES = """
[[funding]]
id = "verified-at-funding"
code = "NL-F-01"
require = "identity_verified"
reason = "Not verified any more."
source = "policy"
from = 2025-01-01

[[funding]]
id = "no-default-at-funding"
code = "NL-F-02"
require = "deals_defaulted == 0"
otherwise = "refer"
reason = "Defaulted: {deals_defaulted}."
source = "policy"
from = 2025-01-01
"""
CLAIM = '\n[[funding_claims]]\nnever = "deals_defaulted > 0"\n'
ON = date(2026, 2, 1)


def paying(*parts, code="NL"):
    """The files of a country with funding rules, and with these *parts* of `products.toml`."""
    files = changed(
        country(code), "products.toml", "[typical]\n", "[typical]\ndeals_defaulted = 0\n"
    )
    return {**files, "products.toml": files["products.toml"] + "".join((RULES, *parts))}


def found(files, code="NL", **parents):
    """The findings about the rules of fundings of *code*, each deal as an example."""
    jurisdictions = loaded(**{**parents, code: files})
    proved = prove(Prover(jurisdictions), jurisdictions[code], ON)
    return [finding for finding in proved.findings if finding.product == FUNDING]


def completed(files):
    """The country in *files* with the examples that were drafted for it."""
    return complete(FolderFiles("NL", {name: text.encode() for name, text in files.items()}), {})


def test_what_is_claimed_of_payouts_is_proved():
    """
    A claim of `[[funding_claims]]` is about every payout; without findings it holds.
    """
    files = paying(CLAIM)
    (claim,) = loaded(NL=files)["NL"].claims

    assert (claim.product, claim.name) == (FUNDING, "never deals_defaulted > 0")
    assert found(files) == []


def test_a_payout_of_which_a_claim_is_not_true():
    """
    It is shown with a deal, as an example of fundings to paste, which passes.
    """
    files = changed(paying(CLAIM), "products.toml", "deals_defaulted == 0", "deals_defaulted <= 1")
    (finding,) = found(files)

    assert (finding.claim, finding.severity) == ("stated-never", ERROR)
    assert finding.detail.message == "an application can be paid out although `deals_defaulted > 0`"
    assert next(finding.evidence()) == "NL, the rules of fundings from 2025-01-01"
    assert finding.witness.pasted.splitlines()[1:] == [
        "[[funding_examples]]",
        'name = "an application can be paid out although `deals_defaulted > 0`"',
        "on = 2025-01-01",
        "given = { deals_defaulted = 1 }",
        'expect = { funding = "pays out" }',
    ]
    files["products.toml"] += finding.witness.pasted
    assert not errors_in(files, "NL")


def test_rules_of_fundings_that_contradict_each_other():
    """
    That nobody can be paid out is found without a claim.
    """
    never = RULES[RULES.index('[[funding]]\nid = "no-default') :]
    never = never.replace("no-default", "default").replace("== 0", "> 0").replace("F-02", "F-03")
    (finding,) = [finding for finding in found(paying(never)) if finding.severity == ERROR]

    assert finding.detail.message == (
        "nobody can be paid out: no application meets `no-default-at-funding` and "
        "`default-at-funding` together"
    )


def test_a_claim_without_rules_of_fundings_does_not_hold():
    """
    Where no rule is read, everything is paid out.
    """
    files = country()
    files["products.toml"] += CLAIM

    assert [finding.claim for finding in found(files)] == ["stated-never"]


def test_a_child_inherits_the_claims_of_fundings_and_may_tighten():
    """
    What the parent claims of payouts is proved of the child, and `overlay` compares them.
    """
    parent, own = paying(CLAIM), '[[funding_claims]]\noverlay = "tighten"\n'
    off = 'switch_off = [{ rule = "no-default-at-funding", reason = "not here" }]\n'
    strict, lax = child(products=own), child(more=off, products=own)

    assert found(strict, "NL-ZH", NL=parent) == []
    (finding,) = found(lax, "NL-ZH", NL=parent)
    assert {finding.claim, *finding.follows} == {"stated-never", "stated-overlay"}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ('never = "progress < 50%"\nproduct = "flex"', "unknown key `product`"),
        ('never = "paused"', "there is a claim `never paused` on these days already"),
        ('never = "pausd"', "`pausd` is not a fact and not a parameter"),
    ],
)
def test_a_claim_of_fundings_that_is_wrong(more, message):
    """
    It names no product, and is read like the others.
    """
    claim = '\n[[funding_claims]]\nnever = "paused"\n'
    errors = errors_in(paying(claim, f"\n[[funding_claims]]\n{more}\n"), "NL")

    assert [error.message for error in errors] == [message]


def test_a_change_of_rules_of_fundings_is_compared():
    """
    Who gains and who loses by it is shown as of a product's rules; without such rules nothing is.
    """
    before = loaded(NL=paying())["NL"]
    lax = changed(paying(), "products.toml", "deals_defaulted == 0", "deals_defaulted <= 1")
    compared = {effect.name: effect for effect in effects(before, loaded(NL=lax)["NL"], (ON, ON))}
    effect = compared["funding rules"]
    was, now = effect.outcomes(effect.gained)

    assert effect.relation == "looser"
    assert (was.words, now.words) == ("referred (NL-F-02)", "pays out")
    assert (was.expected(FUNDING), now.expected(FUNDING)) == (
        {"funding": "referred", "codes": ["NL-F-02"]},
        {"funding": "pays out"},
    )
    none = loaded(NL=country())["NL"]
    assert "funding rules" not in {effect.name for effect in effects(none, none, (ON, ON))}


def test_examples_of_fundings_are_drafted():
    """
    What the examples do not show of a rule of fundings is drafted as of others; it then passes.
    """
    first = completed(paying())
    drafted = first.examples["products.toml"]

    assert len(drafted) == 5
    assert all("[[funding_examples]]" in text for text in drafted)
    assert first.left == ()
    again = {name: body.decode() for name, body in first.files.items()}
    assert completed({**paying(), **again}).examples == {}


def test_examples_of_both_kinds_are_drafted_behind_their_own():
    """
    An example of a product goes behind the last one of products, and not behind those of fundings.
    """
    first = '\n[[funding_examples]]\nname = "paid"\non = 2026-02-01\n'
    first += 'expect = { funding = "pays out" }\n'
    files = without_example(paying(first), "not verified", file="products.toml")
    text = completed(files).files["products.toml"].decode()

    assert (
        text.index('codes = ["NL-P-01"]') < text.index("[[funding]]") < text.index('name = "paid"')
    )
    assert text.index('name = "paid"') < text.index('codes = ["NL-F-01"]')
