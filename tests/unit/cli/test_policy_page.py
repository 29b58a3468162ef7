"""The policy document: `holdback show --format html`, which compliance reads on paper."""

from __future__ import annotations

import json
import re
from datetime import date, timedelta
from functools import cache
from html.parser import HTMLParser

import click
import pytest
from attrs import evolve
from invocation import invoke

from every_case import for_every
from holdback import load_jurisdictions
from holdback.eligibility.assessment import FLOOR_PERCENT
from holdback.eligibility.reasons import SERVICE_REASONS, template
from holdback.eligibility.rule_sentences import FIGURE_END, FIGURE_START, merchant_sentence
from holdback.errors import ErrorDetail
from holdback.exact.money import Money
from holdback.jurisdictions.folder import bundled_path
from holdback.jurisdictions.keys import KEPT, SAID
from holdback.lifecycle.configuration import MEMORY_DAYS
from holdback.lifecycle.forgetting import TAKINGS_DAYS
from holdback.rules import Kind, Type
from holdback.tools.example_run import run_example
from holdback.tools.policy.approvals import page_of as page_of_jurisdiction
from holdback.tools.policy.policy import PolicyPage
from holdback.tools.policy.policy_document import claim_sentence, used_facts
from holdback.tools.policy.policy_page import policy_page
from holdback.tools.policy.policy_periods import MOST_PERIODS
from holdback.tools.policy.policy_record import page_digest
from holdback.tools.proofs.claim_meanings import CLAIMS
from holdback.tools.proofs.claims import Prover
from holdback.tools.proofs.finding import Finding
from holdback.tools.proofs.witness import Change, Witness
from holdback.tools.workbench.lock import Approval
from holdback.tools.workbench.proving import ProofReport, prove
from own_rules import with_own_rules
from small_folders import changed, child, country, loaded, write

ON, TO = date(2026, 7, 1), date(2027, 1, 1)

# Elements whose words are apart from those that follow.
BLOCKS = {"dt", "dd", "td", "th", "text", "title", "p", "li", "h4", "div"}


class Reader(HTMLParser):
    """Reads a page as a person does: its words; elements that are not closed are kept."""

    def __init__(self, html):
        super().__init__()
        self.open, self.words, self.elements = [], [], set()
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)
        for name, value in attrs:
            assert not name.startswith("on"), f"{tag} runs {value}"
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if tag in BLOCKS:
            self.words.append(" ")
        assert self.open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data):
        if "style" not in self.open:
            self.words.append(data)

    @property
    def text(self):
        return re.sub(r"\s+", " ", "".join(self.words))


def page_of(jurisdiction, *, on=ON, to=None, above=(), proved=None):
    about = PolicyPage(jurisdiction=jurisdiction, on=on, to=to, above=above, proved=proved)
    return "\n".join(policy_page(about))


@cache
def shipped(code, on=ON, to=None):
    """The page of a jurisdiction that ships."""
    bundled = load_jurisdictions()
    jurisdiction = bundled[code]
    above = tuple(bundled[layer.code] for layer in jurisdiction.policy.layers[-2::-1])
    return page_of(jurisdiction, on=on, to=to, above=above)


# -- what a reader finds in it


def test_what_a_declined_merchant_reads():
    """
    Which words a declined merchant reads, in every case, is on the page: the lender's own words.
    """
    files = country()
    own = '\n[reasons]\nlimit = "We offer at most {most} now."\n'
    lender = loaded(NL={**files, "products.toml": files["products.toml"] + own})
    said = Reader(page_of(lender["NL"])).text.partition(
        "What a declined merchant reads A merchant"
    )[2]

    assert "“We offer at most [most] now.” LIMIT" in said
    for code, sentence in SERVICE_REASONS.items():
        words = re.sub(r"\{(\w+)\}", r"[\1]", sentence)
        assert (f"“{words}” {code}" in said) == (code != "LIMIT")


