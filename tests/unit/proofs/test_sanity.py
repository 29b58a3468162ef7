"""Faults that are seen without a solver: one headline for each, with the lines it comes from."""

from __future__ import annotations

from datetime import date

from every_case import for_every
from holdback import load_jurisdictions
from holdback.tools.proofs.finding import ERROR, INFORMATION, WARNING
from holdback.tools.sanity.sanity import sanity
from small_folders import FLEX, changed, child, country, loaded, parameter, rule

RENEWAL, PRODUCTS = "renewal.toml", "products.toml"
BANDS = (
    'factor_rate = {{ calculator = "banded", on = "{on}", '
    'bands = [{{ up_to = {up_to}, rate = "{low}" }}, {{ rate = "{high}" }}] }}'
)


def faults(on=None, **folders):
    """Return what is found in *folders*."""
    return list(sanity(loaded(**folders), on))


def only(on=None, **folders):
    """Return the one headline in *folders*."""
    (finding,) = faults(on, **folders)
    return finding


def priced(old, new):
    """Return the country NL with *old* in its product replaced by *new*."""
    return changed(country(), PRODUCTS, old, new)


def lines(finding):
    """Return the lines that *finding* comes from."""
    return [f"{place.file}:{place.line}" for place in finding.places]


def said(finding):
    """Return what *finding* says on one line."""
    return f"{finding.detail.message}; {finding.detail.hint}"


def test_what_ships_has_none():
    """
    On what ships: no errors, no warnings.
    """
    assert list(sanity(load_jurisdictions())) == []
    assert faults(NL=country(), NL_ZH=child(), BE=country("BE")) == []


def versions(end, start):
    """Return the rule `on-pace` of NL in two versions, until *end* and from *start*."""
    first = rule("on-pace", "NL-R-01", "performance >= 75%", until=end)
    second = rule("on-pace", "NL-R-01", "performance >= 80%", since=start)
    other = rule("few-missed", "NL-R-02", "missed_remittances_30d <= 3")
    return "format = 1\n\n" + first + second + other


def test_a_gap_between_versions_of_a_rule():
    """
    A gap of days between versions of one rule: the days, and what decided before and after.
    """
    files = country() | {RENEWAL: versions("2026-06-30", "2026-07-01")}
    gap = only(NL=files)

    assert said(gap) == (
        "a gap of one day between two versions of the rule `on-pace`: on 2026-06-30 nothing "
        "decides in its place; before it `performance >= 75%` decided, and after it "
        "`performance >= 80%` decided; if that is not meant, write `until = 2026-07-01` here: "
        "`until` is the first day after"
    )
    assert (gap.claim, gap.severity, gap.since, gap.until) == (
        "gap",
        WARNING,
        date(2026, 6, 30),
        date(2026, 7, 1),
    )
    assert gap.detail.place == "NL/renewal.toml:10:9 $.rules[0].until"
    assert lines(gap) == ["NL/renewal.toml:10", "NL/renewal.toml:18"]
    assert faults(NL=country() | {RENEWAL: versions("2026-07-01", "2026-07-01")}) == []


def test_what_decides_in_the_gap_of_a_child():
    """
    In a gap of a child the inherited rule decides.
    """
    first = rule("on-pace", "NL-ZH-R-01", "performance >= 90%", until="2026-03-01")
    second = rule("on-pace", "NL-ZH-R-01", "performance >= 91%", since="2026-03-11")
    gap = only(NL=country(), NL_ZH=child(renewal=first + second))

    assert "a gap of 10 days" in gap.detail.message
    assert "from 2026-03-01 to 2026-03-10 the rule of `NL`, `performance >= minimum_" in said(gap)
    assert gap.jurisdiction == "NL-ZH"


