"""The digest of a policy document: it covers everything that the page says, and decides nothing."""

from __future__ import annotations

import re
from datetime import date
from functools import cache
from pathlib import Path

from attrs import evolve

from every_case import for_every
from holdback.eligibility.reasons import SERVICE_REASONS
from holdback.exact.exact_json import digest
from holdback.jurisdictions.keys import (
    ENTRY,
    JURISDICTION,
    PRODUCTS,
    RENEWAL,
    ByName,
    Dated,
    Keys,
    ListOf,
)
from holdback.tools.policy.policy import PolicyPage
from holdback.tools.policy.policy_page import policy_page
from holdback.tools.policy.policy_record import page_digest, what_it_says
from small_folders import FIGURES, child, country, loaded
from small_folders import RENEWAL as RULES

ON = date(2026, 7, 1)
SRC = Path(__file__).parents[3] / "src/holdback"

SETTINGS = """\
signature = "before_funding"
bank_details = ["iban"]
consents = ["terms"]
late_remittances = "refund"
retain_profile_days = [{ from = 2025-01-01, value = 1000, source = "the retention schedule" }]
approval_days = [{ from = 2025-01-01, value = 31, source = "the approvals" }]
acceptance_days = [{ from = 2025-01-01, value = 32, source = "the acceptances" }]
cooling_off_days = [{ from = 2025-01-01, value = 14, source = "the cooling-off" }]

referrals_reviewed_by = "the underwriters"
declines_reviewed_by = "their head"
complaints_to = "the complaints desk"
complaints_within = "30 days"
complaints_then_to = "the ombudsman"

[data.licence]
legal_basis = "a duty"
obtained_from = "the register of licences"

[facts.licence_valid]
label = "the licence is valid"
type = "flag"
description = "Whether the licence is valid."

[facts.trade]
type = "text"
description = "The trade of the merchant."
options = ["food", "books"]

[checks.licence]
facts = ["licence_valid"]
consent = "register_search"
max_age_days = [{ from = 2025-01-01, value = 365, source = "the register" }]
"""

PARAMETER = """\
[parameters.least_trading]
label = "least trading"
type = "date"
timeline = [{ from = 2025-01-01, value = 2024-03-04, source = "the calendar" }]
"""

RULE = """
[[rules]]
id = "{id}"
code = "NL-{code}"
when = 'trade == "food"'
require = "licence_valid"
otherwise = "refer"
reason = "The {id} is not there."
source = "the {id} book"
from = 2025-01-01
"""

TIERS = """
[[tables]]
id = "{id}"
code = "NL-{code}"
source = "the {id} book"
reason = "The pace of {id} is {{performance}}."
from = 2025-01-01
columns = ["row", "months_trading", "require performance"]
rows = [
  ["young", "< 12", ">= 70%"],
  ["old", ">= 12", ">= 60%"],
]
"""

CLAIMS = """
[[{kind}]]
never = 'licence_valid and trade == "books"'
name = "no books"
{product}
[[{kind}]]
always = 'licence_valid or trade == "books"'
{product}
"""

TIGHTEN = """
[[{kind}]]
overlay = "tighten"
{product}
"""

OWN_REASONS = """
[reasons]
floor = "Own words for floor."
limit = "Own words for limit."
settlement = "Own words for settlement."
affordability = "Own words for affordability."
person = "Own words for person."
review = "Own words for review."
ended = "Own words for ended."
"""

FEE = """\
renewal = "queue"
settlement = { calculator = "percentage", percentage = "30%" }

[[products.fees]]
key = "returned_payment"
after = "reversal"
amount = "EUR 15"
at_most = "EUR 60"
at_most_share = "3%"
source = "the price list"
from = 2025-01-01

[[products.fees]]
key = "default_interest"
after = "default"
yearly_rate = "8%"
at_most = "EUR 500"
source = "the price list"
from = 2025-01-01
"""