@for_every(
    ("question", "answer"),
    [
        (
            "When may a merchant renew at the earliest?",
            "A deal can be renewed once 50% of its repayment amount is paid",
        ),
        (
            "How fast must it have repaid?",
            (
                "The performance must be at least the minimum performance of 80%. "
                "Otherwise it is declined."
            ),
        ),
        (
            "What exactly is performance?",
            "Remitted to date as a percent of what the term expected by this day",
        ),
        (
            "What happens while we do not know something?",
            "What is not known never counts as met.",
        ),
        (
            "Which cases does a person look at?",
            (
                "The number of remittances missed in the last 30 days must be at most the review "
                "limit of missed remittances of 1. Otherwise a person looks at it."
            ),
        ),
        (
            "What do we tell a merchant whom we decline?",
            (
                "The merchant reads: “Deals that defaulted: [number of defaulted deals]; a "
                "merchant with one cannot renew.”"
            ),
        ),
        (
            "How much can a merchant get, and what does it cost?",
            (
                "at most 1.2 times the monthly average of takings, rounded down to whole £100.00; "
                "never more than £300,000.00."
            ),
        ),
        (
            "How long is an offer open?",
            "An offer stays open for 30 days.",
        ),
        (
            "What changes next, and when?",
            (
                "On 24 November 2026 Cooling off days Service terms and checks: changes There "
                "is no cooling-off period. The merchant can unwind a deal for 14 days after its "
                "funding."
            ),
        ),
        (
            "Who answers for this, and when is it looked at again?",
            "risk-uk owns these rules, answers for them, and reviews them by 30 June 2027.",
        ),
        (
            "Where does the pace of 80% come from, and since when?",
            (
                "Minimum performance 80% since 1 July 2026 own GB-R-02 reference policy, review "
                "of 2026"
            ),
        ),
        (
            "What does the financing cost on good pace?",
            "1.24 times below 90%, 1.2 times from 90% to below 110% and 1.16 times from 110% on",
        ),
    ],
)
def test_questions_of_a_reader_of_the_policy_of_the_united_kingdom(question, answer):
    """
    A reader who knows lending and not holdback has these questions answered by the page alone.
    """
    assert answer in Reader(shipped("GB", to=TO)).text, question


@for_every(
    ("question", "answer"),
    [
        ("Whose policy applies besides ours?", "Based on the policy of United States"),
        (
            "Which rule of the United States do we not have, and why?",
            (
                "What holds in United States, and not here The rule “recent check”: A new credit "
                "check is ordered for every renewal here, so none is old."
            ),
        ),
        (
            "How can a loyal merchant renew earlier?",
            (
                "The number of completed deals is at least the loyalty threshold of 2. The "
                "paid-down percentage is at least the progress for loyal merchants of 55%."
            ),
        ),
        ("Is the disclosure required?", "The disclosure must be acknowledged."),
        (
            "What becomes of a renewal by the bridge advance?",
            "A renewal waits until the deal before it is repaid.",
        ),
        ("Was it proved?", "Not proved here."),
    ],
)
def test_questions_of_a_reader_of_the_policy_of_california(question, answer):
    """
    The page of a part of a country says what it takes over and what it does not.
    """
    assert answer in Reader(shipped("US-CA")).text, question


# -- the ten questions: each is answered in its section, by what the rulebook has

RECORD_ON = date(2026, 12, 1)
ASKED = ["GB", "US-CA", "CA-QC"]


@cache
def page_about(code, on=RECORD_ON):
    """The page of a jurisdiction that ships, approved by somebody and proved."""
    page = page_of_jurisdiction(load_jurisdictions(), code, on)
    (line,) = [
        Approval(code=code, since=page.rulebook.since, by="Compliance", on=on, digest=digest)
        for digest in [page_digest(page)]
    ]
    report = ProofReport(jurisdiction=code, questions=7, findings=())
    return evolve(page, approvals=(line,), proved=report)


@cache
def sections(code, on=RECORD_ON):
    """The text of each section of the page, by its heading."""
    parts = re.split(
        r"<section><h2[^>]*>\d+\. ([^<]*)</h2>", "\n".join(policy_page(page_about(code, on)))
    )
    texts = (part.partition("</section>")[0] for part in parts[2::2])
    return {heading: Reader(text).text for heading, text in zip(parts[1::2], texts, strict=True)}


def shown(rulebook, name):
    """The value of a parameter as sentences have it."""
    parameter = rulebook.parameters[name]
    return rulebook.renewal.show(parameter.type, parameter.number)