def test_gaps_of_products_and_of_their_rules():
    """
    Where a product is not offered, its rules have no gap of their own; while it is, they have one.
    """
    flex = FLEX[FLEX.index("[[products]]") :]
    ended = flex.replace("from = 2025-01-01", "from = 2025-01-01\nuntil = 2026-02-28")
    again = flex.replace("from = 2025-01-01", "from = 2026-03-01")
    gap = only(NL=country() | {PRODUCTS: f"format = 1\n{ended}{again}"})
    assert (gap.product, gap.since, gap.until) == ("flex", date(2026, 2, 28), date(2026, 3, 1))
    assert "two versions of the product `flex`: on 2026-02-28 it is not offered" in said(gap)

    one = '{ id = "identity", code = "NL-P-01", require = "identity_verified", reason = "No.", '
    two = (
        f'  {one}source = "a", until = 2026-01-01 }},\n  {one}source = "b", from = 2026-02-01 }},\n'
    )
    start, end = flex.index("  { id"), flex.index("]\n", flex.index("  { id"))
    gap = only(NL=country() | {PRODUCTS: f"format = 1\n{flex[:start]}{two}{flex[end:]}"})
    assert "of the rule `identity` of `flex`: from 2026-01-01 to 2026-01-31 the pro" in said(gap)
    assert gap.product == "flex"


def test_a_gap_between_switch_offs():
    """
    A rule that is switched off until a day, and again from a later one, decides in between.
    """
    more = """switch_off = [
  { rule = "few-missed", reason = "a", until = 2026-01-01 },
  { rule = "few-missed", reason = "b", from = 2026-01-02 },
]
"""
    gap = only(NL=country(), NL_ZH=child(more=more))
    assert "of the switch-off of the rule `few-missed`: on 2026-01-01 the inherited" in said(gap)
    assert gap.detail.file == "NL-ZH/jurisdiction.toml"


@for_every(
    "file, old, new, day, where",
    [
        (RENEWAL, '2026-01-01, value = "80%"', '2206-01-01, value = "80%"', "2206-01-01", 7),
        ("jurisdiction.toml", "2025-01-01, value = 90", "1925-01-01, value = 90", "1925-01-01", 9),
        (PRODUCTS, "-01-01\n", "-01-01\nuntil = 2206-06-30\n", "2206-06-30", 9),
    ],
)  # fmt: skip
def test_a_date_that_is_far_away(file, old, new, day, where):
    """
    Dates beyond thirty years, relative to the review: nothing reads a clock.
    """
    finding = only(NL=changed(country(), file, old, new))

    assert finding.detail.message.startswith(
        f"{day} is more than thirty years away from the review, 2027-06-30"
    )
    assert (finding.claim, finding.severity) == ("far-date", WARNING)
    assert lines(finding) == [f"NL/{file}:{where}"]


def test_a_far_date_is_one_headline():
    """
    One headline for each root cause: the same date in several places, the gap that it makes, and a
    review that is itself far from every other date.
    """
    far = only(NL=country() | {RENEWAL: versions("2026-07-01", "2206-07-01")})
    assert (far.claim, lines(far)) == ("far-date", ["NL/renewal.toml:18"])

    literal = rule("checked", "NL-R-03", "credit_checked_on >= 2205-01-01", until="2205-01-01")
    both = only(NL=changed(country(), RENEWAL, "[typical]", f"{literal}[typical]"))
    assert lines(both) == ["NL/renewal.toml:34", "NL/renewal.toml:30"]

    files = changed(country(), "jurisdiction.toml", "2027-06-30", "2207-06-30")
    review = only(NL=files)
    assert review.detail.message.startswith("`review_by` is 2207-06-30, more than thirty years")
    assert review.detail.place == "NL/jurisdiction.toml:11:13 $.review_by"


def with_reason(require, reason, *, more=""):
    """Return the country NL with one more rule, and parameters before its rules."""
    text = rule("new", "NL-R-03", require, reason=reason)
    files = changed(country(), RENEWAL, "[typical]", f"{text}[typical]")
    asked = '"identity_verified and deals_defaulted == 0", reason'  # as renewals may
    files = changed(files, PRODUCTS, '"identity_verified", reason', asked)
    return changed(files, RENEWAL, "format = 1\n", f"format = 1\n\n{more}")


