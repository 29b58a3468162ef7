"""
`holdback explain`: one deal, assessed by the rules of a jurisdiction, and what would help it.

`DealExplanation` is what it says of the deal, as plain values. The rest of this module writes it as
lines or as JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any, Final

import click
from attrs import define, field

from holdback import wire
from holdback.cli.output import fail, format_option, plural, value_text
from holdback.cli.scenario import SCENARIO_BYTES
from holdback.cli.sources import Day, jurisdictions_option, load_one
from holdback.eligibility.assessment import FLOOR, MOST_PRINCIPAL
from holdback.eligibility.reasons import Reason
from holdback.engine import Engine
from holdback.errors import ConfigurationError, InvalidDocument, did_you_mean, printable
from holdback.exact.exact_json import Json, write_json
from holdback.jurisdictions.jurisdiction import Jurisdiction, Jurisdictions
from holdback.offers.quote import decided_by_rules
from holdback.rulebooks.rulebook import ProductTerms, Rulebook
from holdback.rules.types import Facts
from holdback.rules.values import FactValue
from holdback.tools.advice import windows
from holdback.tools.advice.ways import what_would_help
from holdback.tools.advice.windows import DAYS


@click.command("explain")
@click.argument("jurisdiction")
@click.argument("facts", type=click.File("rb"))
@click.option("--on", type=Day(), required=True, help="The day of the assessment: 2026-07-01.")
@click.option("--product", metavar="KEY", help="Ask the rules of this product instead: flex.")
@click.option("--notice", is_flag=True, help="Print only the principal reasons, for a notice.")
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
    on: date,
    product: str | None,
    notice: bool,
    how: bool,
    pace: str | None,
    days: int | None,
    form: str,
    folder: Path | None,
) -> None:
    """
    Assess the deal with the FACTS, a JSON object, by the renewal rules of JURISDICTION.

    Prints the outcome, the reasons with their figures, what is missing, and every rule's answer.
    """
    forecast = pace is not None or days is not None
    _refuse_mixed(form, product, notice=notice, more=how or forecast)
    read = _jurisdiction(folder, jurisdiction)
    try:
        explanation = DealExplanation.by(read.rulebook(on), product)
    except (InvalidDocument, ConfigurationError) as error:
        fail(error, f"The rules of {jurisdiction}")
    try:
        given = wire.read_evidence(wire.read_json(facts.read(SCENARIO_BYTES + 1)), path="$")
        explanation.assess(given)
    except InvalidDocument as error:
        fail(error, facts.name)
    if form == "record":
        click.echo(write_json(explanation.rulebook.assess(given).record()))
        return
    if notice:
        of = len(explanation.reasons)
        reasons = [
            {**reason_to_dict(reason), "number": number, "of": of}
            for number, reason in enumerate(explanation.principal_reasons, start=1)
        ]
        click.echo(write_json(reasons) if form == "json" else "\n".join(notice_lines(reasons)))
        return
    if how:
        explanation.add_what_would_help()
    if forecast:
        try:
            explanation.add_windows(read, pace, DAYS if days is None else days)
        except InvalidDocument as error:
            fail(error, "What was asked")
    answer = explanation.answer
    click.echo(write_json(answer) if form == "json" else "\n".join(text_lines(answer)))


def _refuse_mixed(form: str, product: str | None, *, notice: bool, more: bool) -> None:
    """Refuse options that say two kinds of output at once."""
    if form == "record" and (product is not None or more):
        message = "a record is the assessment of a renewal alone"
        raise click.UsageError(f"{message}: leave out --product, --how, --pace and --days")
    if notice and more:
        raise click.UsageError("--notice prints the reasons alone: leave out --how, --pace, --days")


def _jurisdiction(folder: Path | None, code: str) -> Jurisdiction:
    """Return the jurisdiction *code*; exit with 2 when it, or one of its prices, is invalid."""
    try:
        # An engine checks the settings of the products' calculators as well.
        jurisdictions = Jurisdictions([load_one(folder, code)])
        Engine.for_trial(jurisdictions)
    except (InvalidDocument, ConfigurationError) as error:
        fail(error, f"The rules of {code}")
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
}


@define
class DealExplanation:
    """A deal by the renewal rules of *rulebook*, or by the rules of one of its products."""

    rulebook: Rulebook
    terms: ProductTerms | None
    given: Mapping[str, FactValue] = field(factory=dict)
    facts: Facts = ()
    answer: dict[str, Any] = field(factory=dict)
    reasons: tuple[Reason, ...] = ()

    @classmethod
    def by(cls, rulebook: Rulebook, product: str | None) -> DealExplanation:
        """
        Return the explanation for the *product* with that key, or for renewals without one.

        Raises:
            InvalidDocument: there is no such product on that day.
        """
        if product is None:
            return cls(rulebook, None)
        by_key = {terms.key: terms for terms in rulebook.products}
        if product not in by_key:
            hint = did_you_mean(product, by_key) or f"the products are {', '.join(by_key)}"
            message = f"there is no product of that key on {rulebook.on}"
            raise InvalidDocument.of("unknown_name", message, path="$.product", hint=hint)
        return cls(rulebook, by_key[product])

    @property
    def principal_reasons(self) -> tuple[Reason, ...]:
        """The first reasons, for a notice."""
        return self.reasons[:MOST_PRINCIPAL]

    def assess(self, given: Mapping[str, FactValue]) -> None:
        """
        Assess the deal with the facts *given*.

        Raises:
            InvalidDocument: with every fact that is invalid.
        """
        self.given, self.facts = given, self.rulebook.catalogue.prepare(given)
        if self.terms is None:
            assessment = self.rulebook.assess_prepared(self.facts)
            self.reasons = assessment.reasons
            self.answer = wire.to_dict(assessment)
        else:
            self.reasons, self.answer = _by_product(self.rulebook, self.terms, self.facts)

    def add_what_would_help(self) -> None:
        """Add what would help to the answer."""
        if self.terms is None:
            helped = what_would_help(self.rulebook.renewal, self.facts, floor=FLOOR)
        else:
            helped = what_would_help(self.terms.rules, self.facts)
        self.answer["what_would_help"] = helped.plain()

    def add_windows(self, jurisdiction: Jurisdiction, pace: str | None, days: int) -> None:
        """
        Add the windows in the next *days* in which the deal would pass at a *pace*.

        Raises:
            InvalidDocument: the pace or the number of days is invalid.
        """
        product = None if self.terms is None else self.terms.key
        on = self.rulebook.on
        forecast = windows(jurisdiction, self.given, on=on, pace=pace, days=days, product=product)
        self.answer["windows"] = forecast.plain()


def _by_product(
    rulebook: Rulebook, terms: ProductTerms, facts: Facts
) -> tuple[tuple[Reason, ...], dict[str, Any]]:
    """Return the reasons and the answer of a product's rules; nothing is priced."""
    answers = terms.rules.answer(facts)
    decision, reasons, needs = decided_by_rules(answers)
    return reasons, {
        "product": terms.key,
        "decision": decision,
        "jurisdiction": rulebook.code,
        "on": rulebook.on.isoformat(),
        "digest": rulebook.digest,
        "reasons": [
            {
                "code": reason.code,
                "rule": reason.rule,
                "text": reason.text,
                "facts": dict(reason.facts),
                "file": reason.file,
                "line": reason.line,
            }
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
    word = answer["decision"] if "product" in answer else answer["outcome"]
    outcome = click.style(word.replace("_", " "), fg=_COLOURS[word], bold=True)
    product = f", {answer['product']}" if "product" in answer else ""
    yield f"{answer['jurisdiction']}{product} on {answer['on']}: {outcome}"
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


def reason_to_dict(reason: Reason) -> dict[str, Json]:
    """A principal reason: its code and sentence, what was measured, and the threshold."""
    return {
        "code": reason.code,
        "text": reason.text,
        "measured": reason.measured,
        "threshold": reason.threshold,
    }


def notice_lines(reasons: list[dict[str, Any]]) -> Iterator[str]:
    """The principal reasons as a notice to the merchant gives them."""
    if not reasons:
        yield "There is no reason to give."
    for reason in reasons:
        yield f"{reason['number']}. {printable(reason['text'])}"
        for name in ("measured", "threshold"):
            figures = ", ".join(f"{key} {value}" for key, value in reason[name].items())
            yield f"   {click.style(f'{name:<9}', dim=True)}  {printable(figures)}"
    more = reasons[0]["of"] - len(reasons) if reasons else 0
    if more:
        verb = "is" if more == 1 else "are"
        yield f"{plural(more, 'more reason')} {verb} left out; without --notice all are printed."