@for_every("code", ASKED)
def test_who_may_renew_and_by_which_thresholds(code):
    """
    Who may renew on a day: each rule, with the figures that it reads, and the floor.
    """
    rulebook, said = page_about(code).rulebook, sections(code)["Who may renew"]

    assert f"Before {FLOOR_PERCENT}% of the repayment amount" in said
    for rule in rulebook.renewal.rules:
        about = said.partition(f"{rule.code} ")[2].partition("The merchant reads")[0]
        assert about, rule.code
        for name in rule.checked.parameters:
            label = rulebook.catalogue.label(name)
            assert f"{label} of {shown(rulebook, name)}" in about, (rule.code, name)


@for_every("code", ASKED)
def test_what_changes_next(code):
    """
    What changes next, also where no later day is asked for; and that nothing does.
    """
    page, said = page_about(code, ON), sections(code, ON)["What changes"]
    day = page.next_change
    after = page.jurisdiction.rulebook(day)

    assert f"On {day.day} November {day.year}" in said
    for name, check in after.checks.items():
        if check.max_age_days != page.rulebook.checks[name].max_age_days:
            assert f"older than {check.max_age_days} days" in said, name
    assert sections(code)["What changes"].strip() == "No change is planned."


@for_every("code", ASKED)
def test_how_long_data_are_kept_and_checks_and_offers_good(code):
    """
    How long data are kept, and results of checks and offers are good.
    """
    rulebook, said = page_about(code).rulebook, sections(code)["Service terms and checks"]

    assert f"An offer stays open for {rulebook.offers_valid_hours // 24} days" in said
    assert f"Profile not a check {rulebook.retain_profile_days} days after the end" in said
    assert f"the newest {TAKINGS_DAYS} days of takings" in said
    assert f"applications: {MEMORY_DAYS} days, unless" in said
    for name, check in rulebook.checks.items():
        spaced = name.replace("_", " ").capitalize()
        good = "for ever" if check.max_age_days is None else f"{check.max_age_days} days"
        assert f"{spaced} {good}" in said, name


@for_every("code", ASKED)
def test_which_words_a_declined_merchant_reads(code):
    """
    Which words a declined merchant reads, in every case: of each rule, and of the service.
    """
    rulebook, said = page_about(code).rulebook, sections(code)
    service = said["What a declined merchant reads"]
    of_rules = said["Who may renew"] + said["Products"]

    for reason in SERVICE_REASONS:
        words = re.sub(r"\{(\w+)\}", r"[\1]", template(rulebook.renewal, reason))
        assert f"“{words}” {reason}" in service
    for rule in rulebook.all_rules:
        assert f"“{merchant_sentence(rule, rulebook.renewal)}”" in of_rules, rule.code


@for_every("code", ASKED)
def test_how_a_part_differs_from_its_country(code):
    """
    How a part differs from its country: rules, figures and what is switched off, with the reason.
    """
    page = page_about(code)
    if not page.above:
        assert "How it differs" not in sections(code)
        return
    said, country = sections(code)["How it differs"], page.above[0].rulebook(RECORD_ON)
    codes = {rule.code for rule in country.all_rules} ^ {
        rule.code for rule in page.rulebook.all_rules
    }
    dropped = {rule.code for rule in country.all_rules} & codes
    kept = {rule.id for rule in page.rulebook.all_rules}

    for rule in (*country.renewal.rules, *page.rulebook.renewal.rules):
        if rule.code in codes and not (rule.code in dropped and rule.id in kept):
            assert rule.code in said, rule.code
    for name in page.rulebook.parameters.keys() & country.parameters.keys():
        if page.rulebook.parameters[name].number != country.parameters[name].number:
            assert shown(page.rulebook, name) in said, name
    for switched_off in page.jurisdiction.details.switched_off:
        assert switched_off.reason in said


@for_every("code", ASKED)
def test_which_data_decide(code):
    """
    Which data decide, from whom, on what basis and with which consent.
    """
    page, said = page_about(code), sections(code)["Which data decide"]
    rulebook, texts = page.rulebook, page.jurisdiction.details.data

    assert "not stated" not in said
    for name in (*rulebook.checks, *KEPT):
        row = said.partition(f" {name.replace('_', ' ').capitalize()} ")[2]
        assert texts[name].obtained_from in row, name
        assert f"{texts[name].legal_basis} none" in row, name
    for fact, _ in used_facts(rulebook):
        assert rulebook.catalogue.label(fact.name) in said, fact.name