@for_every(
    ("require", "reason", "says"),
    [
        ("takings_trend >= 75%", "The takings are below 80% of before.", "80%, and the rule 75%"),
        ("takings_trend >= 75%", "At least 80 percent is needed.", "80%, and the rule 75%"),
        ("takings_trend >= 75%", "At least 80 is needed.", "80, and the rule 75%"),
        ("months_trading >= 12", "At least 6 months of trading.", "6, and the rule 12"),
        ("months_trading >= 12", "At least 2 years of trading.", "2, and the rule 12"),
        ("days_since_funding >= 90 days", "Wait for 6 weeks.", "6, and the rule 90 days"),
        ("days_since_funding >= 90 days", "Wait for 4 months.", "4, and the rule 90 days"),
        ("balance <= EUR 50000", "More than € 5,000 is owed.", "5,000, and the rule EUR 50000.00"),
        ("balance <= EUR 50000", "More than EUR 5000.00.", "5000.00, and the rule EUR 50000.00"),
        ("credit_score >= 580", "At least 600 is needed.", "600, and the rule 580"),
        ("progress >= 55%", "Another 40% is to be paid.", "40%, and the rule 55%"),
    ],
)  # fmt: skip
def test_a_reason_that_contradicts_its_rule(require, reason, says):
    """
    Figures in a reason that contradict its rule: a reason that says 80 where the rule says 75.
    """
    finding = only(NL=with_reason(require, reason))

    assert finding.detail.message == f"the reason of `new` says {says}"
    assert (finding.claim, finding.severity) == ("reason-figure", WARNING)
    assert finding.detail.path == "$.rules[2].reason"
    assert finding.detail.hint == "correct the one or the other"


@for_every(
    ("require", "reason"),
    [
        ("takings_trend >= 75%", "The takings of the last 30 days are below 75% of before."),
        ("takings_trend >= 75%", "The takings fell by 25% or more."),
        ("missed_remittances_30d <= 3", "Missed 4 or more in the last 30 days."),
        ("missed_remittances_30d <= 2", "At least 3 were missed in 30 days."),
        ("months_trading >= 12", "At least a year, 1 year or 12 months, of trading."),
        ("days_since_funding >= 90 days", "Wait for 3 months, or 90 days."),
        ("days_since_funding >= 14 days", "Wait for 2 weeks."),
        ("balance <= EUR 1250.50", "More than €1,250.50 is owed."),
        ("balance <= 1.5 * average_monthly_takings", "More than 150% of the takings is owed."),
        ("credit_score >= 580", "See section 4 of our policy of 2026, form 27-B, or rule 3.1."),
        ("deals_defaulted == 0", "No deal may have defaulted within 5 years."),
        ("identity_verified", "2 documents are needed within 14 days."),
    ],
)
def test_a_reason_that_does_not(require, reason):
    """
    Figures of the names and descriptions of facts, of sources, and of other units contradict
    nothing; a count may be given from either side of its threshold.
    """
    assert faults(NL=with_reason(require, reason)) == []


def test_a_reason_that_was_right_until_the_parameter_changed():
    """
    A figure written out that was right until the parameter changed is a contradiction in the later
    slice.
    """
    files = changed(country(), RENEWAL, "at least {minimum_performance} is", "at least 75% is")
    finding = only(NL=files)

    assert (finding.since, finding.until) == (date(2026, 1, 1), None)
    assert said(finding) == (
        "the reason of `on-pace` says 75%, and the rule 80%; name the parameter in the sentence, "
        "`{minimum_performance}`, which is always its value"
    )
    assert lines(finding) == [f"NL/renewal.toml:{line}" for line in (14, 13, 7)]


def test_a_reason_that_is_wrong_in_a_child():
    """
    What the parent has right is a finding of the child that makes it wrong, in the child's file.
    """
    parent = changed(
        country(), RENEWAL, '  { from = 2026-01-01, value = "80%", source = "policy" },\n', ""
    )
    parent = changed(parent, RENEWAL, "at least {minimum_performance} is", "at least 75% is")
    own = parameter("minimum_performance", "percent", ("2025-01-01", '"90%"'))
    finding = only(NL=parent, NL_ZH=child(renewal=own))

    assert finding.jurisdiction == "NL-ZH"
    assert finding.detail.message == "the reason of `on-pace` says 75%, and the rule 90%"
    assert lines(finding)[0] == "NL-ZH/renewal.toml:6"
    assert "NL/renewal.toml:13" in lines(finding)
    # A child repeats what is wrong in its parent's file.
    wrong = changed(country(), RENEWAL, "at least {minimum_performance} is", "at least 70% is")
    assert only(NL=wrong, NL_ZH=child()).jurisdiction == "NL"


