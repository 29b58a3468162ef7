"""`[reasons]`: how a jurisdiction words the reasons that no rule gives."""

from __future__ import annotations

from every_case import for_every
from holdback.eligibility.reasons import SERVICE_REASONS, service_reason
from small_folders import child, country, errors_in, rulebook_of

REASONS = """
[reasons]
floor = "Pay back {least} first; you have paid {progress}."
limit = "We offer at most {most} now."
"""


def with_reasons(more=REASONS):
    files = country()
    return {**files, "products.toml": files["products.toml"] + more}


def worded(rulebook, code, **figures):
    return service_reason(rulebook.renewal, code, figures).text


def test_a_lender_words_its_reasons():
    """
    A sentence in `[reasons]` is read in place of the service's, with the figures that it names.
    """
    rulebook = rulebook_of("NL", parent=with_reasons())
    (floor,) = rulebook.assess({"progress": "20%"}).reasons

    assert floor.text == "Pay back 50% first; you have paid 20%."
    assert (floor.code, floor.rule) == ("FLOOR", "floor")
    assert floor.threshold == {"progress": "at least 50%"}
    assert worded(rulebook, "LIMIT", most="EUR 5", least="EUR 6") == "We offer at most EUR 5 now."
    assert worded(rulebook, "PERSON") == SERVICE_REASONS["PERSON"]


def test_products_and_payouts_have_the_same_sentences():
    """
    All sets of rules have the words of the jurisdiction.
    """
    rulebook = rulebook_of("NL", parent=with_reasons())

    assert {rules.wording for rules in rulebook.rulesets.values()} == {rulebook.renewal.wording}
    assert set(rulebook.renewal.wording) == {"FLOOR", "LIMIT"}


def test_a_child_replaces_single_sentences():
    """
    A child words what it wants otherwise; the rest is its parent's.
    """
    own = child(products='[reasons]\nlimit = "Ask for less than {most}."\n')
    rulebook = rulebook_of(parent=with_reasons(), NL_ZH=own)

    assert worded(rulebook, "LIMIT", most="EUR 5") == "Ask for less than EUR 5."
    assert rulebook.assess({"progress": "20%"}).reasons[0].text.startswith("Pay back 50% first")


def test_no_digest_covers_words():
    """
    Another sentence decides nothing, so the digest stays.
    """
    assert rulebook_of("NL", parent=with_reasons()).digest == rulebook_of("NL").digest


@for_every(
    ("line", "message", "hint"),
    [
        ('limit = "At most {mots}."', "`{mots}` is not a figure of this sentence", "`most`"),
        ('person = "No: {most}."', "`{most}` is not a figure of this sentence", "it can have none"),
        ('limit = "At most {most."', "braces hold the name", "as `{performance}`"),
        ('limt = "No."', "unknown key `limt`", "`limit`"),
        ("limit = 5", "expected text, not", None),
        ('limit = ""', "", None),
    ],
)
def test_what_is_wrong(line, message, hint):
    """
    A sentence with another figure, a stray brace or another id is an error in its line.
    """
    (error,) = errors_in(with_reasons(f"\n[reasons]\n{line}\n"), "NL")

    assert error.file == "NL/products.toml"
    assert error.source == line
    assert message in error.message
    assert hint is None or hint in error.hint