CAP = """
[[products.offer_rules]]
id = "rate-cap"
code = "NL-P-08"
when = "term > 30 days"
require = "apr <= 900%"
reason = "Too dear."
source = "the book of rates"
from = 2025-01-01
"""

OF_CHILD = """
switch_off = [
  { rule = "few-missed", reason = "Not needed." },
  { product = "flex", rule = "identity", reason = "Known already." },
  { parameter = "spare", reason = "Not read." },
  { claim = "no books", reason = "Books are sold." },
]
"""


SPARE = """
[parameters.{name}]
type = "count"
timeline = [{{ from = 2025-01-01, value = 1, source = "policy" }}]

"""

PLUS = """
[[products]]
key = "plus"
name = "Larger advance"
description = "For those who ask."
repayment_mechanism = "terminal_split"
from = 2025-01-01
amounts = ["100%"]
limits = { calculator = "fixed", minimum = "EUR 700.00", maximum = "EUR 2500.00" }
split_percentage = { calculator = "chosen", choices = ["12%"] }
factor_rate = { calculator = "flat", rate = "1.25" }
term = { calculator = "fixed", months = 9 }
"""

OWN = """\
rules = [
  { id = "own", code = "NL-P-03", when = 'trade == "food"', require = "licence_valid", \
otherwise = "refer", reason = "No own.", source = "the own book" },
"""


def shelf():
    """A country that states every key, and its child."""
    files = country(more=SETTINGS + FIGURES)
    pace = "performance >= minimum_performance"
    law = (
        RULES.replace("[[rules]]", PARAMETER + SPARE.format(name="spare") + "[[rules]]", 1)
        .replace(pace, f"{pace} and credit_checked_on >= least_trading")
        .replace("[typical]", TIERS.format(id="tiers", code="R-07") + "[typical]")
        .replace("[typical]", SPARE.format(name="reserve") + RULE.format(id="licence", code="R-03"))
        .partition('performance = "97%"')[0]
        .replace('progress = "64%"', CLAIMS.format(kind="claims", product=""))
    )
    goods = files["products.toml"].partition("\n[typical]")[0].replace("rules = [\n", OWN)
    goods += FEE + PLUS + CAP + OWN_REASONS + RULE.format(id="shared", code="P-04")
    goods += 'products = ["flex"]\n' + TIERS.format(id="steps", code="P-07")
    goods += 'products = ["plus"]\n'
    goods += RULE.format(id="payout", code="F-01").replace("[[rules]]", "[[funding]]")
    goods += CLAIMS.format(kind="claims", product='product = "flex"')
    goods += CLAIMS.format(kind="funding_claims", product="")
    part = child(
        more=OF_CHILD,
        renewal=TIGHTEN.format(kind="claims", product=""),
        products=TIGHTEN.format(kind="claims", product='product = "flex"')
        + TIGHTEN.format(kind="funding_claims", product=""),
    )
    return {"NL": {**files, "renewal.toml": law, "products.toml": goods}, "NL_ZH": part}


def pages(folders, on=ON):
    """The pages of the country and its child on a day."""
    read = loaded(**folders)
    for code, above in (("NL", ()), ("NL-ZH", (read["NL"],))):
        yield PolicyPage(jurisdiction=read[code], on=on, above=above)


# What is not on the page, or says of which days a text is, with the reason.
NOT_SAID = {
    "format": "of the file",
    "until": "the text that follows has a digest of its own",
    "typical": "for examples and proofs",
    "survivors": "for mutants",
    "examples": "for tests; what a product costs is of one (test_worked_examples)",
    "funding_examples": "for tests",
    "moves": "for advice",
    "type": "the values show it",
    "minimum": "for what can be recorded",
    "maximum": "for what can be recorded",
    "products products key": "the name is on the page",
    "repayment_mechanism": "the description says it",
}
# The sentence of a claim is on the page, and neither its name nor why its author made it.
NOT_OF_CLAIMS = ("name", "reason", "from")
# These change with everything else; `test_whose_page_it_is` changes them.
WHOSE = ("jurisdiction code", "jurisdiction currency", "jurisdiction parent")

