"""`holdback explain`: one deal, assessed by the rules of a jurisdiction, and what would help it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Final

import click

from holdback import wire
from holdback.cli.output import format_option, print_answer, reading, value_text
from holdback.cli.scenario import SCENARIO_BYTES
from holdback.cli.sources import Day, jurisdictions_option, language_option, load_one, load_spoken
from holdback.cli.written_facts import read_facts, read_pairs
from holdback.eligibility.assessment import FLOOR, MOST_PRINCIPAL
from holdback.eligibility.reasons import REVIEW, Reason, service_reason
from holdback.eligibility.reasons import reasons as reasons_of
from holdback.eligibility.ruleset import Answers, RuleSet
from holdback.engine import Engine
from holdback.errors import InvalidDocument, did_you_mean, printable
from holdback.exact.exact_json import Json, write_json
from holdback.exact.money import Money
from holdback.jurisdictions.jurisdiction import Jurisdiction, Jurisdictions
from holdback.jurisdictions.keys import PAYS_OUT, WAITS
from holdback.rulebooks.product_terms import QUEUE
from holdback.rulebooks.rulebook import FUNDING, Rulebook
from holdback.rules.types import Facts
from holdback.rules.values import FactValue
from holdback.tools.advice import windows
from holdback.tools.advice.ways import what_would_help
from holdback.tools.advice.windows import DAYS
from holdback.tools.example_run import bound, funding_answer, quoted_on
from holdback.tools.plain_values import plain_values


@click.command("explain")
@click.argument("jurisdiction")
@click.argument("facts", type=click.File("rb"), required=False)
@click.option(
    "--fact", "pairs", metavar="NAME=VALUE", multiple=True,
    help="A fact, in the place of that of FACTS: progress=64%. May be repeated.",
)  # fmt: skip
@click.option("--on", type=Day(), required=True, help="The day of the assessment: 2026-07-01.")
@click.option("--product", metavar="KEY", help="Ask the rules of this product instead: flex.")
@click.option("--funding", is_flag=True, help="Ask the rules of fundings: may it be paid out?")
@click.option("--notice", is_flag=True, help="Print only the principal reasons, for a notice.")
@language_option
@click.option("--how", is_flag=True, help="Add what would help: all minimal sets of changes.")
@click.option(
    "--pace",
    metavar="AMOUNT|SHARE",
    help="Add on which days it would pass if this is remitted a day: 'GBP 50', or 0.4%.",
)
@click.option("--days", type=int, help=f"The days to look ahead for that, {DAYS} by default.")
@format_option("text", "json", "record")
@jurisdictions_option
def explain_command(  # noqa: PLR0913  # one parameter for each option
    jurisdiction: str,
    facts: Any,
    *,
    pairs: tuple[str, ...],
    on: date,
    product: str | None,
    funding: bool,
    notice: bool,
    language: str | None,
    how: bool,
    pace: str | None,
    days: int | None,
    form: str,
    folder: Path | None,
) -> None:
    """
    Assess the deal with the FACTS, a file of JSON, by the rules of JURISDICTION.

    They are those of renewals, unless an option names others. A product is priced too: as a renewal
    that settles the balance, where it is known, and else as an initial application.

    Prints the outcome, the reasons with their figures, what is missing, and every rule's answer.
    """
    if facts is None and not pairs:
        raise click.UsageError("give FACTS, a file of JSON, or --fact NAME=VALUE")
    forecast = pace is not None or days is not None
    if funding and product is not None:
        raise click.UsageError("the rules of fundings are not a product's: leave out --product")
    product = FUNDING if funding else product
    _refuse_mixed(form, product, notice=notice, more=how or forecast, language=language)
    read = _jurisdiction(folder, jurisdiction)
    with reading(f"The rules of {jurisdiction}"):
        rulebook = read.rulebook(on).in_language(load_spoken(language, folder))
        rules = _rules(rulebook, product)
    given: dict[str, FactValue] = {}
    if facts is not None:
        with reading(facts.name):
            given = read_facts(wire.read_json(facts.read(SCENARIO_BYTES + 1)), rulebook.catalogue)
    with reading("--fact"):
        given |= read_facts(read_pairs(pairs, rulebook.catalogue), rulebook.catalogue)
    prepared = rulebook.catalogue.prepare(given)
    if form == "record":
        click.echo(write_json(rulebook.assess(given).record()))
        return
    reasons, answer = _assessed(rulebook, product, prepared)
    if notice:
        waits = (service_reason(rules, REVIEW),) if answer["needs"] else ()
        principal = _principal(reasons or waits)
        print_answer(form, principal, notice_lines(principal, rules))
        return
    if how:
        floor = FLOOR if product is None else None
        answer["what_would_help"] = what_would_help(rules, prepared, floor=floor).plain()
    if forecast:
        ahead = DAYS if days is None else days
        with reading("What was asked"):
            shown = windows(read, given, on=on, pace=pace, days=ahead, product=product)
        answer["windows"] = shown.plain()
    print_answer(form, answer, text_lines(answer))


def _refuse_mixed(
    form: str, product: str | None, *, notice: bool, more: bool, language: str | None
) -> None:
    """Refuse options that say two kinds of output at once."""
    if form == "record" and language is not None:
        raise click.UsageError("a record has the texts of the files: leave out --language")
    if form == "record" and (product is not None or more):
        message = "a record is the assessment of a renewal alone"
        raise click.UsageError(
            f"{message}: leave out --product, --funding, --how, --pace and --days"
        )
    if notice and more:
        raise click.UsageError("--notice prints the reasons alone: leave out --how, --pace, --days")


def _jurisdiction(folder: Path | None, code: str) -> Jurisdiction:
    """Return the jurisdiction *code*; exit with 2 when it, or one of its prices, is invalid."""
    with reading(f"The rules of {code}"):
        # An engine checks the settings of the products' calculators as well.
        jurisdictions = Jurisdictions([load_one(folder, code)])
        Engine.for_trial(jurisdictions)
    return jurisdictions[code]


_ANSWERS: Final = {True: "true", False: "false", None: "unknown"}
_COLOURS: Final = {
    "eligible": "green",
    "referred": "yellow",
    "undetermined": "yellow",
    "ineligible": "red",
    "not_assessed": "red",
    "Accepted": "green",
    "Referred": "yellow",
    "Declined": "red",
    PAYS_OUT: "green",
    WAITS: "red",
}


def _rules(rulebook: Rulebook, product: str | None) -> RuleSet:
    """
    Return the rules of the product with the key *product*.

    None stands for renewals, and `FUNDING` for fundings.

    Raises:
        InvalidDocument: there is no such product on that day.
    """
    rules = rulebook.rulesets.get(product)
    if rules is None and product is not None:
        keys = [offered.key for offered in rulebook.products]
        hint = did_you_mean(product, keys) or f"the products are {', '.join(keys)}"
        message = f"there is no product of that key on {rulebook.on}"
        raise InvalidDocument.of("unknown_name", message, path="$.product", hint=hint)
    assert rules is not None, "a rulebook always has a set of rules of renewals"
    return rules


def _assessed(
    rulebook: Rulebook, product: str | None, facts: Facts
) -> tuple[tuple[Reason, ...], dict[str, Any]]:
    """Return the reasons and the answer of the rules of renewals, a *product* or fundings."""
    if product is None:
        assessment = rulebook.assess_prepared(facts)
        return assessment.reasons, wire.to_dict(assessment)
    answers = rulebook.rulesets[product].answer(facts)
    if product == FUNDING:
        paid = funding_answer(answers)
        reasons = tuple(reasons_of(answers, answers.false))
        return reasons, _plain(rulebook, answers, reasons, paid.needs, {"funding": paid.outcome})
    settles = _settled_balance(rulebook, product, facts)
    quoted = quoted_on(bound(rulebook, product), rulebook, facts, settles)
    decided = {
        "product": product,
        "decision": quoted.decision,
        "settles": None if settles is None else str(settles),
    }
    return quoted.reasons, _plain(rulebook, answers, quoted.reasons, quoted.needs, decided)


def _settled_balance(rulebook: Rulebook, product: str, facts: Facts) -> Money | None:
    """
    Return what a renewal with these *facts* settles; None of an initial application.

    A merchant with a known balance renews a deal. One that is queued settles nothing of it.
    """
    balance, terms = facts[rulebook.catalogue.place("balance")], rulebook.product(product)
    if balance is None or terms is None:
        return None
    return Money(0 if terms.renewal == QUEUE else balance, rulebook.currency)


def _plain(
    rulebook: Rulebook,
    answers: Answers,
    reasons: tuple[Reason, ...],
    needs: tuple[str, ...],
    decided: dict[str, Any],
) -> dict[str, Any]:
    """Return what was *decided*, and why, as plain values."""
    return {
        **decided,
        "jurisdiction": rulebook.code,
        "on": rulebook.on.isoformat(),
        "digest": rulebook.digest,
        "reasons": [
            plain_values(reason, "code", "rule", "text", "facts", "file", "line")
            for reason in reasons
        ],
        "needs": list(needs),
        "trace": [
            {"rule": line.rule, "answer": line.answer, "facts": dict(line.facts)}
            for line in answers.trace
        ],
    }


def text_lines(answer: Mapping[str, Any]) -> Iterator[str]:
    """The outcome, the reasons with their figures, what is missing, what would help, the trace."""
    word = next(answer[key] for key in ("decision", "funding", "outcome") if key in answer)
    outcome = click.style(word.replace("_", " "), fg=_COLOURS[word], bold=True)
    product = f", {answer['product']}" if "product" in answer else ""
    product = ", funding" if "funding" in answer else product
    yield f"{answer['jurisdiction']}{product} on {answer['on']}: {outcome}"
    if product and "settles" in answer:
        settles = answer["settles"]
        asked = "an initial application" if settles is None else f"a renewal that settles {settles}"
        yield f"  As {asked}"
    for reason in answer["reasons"]:
        place = f"  ({reason['file']}:{reason['line']})" if reason["file"] else ""
        yield f"  {reason['code']}  {printable(reason['text'])}{click.style(place, dim=True)}"
    if answer["needs"]:
        yield f"Missing: {', '.join(answer['needs'])}"
    if "what_would_help" in answer:
        yield from _help_lines(answer["what_would_help"])
    if "windows" in answer:
        yield from _window_lines(answer["windows"])
    if answer["trace"]:
        yield "Trace"
        width = max(len(line["rule"]) for line in answer["trace"])
        for line in answer["trace"]:
            shown = _ANSWERS[line["answer"]]
            yield f"  {line['rule']:<{width}}  {shown:<7}  {_facts_text(line['facts'])}"
    yield click.style(f"Digest {answer['digest']}", dim=True)


def _help_lines(helped: Mapping[str, Any]) -> Iterator[str]:
    yield "What would help"
    yield from (f"  {printable(line)}" for line in helped["words"].splitlines())
    if helped["cannot"]:
        yield f"  No change meets {', '.join(helped['cannot'])}."
    if helped["fetch"]:
        yield f"  To fetch, the first first: {', '.join(helped['fetch'])}"
    yield from (f"  Not complete: {printable(limit)}." for limit in helped["limits"])


def _window_lines(forecast: Mapping[str, Any]) -> Iterator[str]:
    yield "When it would pass"
    yield f"  {printable(forecast['words'])}"
    yield from (
        click.style(f"  Assumed: {printable(text)}.", dim=True) for text in forecast["assumptions"]
    )


def _facts_text(facts: Mapping[str, Json]) -> str:
    return ", ".join(
        f"{name} = {'unknown' if value is None else value_text(value)}"
        for name, value in facts.items()
    )


def _principal(reasons: Sequence[Reason]) -> list[dict[str, Json]]:
    """The first reasons, for a notice: code and sentence, what was measured, and the threshold."""
    return [
        plain_values(reason, "code", "text", "measured", "threshold")
        | {"number": number, "of": len(reasons)}
        for number, reason in enumerate(reasons[:MOST_PRINCIPAL], start=1)
    ]


def notice_lines(reasons: list[dict[str, Any]], rules: RuleSet) -> Iterator[str]:
    """The principal reasons as a notice to the merchant gives them, in the language of *rules*."""
    say = rules.language.say
    if not reasons:
        yield say("There is no reason to give.")
    for reason in reasons:
        yield f"{reason['number']}. {printable(reason['text'])}"
        for name, title in (("measured", say("measured")), ("threshold", say("threshold"))):
            figures = ", ".join(
                say("{name} {figure}", name=rules.label(key), figure=value)
                for key, value in reason[name].items()
            )
            if figures:
                yield f"   {click.style(f'{title:<9}', dim=True)}  {printable(figures)}"
    more = reasons[0]["of"] - len(reasons) if reasons else 0
    if more == 1:
        yield say("1 more reason is left out; without --notice all are printed.")
    elif more:
        yield say(
            "{number} more reasons are left out; without --notice all are printed.",
            number=str(more),
        )