RATE = 'factor_rate = { calculator = "flat", rate = "1.2" }'


@for_every(
    ("new", "claim", "severity", "message"),
    [
        (RATE.replace("1.2", "1"), "free-money", ERROR,
         "a factor rate of 1 makes `flex` free: what is repaid is what was funded"),
        (RATE.replace('"1.2"', '"1.2", renewal_discount = "0.5"'), "free-money", ERROR,
         ("the renewal discount of 0.5 makes a renewal of `flex` free: it is taken off a factor "
         "rate of 1.2")),
        (RATE.replace('"1.2"', '"1.2", renewal_discount = "0.2"'), "free-money", ERROR,
         ("the renewal discount of 0.2 makes a renewal of `flex` free: it is taken off a factor "
         "rate of 1.2")),
        (BANDS.format(on="credit_score", up_to=600, low="1.2", high="1"), "free-money", ERROR,
         "a factor rate of 1 makes `flex` free: what is repaid is what was funded"),
        (RATE.replace("1.2", "12.4"), "implausible-price", WARNING,
         "at a factor rate of 12.4 more than twice the funded amount is repaid"),
        (BANDS.format(on="credit_score", up_to=600, low="1.2", high="1.3"), "rising-price", WARNING,
         ("a merchant with more `credit_score`, which is better, pays 1.3, and one with less pays "
         "1.2")),
        (BANDS.format(on="missed_remittances_30d", up_to=2, low="1.3", high="1.2"), "rising-price",
         WARNING, ("a merchant with less `missed_remittances_30d`, which is better, pays 1.3, and "
         "one with more pays 1.2")),
        (BANDS.format(on="progress", up_to='"110%"', low="1.3", high="1.2"), "unused-band", WARNING,
         "no merchant is on both sides of 110%: `progress` is 0% to 100%"),
        (f'{RATE}\nsettlement = {{ calculator = "percentage", percentage = "100%" }}', "free-money",
         WARNING, ("a merchant who repays early pays nothing of the charge that is left, even on "
         "the last day")),
    ],
)  # fmt: skip
def test_a_rate_that_nobody_means(new, claim, severity, message):
    """
    Rates of at most 1, a net discount that makes money free, more expensive for the better
    merchant.
    """
    finding = only(NL=priced(RATE, new))

    assert (finding.claim, finding.severity) == (claim, severity)
    assert finding.detail.message == message
    assert finding.product == "flex"
    assert finding.detail.line in (12, 13)


@for_every(
    "new",
    [
        BANDS.format(on="credit_score", up_to=600, low="1.3", high="1.2"),
        BANDS.format(on="missed_remittances_30d", up_to=2, low="1.2", high="1.3"),
        BANDS.format(on="remaining_term_days", up_to='"30 days"', low="1.2", high="1.3"),
        RATE.replace('"1.2"', '"1.2", renewal_discount = "0.199999"'),
        RATE.replace("1.2", "2"),
        (
            f'{RATE}\nsettlement = {{ calculator = "bands", bands = [{{ up_to = "10%", '
            'percentage = "100%" }, { percentage = "50%" }] }'
        ),
        'factor_rate = { calculator = "by_hand", rate = "1" }',
        # What is out of its range is reported where calculators are bound.
        RATE.replace("1.2", "0.9"),
        RATE.replace('"1.2"', '"cheap"'),
        'factor_rate = { calculator = "banded", on = "credit_score", bands = "none" }',
    ],
)
def test_a_rate_that_may_be_meant(new):
    """
    A rate of a fact that no merchant moves may rise; a host's own calculator is not looked into.
    """
    assert faults(NL=priced(RATE, new)) == []