# Where a key is changed: the folder and the file, and a text after which the first match is meant.
COUNTRY = ("NL", "jurisdiction.toml")
RENEWALS = ("NL", "renewal.toml")
GOODS = ("NL", "products.toml")
PART = ("NL_ZH", "jurisdiction.toml")


def of_rule(path, place, name, code):
    """Return how each key of the rule *name* is changed."""
    begin = f'id = "{name}"'
    dated = "source" if name == "own" else "from = 2025-01-01"
    since = "from = 2025-06-01, source" if name == "own" else "from = 2025-06-01"
    return {
        f"{path} {key}": (place, after, old, new)
        for key, after, old, new in (
            ("id", "", begin, 'id = "renamed"'),
            ("code", begin, f"NL-{code}", f"NL-{code}9"),
            ("require", begin, '"licence_valid"', '"identity_verified"'),
            ("when", begin, 'trade == "food"', 'trade == "books"'),
            ("otherwise", begin, '"refer"', '"decline"'),
            ("reason", begin, 'reason = "', 'reason = "Sorry. '),
            ("source", begin, 'source = "', 'source = "page 9 of '),
            ("from", begin, dated, since),
        )
    }


def of_table(path, place, name):
    """Return how each key of the table *name* is changed."""
    begin = f'id = "{name}"'
    return {
        f"{path} {key}": (place, begin if key != "id" else "", old, new)
        for key, old, new in (
            ("id", begin, 'id = "renamed"'),
            ("code", "-07", "-08"),
            ("columns", '"row", "months_trading"', '"row", "deals_completed"'),
            ("rows", '">= 70%"', '">= 71%"'),
            ("reason", "The pace of", "Your pace of"),
            ("source", 'source = "', 'source = "page 9 of '),
            ("from", "2025-01-01", "2025-06-01"),
        )
    }


def of_claims(path, place, begin):
    """Return how each key of the claims that follow *begin* is changed."""
    overlay, never = 'overlay = "tighten"', 'never = "paused"'
    return {
        f"{path} never": (place, begin, '"books"', '"food"'),
        f"{path} always": (place, f"{begin}\nalways", '"books"', '"food"'),
        f"{path} overlay": (("NL_ZH", place[1]), begin, overlay, never),
    }


def of_days(name, old, new, source):
    """Return how each key of the dated setting *name* is changed."""
    begin, first = f"{name} = [", f'from = 2025-01-01, value = {old}, source = "{source}"'
    later = first.replace("2025-01-01", "2026-06-01")
    return {
        f"jurisdiction {name} from": (COUNTRY, begin, first, f"{first} }}, {{ {later}"),
        f"jurisdiction {name} value": (COUNTRY, begin, f"value = {old}", f"value = {new}"),
        f"jurisdiction {name} source": (COUNTRY, begin, f'"{source}"', '"another source"'),
    }


LEFT_CLAIM = """'always licence_valid or trade == "books"'"""