@for_every("code", ASKED)
def test_what_was_proved_and_what_was_not_asked(code):
    """
    What was proved, each claim of the files too, and what was not asked.
    """
    page, said = page_about(code), sections(code)["What was proved"]

    assert "without an exception (7 questions):" in said
    for claim in page.jurisdiction.claims:
        if RECORD_ON in claim.period and claim.tree is not None:
            sentence = claim_sentence(claim, page.rulebook, "")
            assert re.sub(f"[{FIGURE_START}{FIGURE_END}]", "", sentence) in said
    assert "Not asked, here or anywhere: whether rules, prices and texts are lawful" in said


@for_every("code", ASKED)
def test_what_it_costs(code):
    """
    What each product costs, in money: the offers that the engine makes to the merchant named.
    """
    page, said = page_about(code), sections(code)["Products"]
    named = re.findall(r"as in the example “([^”]*)”", said)
    examples = [it for read in (page.jurisdiction, *page.above) for it in read.examples]

    assert len(named) == len(page.rulebook.products)
    for terms, name in zip(page.rulebook.products, named, strict=True):
        example = next(it for it in examples if it.product == terms.key and it.name == name)
        for offer in run_example(example, page.rulebook).got.offers:
            for amount in (offer["funded_amount"], offer["repayment_amount"]):
                minor = Money.parse(amount).minor
                money = Type(Kind.MONEY, page.rulebook.currency)
                assert page.rulebook.renewal.show(money, minor) in said, (terms.key, amount)


@for_every("code", ASKED)
def test_whether_a_machine_alone_decides(code):
    """
    Whether a machine alone decides, who reviews, and how a merchant complains.
    """
    page = page_about(code)
    said = sections(code)["Who decides, and how a merchant complains"]
    refer = {rule.code for rule in page.rulebook.all_rules if rule.otherwise == "refer"}

    assert "A machine alone accepts an application, or a renewal, that meets every rule" in said
    assert {*re.findall(r"[A-Z]{2}(?:-[A-Z0-9]+)+", said)} == refer
    assert f"is good for {page.rulebook.approval_days} days" in said
    for name in SAID:
        assert f"{SAID[name].title} {page.jurisdiction.details.fixed[name] or 'not stated'}" in said


@for_every("code", ASKED)
def test_who_approved_this_text(code):
    """
    Who approved this text, when, and which version it is.
    """
    page, said = page_about(code), sections(code)["Who approved this text"]

    assert "Approved: by Compliance on 1 December 2026." in said
    assert f"is in force since {page.rulebook.since.day} November 2026" in said
    assert f"Fingerprint of the rules: {page.rulebook.digest}" in said
    assert f"Fingerprint of this text: {page_digest(page)}" in said


FIGURE = r"<tr><td>([^<]*)</td><td><b class=\"figure\">([^<]*)</b></td><td>[^<]*</td><td>([^<]*)"
BUNDLED = load_jurisdictions()
CHILDREN = [code for code in BUNDLED.codes if len(BUNDLED[code].policy.layers) > 1]


@for_every("code", CHILDREN)
def test_every_figure_is_marked_as_the_files_have_it(code):
    """
    A figure is marked as own where the child's file states it, and as taken over elsewhere.
    """
    on = date(2026, 12, 1)
    above = BUNDLED[code].policy.layers[0].code
    rulebook, policy = BUNDLED[code].rulebook(on), BUNDLED[code].policy
    files = (bundled_path() / code).glob("*.toml")
    own = "".join(file.read_text(encoding="utf-8") for file in files)
    printed = {name.casefold(): stated for name, _, stated in re.findall(FIGURE, shipped(code, on))}

    assert printed
    for name in policy.parameters_on(on):
        label = rulebook.catalogue.label(name).casefold()
        if label in printed:
            stated = f"[parameters.{name}]" in own
            there = "own" if stated else f"taken over from {BUNDLED[above].name}"
            assert printed[label] == there, name