LIMITS = 'limits = { calculator = "fixed", minimum = "EUR 500.00", maximum = "EUR 2000.00" }'
TAKINGS = (
    'limits = {{ calculator = "takings_multiple", minimum = "EUR 500", maximum = "EUR 20000", '
    'multiple = "{}" }}'
)
SPLIT = 'split_percentage = { calculator = "chosen", choices = ["10%"] }'


@for_every(
    ("old", "new", "claim", "severity", "message"),
    [
        (LIMITS, LIMITS.replace('EUR 2000.00"', 'EUR 900", step = "EUR 1000"'), "no-offer", ERROR,
         "no multiple of EUR 1000.00 is from EUR 500.00 to EUR 900.00: nothing can be offered"),
        (LIMITS, TAKINGS.format("12.5"), "implausible-price", WARNING,
         "12.5 times the monthly takings may be offered"),
        (SPLIT, SPLIT.replace("10%", "85%"), "implausible-price", WARNING,
         "a split percentage of 85% is beyond 1.5% to 50% of the takings"),
        (SPLIT, SPLIT.replace("10%", "0.8%"), "implausible-price", WARNING,
         "a split percentage of 0.8% is beyond 1.5% to 50% of the takings"),
        ("months = 6", "months = 61", "implausible-price", WARNING,
         "a term of 61 months is more than 5 years"),
    ],
)  # fmt: skip
def test_a_limit_that_nobody_means(old, new, claim, severity, message):
    """
    Limits between which nothing lies, and settings with a digit or a decimal sign too many.
    """
    finding = only(NL=priced(old, new))

    assert (finding.claim, finding.severity) == (claim, severity)
    assert finding.detail.message == message


@for_every(("months", "expected"), [(12, True), (13, True), (14, False), (24, False)])
def test_an_offer_that_is_never_affordable(months, expected):
    """
    A multiple of takings that even the largest split repays after the longest term: 1.2 times the
    takings, at 1.2, from 10% of them take 14.4 months, and with the discount 13.2.
    """
    split = SPLIT.replace('"chosen"', f'"affordability", longest_term_months = {months}')
    files = changed(priced(LIMITS, TAKINGS.format("1.2")), PRODUCTS, SPLIT, split)
    files = changed(files, PRODUCTS, RATE, RATE.replace('"1.2"', '"1.2", renewal_discount = "0.1"'))
    findings = faults(NL=files)

    assert [finding.claim for finding in findings] == ["no-offer"] * expected
    for finding in findings:
        assert finding.severity == WARNING
        assert f"takes 13.2 months at a split of 10%, longer than the {months}" in said(finding)
        assert len(finding.places) == 2


@for_every(
    ("before", "after", "jump"),
    [
        ("80%", "8%", True),
        ("8%", "80%", True),
        ("0.8%", "80%", True),
        ("80%", "8.1%", False),
        ("8%", "79%", False),
        ("0%", "80%", False),
    ],
)
def test_a_value_that_jumps(before, after, jump):
    """
    A parameter that changes by a factor of ten: a missing decimal.
    """
    extra = parameter(
        "trend", "percent", ("2025-01-01", f'"{before}"'), ("2026-05-01", f'"{after}"')
    )
    files = with_reason("takings_trend >= trend", "Too low.", more=extra)
    findings = faults(NL=files)

    assert [finding.claim for finding in findings] == ["jump"] * jump
    for finding in findings:
        assert finding.detail.message == (
            f"`trend` changes from {before} to {after} on 2026-05-01, by a factor of 10 or more"
        )
        assert (finding.severity, finding.since) == (WARNING, date(2026, 5, 1))


def test_a_wrong_value_is_one_jump():
    """
    One headline for each root cause: a value that is corrected later does not jump back.
    """
    values = (("2025-01-01", '"80%"'), ("2026-05-01", '"8%"'), ("2026-06-01", '"80%"'))
    files = with_reason(
        "takings_trend >= trend", "No.", more=parameter("trend", "percent", *values)
    )
    assert only(NL=files).until == date(2026, 6, 1)
    # It has passed by then, and asks for nothing.
    assert only(date(2026, 6, 1), NL=files).severity == INFORMATION
    assert only(date(2026, 5, 31), NL=files).severity == WARNING