CHANGES = {
    "jurisdiction name": (COUNTRY, "", "Land of NL", "The land"),
    "jurisdiction owner": (COUNTRY, "", '"risk-nl"', '"risk-eu"'),
    "jurisdiction review_by": (COUNTRY, "", "2027-06-30", "2027-07-31"),
    "jurisdiction rounding": (COUNTRY, "", "half_up", "half_even"),
    "jurisdiction timezone": (COUNTRY, "", "Europe/Amsterdam", "Europe/Paris"),
    "jurisdiction automated_decisioning": (COUNTRY, "", "= false", "= true"),
    **of_days("offers_valid_hours", 720, 721, "policy"),
    **of_days("recently_active_days", 90, 91, "policy"),
    **of_days("retain_profile_days", 1000, 1001, "the retention schedule"),
    **of_days("approval_days", 31, 30, "the approvals"),
    **of_days("acceptance_days", 32, 30, "the acceptances"),
    **of_days("cooling_off_days", 14, 15, "the cooling-off"),
    "jurisdiction signature": (COUNTRY, "", "before_funding", "before_submission"),
    "jurisdiction bank_details": (COUNTRY, "", '"iban"', '"iban", "bic"'),
    "jurisdiction consents": (COUNTRY, "", '["terms"]', '["terms", "privacy"]'),
    "jurisdiction late_remittances": (COUNTRY, "", '"refund"', '"transfer"'),
    "jurisdiction facts description": (COUNTRY, "", "Whether the licence", "If the licence"),
    "jurisdiction facts label": (COUNTRY, "", "the licence is valid", "the permit is valid"),
    "jurisdiction facts options": (COUNTRY, "", '"books"]', '"books", "tools"]'),
    "jurisdiction facts of": (COUNTRY, "[facts.licence_valid]", "type =", 'of = "deal"\ntype ='),
    "jurisdiction checks facts": (COUNTRY, "", '["licence_valid"]', '["licence_valid", "trade"]'),
    "jurisdiction checks consent": (COUNTRY, "", "register_search", "licence_search"),
    "jurisdiction checks max_age_days from": (COUNTRY, "max_age_days", "2025-01-01", "2026-06-01"),
    "jurisdiction checks max_age_days value": (COUNTRY, "max_age_days", "365", "364"),
    "jurisdiction checks max_age_days source": (COUNTRY, "", '"the register"', '"the list"'),
    "jurisdiction referrals_reviewed_by": (COUNTRY, "", "the underwriters", "a person"),
    "jurisdiction declines_reviewed_by": (COUNTRY, "", "their head", "nobody"),
    "jurisdiction complaints_to": (COUNTRY, "", "the complaints desk", "the branch"),
    "jurisdiction complaints_within": (COUNTRY, "", "30 days", "40 days"),
    "jurisdiction complaints_then_to": (COUNTRY, "", "the ombudsman", "the court"),
    "jurisdiction data legal_basis": (COUNTRY, "", "a duty", "consent"),
    "jurisdiction data obtained_from": (COUNTRY, "", "register of licences", "list of licences"),
    "jurisdiction figures decimal": (
        COUNTRY,
        "",
        'decimal = ","\ngroup = "."',
        'decimal = "."\ngroup = " "',
    ),
    "jurisdiction figures group": (COUNTRY, "", 'group = "."', 'group = " "'),
    "jurisdiction figures money": (COUNTRY, "", "€ {amount}", "{amount} €"),
    "jurisdiction figures percent": (COUNTRY, "", "{number}%", "{number} %"),
    "jurisdiction figures date": (COUNTRY, "", "{day}-{month}", "{month}-{day}"),
    "jurisdiction switch_off rule": (PART, "", 'rule = "few-missed"', 'rule = "licence"'),
    "jurisdiction switch_off table": (PART, "", 'rule = "few-missed"', 'table = "tiers"'),
    "jurisdiction switch_off product": (
        PART,
        "",
        'product = "flex", rule = "identity"',
        'product = "flex"',
    ),
    "jurisdiction switch_off parameter": (PART, "", '"spare"', '"reserve"'),
    "jurisdiction switch_off claim": (PART, "", '"no books"', LEFT_CLAIM),
    "jurisdiction switch_off reason": (PART, "", "Not needed.", "Superfluous."),
    "jurisdiction switch_off from": (PART, "", '"Not read."', '"Not read.", from = 2027-01-01'),
    "renewal parameters label": (RENEWALS, "", '"least trading"', '"first day of trading"'),
    "renewal parameters timeline from": (RENEWALS, "least_trading", "2025-01-01", "2024-12-01"),
    "renewal parameters timeline value": (RENEWALS, "", "2024-03-04", "2024-04-03"),
    "renewal parameters timeline source": (RENEWALS, "", '"the calendar"', '"the diary"'),
    **of_rule("renewal rules", RENEWALS, "licence", "R-03"),
    **of_table("renewal tables", RENEWALS, "tiers"),
    **of_claims("renewal claims", RENEWALS, "[[claims]]"),
    **{
        f"products reasons {name}": (GOODS, "", f"Own words for {name}.", "Other words.")
        for name in map(str.lower, SERVICE_REASONS)
    },
    "products products name": (GOODS, "", '"Cash advance"', '"Advance"'),
    "products products description": (GOODS, "", "Repaid from takings.", "Repaid."),
    "products products from": (
        GOODS,
        "",
        "from = 2025-01-01\namounts",
        "from = 2025-06-01\namounts",
    ),
    "products products amounts": (GOODS, "", '"50%"', '"60%"'),
    **of_rule("products products rules", GOODS, "own", "P-03"),
    "products products limits": (GOODS, "", "EUR 2000", "EUR 3000"),
    "products products split_percentage": (GOODS, "", '["10%"]', '["11%"]'),
    "products products factor_rate": (GOODS, "", '"1.2"', '"1.3"'),
    "products products term": (GOODS, "", "months = 6", "months = 7"),
    "products products settlement": (GOODS, "", '"30%"', '"31%"'),
    "products products renewal": (GOODS, "", '"queue"', '"settle"'),
    "products products fees key": (GOODS, "", '"returned_payment"', '"bounced_payment"'),
    "products products fees after": (GOODS, "", '"reversal"', '"default"'),
    "products products fees amount": (GOODS, "", '"EUR 15"', '"EUR 16"'),
    "products products fees yearly_rate": (GOODS, "", '"8%"', '"9%"'),
    "products products fees at_most": (GOODS, "", '"EUR 60"', '"EUR 61"'),
    "products products fees at_most_share": (GOODS, "", '"3%"', '"4%"'),
    "products products fees source": (GOODS, "", '"the price list"', '"the list of prices"'),
    "products products fees from": (GOODS, 'list"\n', "from = 2025-01-01", "from = 2026-12-01"),
    "products products offer_rules id": (GOODS, "", '"rate-cap"', '"cap"'),
    "products products offer_rules code": (GOODS, "", "NL-P-08", "NL-P-09"),
    "products products offer_rules when": (GOODS, "", "term > 30 days", "term > 31 days"),
    "products products offer_rules require": (GOODS, "", "apr <= 900%", "apr <= 901%"),
    "products products offer_rules reason": (GOODS, "", "Too dear.", "Dear."),
    "products products offer_rules source": (GOODS, "", "the book of rates", "the rates"),
    "products products offer_rules from": (GOODS, 'rates"\n', "2025-01-01", "2025-02-01"),
    **of_rule("products rules", GOODS, "shared", "P-04"),
    "products rules products": (GOODS, "", 'products = ["flex"]', 'products = ["plus"]'),
    **of_table("products tables", GOODS, "steps"),
    "products tables products": (GOODS, "steps", 'products = ["plus"]', 'products = ["flex"]'),
    **of_rule("products funding", GOODS, "payout", "F-01"),
    **of_claims("products claims", GOODS, "[[claims]]"),
    "products claims product": (GOODS, "", 'product = "flex"', 'product = "plus"'),
    **of_claims("products funding_claims", GOODS, "[[funding_claims]]"),
}