def test_a_rule_that_is_taken_over_with_a_figure_that_is_not():
    """
    California takes over the rule of the United States, and has a figure of its own in it.
    """
    said = Reader(shipped("US-CA", on=date(2026, 12, 1))).text

    assert "Usual progress 65% since 1 May 2026 own US-R-04" in said
    assert "taken over from United States, with the usual progress of California." in said
    assert "for 60 days after it was repaid. (taken over from United States)" in said


# -- what kind of page it is


@pytest.mark.parametrize("code", [*with_own_rules(BUNDLED).codes, "US-TX"])
def test_every_page_is_whole_and_plain(code):
    """
    One self-contained page: nothing is loaded or runs, no file is named, no expression is shown.
    """
    page = shipped(code, on=date(2026, 12, 1), to=date(2027, 6, 1))
    reader = Reader(page)

    assert reader.open == []
    assert not reader.elements & {"script", "link", "img", "iframe", "object", "form"}
    assert "default-src &#x27;none&#x27;" in page
    assert not re.search(r"https?:|url\(|@import", page)
    for unwanted in (".toml", "/", "{", "}", "==", ">=", "_", "`", "\ue000"):
        allowed = re.sub("America/(Los_Angeles|New_York|Chicago)|2008/48/EC", "", reader.text)
        allowed = re.sub(r"time zone \w+/\w+|[0-9]+/[0-9]+/[0-9]+", "", allowed)
        assert unwanted not in allowed, unwanted


