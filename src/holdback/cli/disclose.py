"""`holdback disclose`: what a law asks to be shown of an offer, from figures by hand."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any, Final

import click
from attrs import evolve

from holdback.cli.disclosed_rate import RateCheck, check_rate
from holdback.cli.output import FINDINGS, format_option, reading, write_file
from holdback.cli.sources import Day, jurisdictions_option, load_one, load_valid
from holdback.cli.written_facts import read_facts, read_pairs
from holdback.cli.written_offer import AMOUNTS, DISCLOSED, WrittenOffer, option_of, read_offer
from holdback.disclosures.annual_rate import AnnualRate
from holdback.disclosures.derivation import Step, derivation, derivation_by_law
from holdback.disclosures.disclosure import Disclosure, disclose, figures_of, plain_figures
from holdback.disclosures.effective_rate import EffectiveRate
from holdback.disclosures.figure_facts import FREQUENCIES, figure_catalogue
from holdback.disclosures.projected_payments import ProjectedPayments
from holdback.disclosures.unit_periods import AVERAGE_MONTH
from holdback.errors import InvalidDocument, InvalidValue, listed, printable
from holdback.exact.exact_json import Json, write_json
from holdback.exact.exact_numbers import plain
from holdback.exact.money import Currency
from holdback.frozen_classes import frozen
from holdback.rulebooks.regime import ACTUARIAL, Regime, regime_on
from holdback.rules.types import Catalogue
from holdback.tools.displays.disclosures import (
    DERIVATION,
    derivation_lines,
    disclosure_lines,
    disclosure_page,
)
from holdback.tools.plain_values import plain_values

# The decimals of a rate in JSON: more than a regulator compares.
_DECIMALS: Final = 36
_WITHOUT_LAW: Final = Currency.of("USD")
# The options in which a disclosure is stated, by the paths of its errors.
_OPTIONS: Final[Mapping[str, str]] = {
    "$.texts.": "--text ",
    "$.facts.": "--fact ",
    "$.payoff": "--old-charge and --old-total",
}
_NO_MEANINGS: Final[Mapping[str, str]] = {}
# What is stated for the sentences and exemptions of a law.
_OF_A_LAW: Final = ("fact", "text", "financer")


def _amount_options(command: Any) -> Any:
    """Add the option of each amount to *command*."""
    for name, meaning in reversed(list(AMOUNTS.items())):
        command = click.option(option_of(name), name, metavar="NUMBER", help=meaning)(command)
    return command


@click.command("disclose")
@click.argument("jurisdiction", required=False)
@click.option("--on", type=Day(), required=True, help="The day of consummation: 2026-12-01.")
@click.option("--frequency", type=click.Choice(FREQUENCIES), required=True)
@_amount_options
@click.option("--history", type=click.File("rb"), help="Past takings, as CSV: month,takings.")
@click.option("--months", type=click.IntRange(1, 12), help="Project the mean of this many.")
@click.option("--leave-out", multiple=True, metavar="MONTH", help="Without this month: 2026-03.")
@click.option("--best-months", is_flag=True, help="The best months of 12 (23 NYCRR 600.8(b)(2)).")
@click.option("--holiday", type=Day(), multiple=True, help="A day without a payment.")
@click.option("--payments", type=click.File("rb"), help="The payments, as CSV: day,amount.")
@click.option("--unit-period", help="That of these payments: half-month, 3 months.")
@click.option("--irregular", is_flag=True, help="Payments are irregular: 1/4 of a point, not 1/8.")
@click.option("--financer", help="The name of the provider: short for --text financer=NAME.")
@click.option("--fact", multiple=True, metavar="NAME=VALUE", help="For exemptions.")
@click.option("--text", multiple=True, metavar="NAME=TEXT", help="What the law asks for.")
@click.option("--explain", is_flag=True, help="Also print how each figure is computed.")
@format_option("text", "html", "json")
@click.option("--to", type=click.Path(dir_okay=False, path_type=Path), help="Write this file.")
@jurisdictions_option
def disclose_command(
    jurisdiction: str | None,
    *,
    form: str,
    to: Path | None,
    folder: Path | None,
    **options: Any,
) -> None:
    """
    Show the figures of an offer as the law of JURISDICTION asks.

    Without JURISDICTION, or where it has no such law on the day, the figures are printed alone.
    With --disclosed-apr they say whether that rate is accurate, and nothing is shown. This is not
    advice. Exits with 1 if there are no such figures, or the rate is not accurate.
    """
    regime, currency = None, _WITHOUT_LAW
    _check_form(form, options)
    if jurisdiction is None:
        _refuse(options, _OF_A_LAW, "give a JURISDICTION with a law on disclosures")
    else:
        regime, currency = _law_on(jurisdiction, options, folder)
    is_checked = options[DISCLOSED] is not None
    shown_by = None if is_checked else regime
    if form == "html" and shown_by is None:
        raise click.UsageError("a page needs a JURISDICTION with a law on disclosures")
    with reading("The offer"):
        offer = read_offer(options, currency=currency, is_shown=shown_by is not None)
        stated = {} if shown_by is None else _facts(options["fact"], shown_by)
    try:
        with reading("The offer"), _of_options(meanings=_meanings(shown_by)):
            if shown_by is None:
                answer = _alone(offer, regime, currency)
            else:
                answer = _by_law(offer, shown_by, stated, _texts(options))
    except InvalidValue as error:
        click.echo(f"There are no such figures: {printable(str(error))}", err=True)
        sys.exit(FINDINGS)
    _write(to, _lines(form, answer, explain=options["explain"]))
    if answer.check is not None and not answer.check.accurate:
        sys.exit(FINDINGS)


def _check_form(form: str, options: Mapping[str, Any]) -> None:
    """Refuse options that mean nothing in the *form*, or where a rate is checked."""
    if form == "json":
        _refuse(options, ["explain"], "JSON always has the derivation")
    if form == "html":
        _refuse(options, ["explain"], "a page to sign has none; use --format text or json")
    if options[DISCLOSED] is not None:
        _refuse(options, _OF_A_LAW, "with --disclosed-apr no disclosure is shown")
        if form == "html":
            raise click.UsageError("with --disclosed-apr there is no page: use --format text")


def _refuse(options: Mapping[str, Any], names: Iterable[str], why: str) -> None:
    """Refuse those of *names* that are given among *options*."""
    given = [option_of(name) for name in names if options[name]]
    if given:
        verb = "means" if len(given) == 1 else "mean"
        raise click.UsageError(f"{', '.join(given)} {verb} nothing here: {why}")


def _law_on(
    code: str, options: Mapping[str, Any], folder: Path | None
) -> tuple[Regime | None, Currency]:
    """Return the law on disclosures of *code* on the day; where there is none, say who has one."""
    on: date = options["on"]
    with reading(f"The rules of {code}"):
        jurisdiction = load_one(folder, code)
    regime = regime_on(jurisdiction.disclosures, on)
    if regime is not None:
        if options[DISCLOSED] is not None and regime.rate != ACTUARIAL:
            raise click.UsageError(
                f"{code} has no tolerance for a disclosed rate; without a JURISDICTION it is that "
                "of Regulation Z"
            )
        return regime, jurisdiction.currency
    valid = load_valid(folder)
    having = [state for state in valid.codes if regime_on(valid[state].disclosures, on)]
    others = f"those with one are {listed(having)}" if having else "and neither has any other"
    meant = [state for state in having if state.endswith(f"-{code}")]
    others = f"did you mean {listed(meant)}? If not, {others}" if meant else others
    dropped = [option_of(name) for name in _OF_A_LAW if options[name]]
    alone = f"without {' and '.join(dropped)}" if dropped else "alone"
    message = f"{printable(code)} has no law on disclosures on {on}; {others}. The figures {alone}:"
    click.echo(message, err=True)
    return None, jurisdiction.currency


@frozen(kw_only=True)
class _Answer:
    """The figures of an offer and how they are computed; what is `shown` by a law, or a `check`."""

    payments: ProjectedPayments
    figures: Mapping[str, Json]
    steps: tuple[Step, ...]
    rate: AnnualRate | EffectiveRate | None
    regime: Regime | None
    check: RateCheck | None = None
    shown: Disclosure | None = None


def _by_law(
    offer: WrittenOffer, regime: Regime, facts: Mapping[str, Json], texts: Mapping[str, str]
) -> _Answer:
    """Return what *regime* shows of *offer*, or raise as `disclose` does."""
    shown = disclose(
        regime, offer.financing, offer.projection, payoff=offer.payoff, facts=facts, texts=texts
    )
    steps = derivation_by_law(regime, shown, offer.financing, offer.projection, offer.payoff)
    # Takings that are projected from history are not only stated.
    projected = {step.name for step in offer.takings_steps}
    return _Answer(
        payments=shown.payments,
        figures=shown.figures,
        steps=(*offer.takings_steps, *(step for step in steps if step.name not in projected)),
        rate=shown.rate,
        regime=regime,
        shown=shown,
    )


def _alone(offer: WrittenOffer, regime: Regime | None, currency: Currency) -> _Answer:
    """
    Return the figures of *offer* alone, checked by *regime* where a rate was disclosed.

    Raises:
        InvalidValue: when there is no rate, or a figure is out of its range.
    """
    financing, projection, payoff = offer.financing, offer.projection, offer.payoff
    month = AVERAGE_MONTH if regime is None else regime.month
    payments = projection.payments_of(financing.total_payments, month)
    rate, check = payments.annual_rate(financing.amount_financed), None
    catalogue = figure_catalogue(currency)
    figures = plain_figures(figures_of(financing, projection, payments, rate, payoff), catalogue)
    steps = derivation(
        financing, projection, payments, rate, currency=currency, month=month, payoff=payoff
    )
    if offer.disclosed is not None:
        check = check_rate(offer.disclosed, rate, regime, irregular=offer.irregular)
    return _Answer(
        payments=payments,
        figures=figures,
        steps=(*offer.takings_steps, *steps),
        rate=rate,
        regime=regime,
        check=check,
    )


def _texts(options: Mapping[str, Any]) -> dict[str, str]:
    """Return what is stated in words, each `NAME=TEXT`."""
    financer = options["financer"]
    texts = {} if financer is None else {"financer": financer}
    for pair in options["text"]:
        name, sign, text = pair.partition("=")
        if not sign:
            raise click.BadParameter(f"expected NAME=TEXT: {printable(pair)}", param_hint="--text")
        texts[name] = text
    return texts


def _facts(pairs: Iterable[str], regime: Regime) -> dict[str, Any]:
    """Return the facts in *pairs*, of those on which the exemptions of *regime* rest."""
    figures = figure_catalogue(regime.catalogue.currency)
    stated = tuple(fact for fact in regime.catalogue.facts if figures.fact(fact.name) is None)
    catalogue = Catalogue(facts=stated, currency=regime.catalogue.currency)
    with _of_options({"$.": "--fact "}):
        return read_facts(read_pairs(pairs, catalogue), catalogue)


def _meanings(regime: Regime | None) -> Mapping[str, str]:
    """Return what each text and fact of *regime* is, by its path in errors."""
    if regime is None:
        return {}
    return {
        **{f"$.texts.{name}": meaning for name, meaning in regime.meanings.items()},
        **{f"$.facts.{fact.name}": fact.description for fact in regime.catalogue.facts},
    }


@contextmanager
def _of_options(
    options: Mapping[str, str] = _OPTIONS, meanings: Mapping[str, str] = _NO_MEANINGS
) -> Iterator[None]:
    """
    Within it, what is wrong under a path is reported as that of its option, of *options*.

    An error without a hint has that of *meanings*.
    """
    try:
        yield
    except InvalidDocument as invalid:
        errors = [
            evolve(error, hint=error.hint or meanings.get(error.path or "") or None)
            for error in invalid.errors
        ]
        for path, option in options.items():
            errors = [
                evolve(error, path=(error.path or "").replace(path, option, 1)) for error in errors
            ]
        raise InvalidDocument(errors) from None


def _lines(form: str, answer: _Answer, *, explain: bool) -> Iterator[str]:
    """Yield the lines of the answer in the *form*."""
    if form == "json":
        yield write_json(_plain(answer))
        return
    shown, regime = answer.shown, answer.regime
    if shown is None or regime is None:
        yield from derivation_lines(answer.steps)
        yield from () if answer.check is None else ("", *str(answer.check).splitlines())
        return
    if not shown.due:
        click.echo(f"It is not due: {printable('; '.join(shown.decided_by))}.", err=True)
    if form == "html":
        yield from disclosure_page(shown, signed=regime.signed)
        return
    yield from disclosure_lines(shown, signed=regime.signed)
    if explain:
        yield from ("", DERIVATION, "")
        yield from derivation_lines(answer.steps)


def _plain(answer: _Answer) -> dict[str, Json]:
    """Return the answer as plain values."""
    law = ("jurisdiction", "law", "since", "title", "due", "decided_by", "lines", "foot")
    shown, regime, payments = answer.shown, answer.regime, answer.payments.payments
    by_law = {} if shown is None or regime is None else plain_values(shown, *law)
    return {
        **(by_law | {"signed": regime.signed} if by_law and regime else {}),
        "figures": dict(answer.figures),
        **(_rate(answer.rate) if isinstance(answer.rate, AnnualRate) else {}),
        **({} if answer.check is None else {"disclosed_rate": answer.check.plain()}),
        "first_payment_on": payments[0].day.isoformat(),
        "last_payment_on": payments[-1].day.isoformat(),
        "derivation": [plain_values(step) for step in answer.steps],
    }


def _rate(rate: AnnualRate) -> dict[str, Json]:
    """Return the rate of a unit-period, for somebody who computes it as well."""
    period = {
        "per_unit_period": plain(rate.per_unit_period(_DECIMALS, "down")),
        "unit_periods_per_year": str(rate.unit_periods_per_year),
    }
    return {"rate": period}


def _write(file: Path | None, lines: Iterable[str]) -> None:
    """Print *lines*, or write them into *file*."""
    if file is None:
        click.echo("\n".join(lines))
    else:
        write_file(file, "".join(f"{line}\n" for line in lines).encode())