def keys(form, path):
    """Yield the paths of the keys in *form*, a table of the files."""
    if isinstance(form, (ListOf, ByName)):
        yield from keys(form.form, path)
    elif isinstance(form, Dated):
        yield from keys(ENTRY, path)
    elif isinstance(form, Keys):
        for name, row in form.rows.items():
            if not {name, f"{path} {name}"} & {*NOT_SAID} and not (
                "claims" in path and name in NOT_OF_CLAIMS
            ):
                yield from keys(row.form, f"{path} {name}")
    else:
        yield path


EVERY_KEY = [
    path
    for name, table in (
        ("jurisdiction", JURISDICTION),
        ("renewal", RENEWAL),
        ("products", PRODUCTS),
    )
    for path in keys(table, name)
]


def edited(folders, place, after, old, new):
    """Return *folders* with the first *old* that follows the texts *after* replaced."""
    folder, file = place
    text = folders[folder][file]
    start = 0
    for part in filter(None, after.split("\n")):
        start = text.index(part, start)
    at = text.index(old, start)
    changed = text[:at] + new + text[at + len(old) :]
    return {**folders, folder: {**folders[folder], file: changed}}


def said(folders):
    """What the pages of the country and its child say, and their digests."""
    made = [(page.rulebook.rules_digest, what_it_says(page)) for page in pages(folders)]
    # As `page_digest` has it, which `test_the_page_prints_both_digests` holds.
    digests = [digest({"rules": rules, "says": says}) for rules, says in made]
    return [says for _, says in made], digests