def test_what_files_say_is_escaped():
    """
    A sentence of a file is text on the page, never an element.
    """
    files = changed(country(), "renewal.toml", "Missed: {", "<script>alert(1)</script> & {")
    page = page_of(loaded(NL=files)["NL"])

    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; [number of remittances" in page


def test_periods_are_shown():
    """
    What changes is shown period by period; without a change, the page says so.
    """
    page = page_of(loaded(NL=country())["NL"])
    text = Reader(page).text
    same = changed(country(), "renewal.toml", '"80%", source', '"75%", source')
    same["renewal.toml"] = same["renewal.toml"].partition("[typical]")[0]

    assert page.count('<td class="bar" colspan="1">') == 2
    assert page.count('<col class="now"/>') == 1
    assert "minimum performance 75% 80%" in text
    assert "Nothing changes: everything is in force" in Reader(page_of(loaded(NL=same)["NL"])).text


def test_several_hundred_periods_are_shown():
    """
    Only as many periods are shown as fit next to each other on paper.
    """
    line = '  {{ from = {}, value = "{}%", source = "policy" }},\n'
    days = [date(2026, 1, 1) + timedelta(days=number) for number in range(300)]
    more = "".join(line.format(day, 80 - day.toordinal() % 2) for day in days)
    text = changed(country(), "renewal.toml", line.format("2026-01-01", 80), more)
    text["renewal.toml"] = text["renewal.toml"].partition("[typical]")[0]
    page = page_of(loaded(NL=text)["NL"])
    shown = re.search('<table class="periods">.*?</table>', page, re.DOTALL)[0]

    assert shown.count('<col class="now"/>') == 1
    assert shown.count("<col/>") == 1 + MOST_PERIODS - 1
    assert [row.count('<td class="bar" colspan="1">') for row in shown.split("<tr>")[3:]] == [
        MOST_PERIODS
    ]


def test_a_review_that_is_overdue():
    """
    The day of the review is compared with the day of the page, never with a clock.
    """
    jurisdiction = loaded(NL=country())["NL"]

    assert "30 June 2027 (overdue on this day)" in page_of(jurisdiction, on=date(2027, 7, 1))
    assert "overdue" not in page_of(jurisdiction, on=date(2027, 6, 30))


# -- what was proved


def finding(severity, claim="more-progress-helps"):
    catalogue = loaded(NL=country())["NL"].rulebook(ON).catalogue
    progress = catalogue.fact("progress")
    change = Change(fact=progress, typical=700_000, value=900_000)
    return Finding(
        claim=claim,
        severity=severity,
        jurisdiction="NL",
        since=date(2026, 1, 1),
        detail=ErrorDetail(code="contradiction", message="more progress costs `few-missed`"),
        witness=Witness(catalogue=catalogue, facts=catalogue.prepare({}), changes=(change,), on=ON),
    )


def with_findings(*findings):
    proved = ProofReport(jurisdiction="NL", questions=9, findings=findings)
    return Reader(page_of(loaded(NL=country())["NL"], proved=proved)).text


def test_everything_was_proved():
    """
    What was proved is said in sentences for readers, one for each claim; a past finding is none.
    """
    text = with_findings(finding("information"))

    assert "Proved for every deal that could exist, without an exception (9 questions):" in text
    assert "More progress never costs a deal its eligibility." in text
    assert text.count("No rule is") + text.count("No part of a rule") == 5
    assert len(CLAIMS) >= 9


def test_a_claim_that_says_nothing_is_not_among_what_was_proved():
    """
    A claim of what no deal can be is named as a finding, and not printed as proved.
    """
    claims = "".join(
        f"\n[[claims]]\nnever = '{text}'\n"
        for text in ("missed_remittances_30d > 3", "deals_recovered > deals_defaulted")
    )
    files = country() | {"renewal.toml": country()["renewal.toml"] + claims}
    jurisdictions = loaded(NL=files)
    proved = prove(Prover(jurisdictions), jurisdictions["NL"])
    text = Reader(page_of(jurisdictions["NL"], proved=proved)).text

    assert "never one where the number of remittances missed in the last 30 days is above 3" in text
    assert "never one where the number of recovered" not in text
    assert "never deals_recovered > deals_defaulted” says nothing: no deal can be like that" in text


@for_every(
    ("severity", "word"),
    [("error", "error"), ("warning", "warning"), ("not_decided", "not decided")],
)
def test_what_does_not_hold_is_said_first(severity, word):
    """
    A finding is shown with its deal and not among what was proved, also one that is not decided.
    """
    text = with_findings(finding(severity))

    assert "Not everything holds." in text
    assert (
        f"{word} from 1 January 2026: more progress costs “few-missed”. For example the typical "
        "deal, but progress 90%."
    ) in text
    assert "More progress never costs a deal its eligibility." not in text


# -- the command


@pytest.fixture
def shelf(tmp_path):
    """A folder of a country and its child."""
    return write(tmp_path / "shelf", NL=country(), NL_ZH=child())


def show(shelf, *arguments):
    return invoke("show", "NL-ZH", "--on", "2025-06-01", *arguments, "--jurisdictions", shelf)


def test_the_page_of_the_command(shelf, monkeypatch, tmp_path):
    """
    `show --format html` prints the page; with `--to` it has what changes.
    """
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    ran = show(shelf, "--format", "html", "--to", "2026-06-01")
    text = Reader(ran.output).text

    assert ran.exit_code == 0
    assert ran.output.startswith("<!DOCTYPE html>")
    assert "Based on the policy of Land of NL" in text
    assert "What changes On 1 January 2026 NL-R-01 On pace Renewals: changes" in text


def test_without_the_solver_nothing_is_proved(shelf, monkeypatch):
    """
    Where the solver is not installed, the page says that nothing was proved here.
    """
    monkeypatch.setattr("holdback.cli.prove.require_solver", _not_installed)

    assert "Not proved here." in show(shelf, "--format", "html").output


def _not_installed():
    raise click.ClickException("The command needs z3")


def test_what_changes_in_the_other_formats(shelf):
    """
    With `--to`, text, Markdown and JSON have the changes day by day, as `holdback diff` has them.
    """
    text = show(shelf, "--to", "2026-06-01").output
    markdown = show(shelf, "--to", "2026-06-01", "--format", "markdown").output
    plain = json.loads(show(shelf, "--to", "2026-06-01", "--format", "json").output)

    assert (
        "Changes on 2026-01-01\n  changed parameter minimum_performance\n      75% to 80%" in text
    )
    assert (
        "## Changes on 2026-01-01\n\n- changed parameter minimum_performance: 75% to 80%"
        in markdown
    )
    assert [day["on"] for day in plain["changes"]] == ["2026-01-01"]
    assert "changes" not in json.loads(show(shelf, "--format", "json").output)


def test_to_comes_after_on(shelf):
    """
    Exit code 2 for misuse.
    """
    ran = show(shelf, "--to", "2025-06-01")

    assert ran.exit_code == 2
    assert "--to is a day after --on" in ran.output