def test_a_setting_that_jumps():
    """
    Settings of the jurisdiction and ages of checks are looked at as well, but not in a child.
    """
    old = '[{ from = 2025-01-01, value = 720, source = "policy" }]'
    new = old.replace("}]", '}, { from = 2026-03-01, value = 72, source = "b" }]')
    files = changed(country(), "jurisdiction.toml", old, new)
    jump = only(NL=files, NL_ZH=child())
    assert jump.detail.message.startswith("`offers_valid_hours` changes from 720 to 72")

    ages = (
        '[checks.identity]\nmax_age_days = [{ from = 2025-01-01, value = 90, source = "a" }, '
        '{ from = 2026-01-01, value = 900, source = "a" }]\n'
    )
    jump = only(NL=country(more=ages), NL_ZH=child())
    assert jump.detail.message.startswith("`checks.identity.max_age_days` changes from 90 to 900")


def many(count):
    """Return the country NL with *count* rules more, and their ids."""
    texts = [rule(f"more-{n}", f"NL-R-1{n}", f"credit_score >= {500 + n}") for n in range(count)]
    return changed(country(), RENEWAL, "[typical]", f"{''.join(texts)}[typical]")


@for_every(("dropped", "expected"), [(2, False), (3, True), (4, True)])
def test_a_child_that_switches_most_rules_off(dropped, expected):
    """
    A child that switches off more than half of the rules that it inherits: the parent, the count,
    the lines.
    """
    listed = ", ".join(f'{{ rule = "more-{n}", reason = "no" }}' for n in range(dropped))
    kept = "" if dropped < 5 else ", "
    finding = faults(
        NL=many(3 if dropped < 4 else 4), NL_ZH=child(more=f"switch_off = [{listed}{kept}]\n")
    )

    assert [one.claim for one in finding] == ["switched-off-rules"] * expected
    if expected:
        assert finding[0].detail.message == (
            f"{dropped} of the {dropped + 2} rules of `NL` are switched off here, more than half "
            "of them"
        )
        assert len(finding[0].places) == dropped
        assert (finding[0].severity, finding[0].since) == (WARNING, date(2025, 1, 1))


def test_a_claim_about_no_day():
    """
    A claim that holds on no day with rules, or on none on which its product is offered.
    """
    claim = '[[claims]]\nnever = "paused"\nuntil = 2024-06-01\n'
    finding = only(NL=changed(country(), RENEWAL, "[typical]", f"{claim}[typical]"))
    assert finding.claim == "claim-without-days"
    assert finding.detail.message.startswith("the claim `never paused` is about no day")

    ended = FLEX.replace("from = 2025-01-01", "from = 2025-01-01\nuntil = 2026-01-01")
    claim = '[[claims]]\nproduct = "flex"\nnever = "paused"\nfrom = 2026-01-01\n'
    assert only(NL=country() | {PRODUCTS: ended + claim}).product == "flex"
    assert faults(NL=country() | {PRODUCTS: ended + claim.replace("2026-01", "2025-12")}) == []


def reasoned(require, reason, more=""):
    """Return the country NL whose first rule has this requirement and reason."""
    first = rule("old-enough", "NL-R-01", require, reason=reason)
    age = parameter("age", "days", ("2025-01-01", '"30 days"'))
    return country() | {RENEWAL: "format = 1\n\n" + age + first + more}


@for_every(
    ("require", "reason", "wrong"),
    [
        ("days_since_funding > age", "At least {age} is needed.", True),
        ("days_since_funding >= age", "At least {age} is needed.", False),
        ("days_since_funding > 30 days", "At least 30 days are needed.", True),
        ("days_since_funding > 30 days", "More than 30 days are needed.", False),
        ("age < days_since_funding", "At least {age} is needed.", True),
        ("days_since_funding > age and balance >= EUR 0.00", "At least {age} is needed.", True),
        ("missed_remittances_30d < 3", "At most 3 may be missed.", True),
        ("missed_remittances_30d <= 3", "At most 3 may be missed.", False),
        ("missed_remittances_30d <= 3", "More than 3 were missed.", False),
        ("missed_remittances_30d < 3", "More than 3 were missed.", True),
        ("days_since_funding >= age", "Less than {age} has passed.", False),
        ("days_since_funding > age", "Less than {age} has passed.", True),
    ],
)
def test_a_reason_that_says_at_least_where_its_rule_does_not(require, reason, wrong):
    """
    At the threshold itself the sentence would say the opposite of what decided.
    """
    claims = [found.claim for found in faults(NL=reasoned(require, reason))]
    assert claims == (["reason-bound"] if wrong else [])