@cache
def said_at_first():
    """What the unchanged pages say, and their digests."""
    return said(shelf())


def test_every_key_is_looked_at():
    """
    Each key of the files is changed below, or is not on the page.
    """
    # The keys of a parameter are the same in both files.
    rows = {path for path in EVERY_KEY if not path.startswith("products parameters")}

    assert rows - {*WHOSE} == {*CHANGES}


@for_every("key", [*CHANGES])
def test_a_key_that_the_page_shows_changes_its_digest(key):
    """
    Where a sentence of the page changes, its digest does too.
    """
    before, digests = said_at_first()
    now, digests_now = said(edited(shelf(), *CHANGES[key]))
    child_alone = CHANGES[key][0][0] == "NL_ZH"

    # Not only the rules' own digest, which is a part of it, is another one.
    assert [was != is_now for was, is_now in zip(before, now, strict=True)][child_alone]
    assert [was != is_now for was, is_now in zip(digests, digests_now, strict=True)][child_alone]


def test_whose_page_it_is():
    """
    The code, the name above it and the currency are part of what the page says.
    """
    read = loaded(NL=country(), BE=country("BE"), BE_X=child("BE-X", "BE"))
    about = [
        PolicyPage(jurisdiction=read["NL"], on=ON),
        PolicyPage(jurisdiction=read["BE"], on=ON),
        PolicyPage(jurisdiction=read["BE-X"], on=ON, above=(read["BE"],)),
        PolicyPage(jurisdiction=read["BE-X"], on=ON, above=(evolve(read["BE"], name="Belgium"),)),
    ]

    assert len({page_digest(page) for page in about}) == len(about)
    assert what_it_says(about[0])["jurisdiction"] == ["NL", "Land of NL", "EUR"]


def test_the_digest_is_that_of_the_period():
    """
    A digest holds for all days of a period, also when a change is planned for later ones.
    """
    (now, _), (later, _) = pages(shelf()), pages(shelf(), date(2027, 3, 4))
    planned = edited(shelf(), RENEWALS, "", '"80%", source = "policy" },', PLANNED)
    (same, _), (changed, _) = pages(planned), pages(planned, date(2027, 1, 1))

    assert page_digest(now) == page_digest(later) == page_digest(same)
    assert page_digest(changed) != page_digest(same)


PLANNED = """\
"80%", source = "policy" },
  { from = 2027-01-01, value = "85%", source = "policy" },
"""


def test_the_page_prints_both_digests():
    """
    The digest of the page is printed next to that of the rules.
    """
    page, _ = pages(shelf())
    printed = "\n".join(policy_page(page))

    assert f"Fingerprint of the rules: {page.rulebook.digest}" in printed
    assert f"Fingerprint of this text: {page_digest(page)}" in printed
    assert page_digest(page) == digest(
        {"rules": page.rulebook.rules_digest, "says": what_it_says(page)}
    )


def test_nothing_that_decides_reads_it():
    """
    Only the tools know the digest of a page: no module that a host calls to decide names it.
    """
    naming = {
        path.relative_to(SRC).parts[0]
        for path in SRC.rglob("*.py")
        if re.search("policy_record|page_digest", path.read_text(encoding="utf-8"))
    }

    assert naming <= {"tools", "cli"}