def test_the_words_of_a_reason_with_another_bound():
    """
    The headline has the words of the reason and the comparison of the rule.
    """
    wrong = only(NL=reasoned("days_since_funding > age", "At least {age} is needed."))

    assert wrong.detail.message == (
        "the reason of `old-enough` says At least {age}, and the rule has `>`: for a merchant with "
        "just that it is the other way"
    )
    assert (wrong.severity, len(wrong.places)) == (WARNING, 2)


@for_every(
    ("require", "value", "meant"),
    [
        ("progress >= share", '"0.75%"', "75%"),
        ("progress >= share", '"0.625%"', "62.5%"),
        ("progress >= 0.75%", '"75%"', "75%"),
        ("0.8% <= performance", '"75%"', "80%"),
        ("progress >= 60% and performance >= share", '"1.2%"', "120%"),
        ("progress >= share", '"75%"', None),
        ("progress >= 1.5%", '"75%"', None),
        ("disputes < share", '"0.75%"', None),
        ("performance >= 0%", '"75%"', None),
    ],
)
def test_a_share_of_a_deal_that_is_nearly_nothing(require, value, meant):
    """
    A fraction with a sign of percent; rates of other things, as of disputes, are as small as that.
    """
    share = parameter("share", "percent", ("2025-01-01", value))
    rules = rule("a-rule", "NL-R-01", require) + rule("other", "NL-R-02", "deals_completed >= 0")
    files = country() | {RENEWAL: "format = 1\n\n" + share + rules}
    disputes = '\n[facts.disputes]\ntype = "percent"\nminimum = "0%"\nmaximum = "9%"\n'
    disputes += 'description = "Disputed takings."\n'
    files["jurisdiction.toml"] += disputes if "disputes" in require else ""
    found = [wrong for wrong in faults(NL=files) if wrong.claim == "small-share"]

    assert [wrong.detail.hint for wrong in found] == (
        [f"write {meant} if that is meant"] if meant else []
    )
    for wrong in found:
        assert wrong.severity == WARNING
        assert wrong.detail.place.startswith("NL/renewal.toml:")
        assert (wrong.places[0].text or "").startswith("share = ") == ("share" in require)


def test_offers_that_are_good_for_most_of_a_year():
    """
    300 days, where days were written as hours or a digit is too many.
    """
    days = changed(country(), "jurisdiction.toml", "value = 720, source", "value = 7200, source")
    wrong = only(NL=days)

    assert (wrong.claim, wrong.detail.message) == ("long-offer", "offers are good for 300 days")
    assert wrong.detail.place.startswith("NL/jurisdiction.toml:")


def test_the_maximum_is_not_among_the_amounts():
    """
    Amounts are shares of the maximum, which is then never offered.
    """
    wrong = only(NL=priced('"50%", "100%"', '"50%", "90%"'))

    assert (wrong.claim, wrong.product) == ("maximum-not-offered", "flex")


def test_a_product_without_the_rule_about_defaults_that_renewals_have():
    """
    Who cannot renew because of a default would get the product by a new application.
    """
    default = rule("no-default", "NL-R-03", "deals_defaulted == 0")
    files = reasoned("days_since_funding >= age", "No.", default)
    wrong = only(NL=files)
    assert (wrong.claim, wrong.product) == ("default-not-asked", "flex")

    both = "identity_verified and deals_defaulted == 0"
    assert faults(NL=changed(files, PRODUCTS, '"identity_verified", rea', f'"{both}", rea')) == []
