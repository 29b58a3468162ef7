"""`holdback disclose`: what a law asks to be shown of an offer, from figures by hand."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any, Final

import click
from attrs import evolve

from holdback.cli.offer_figures import AMOUNTS, option_of, read_offer
from holdback.cli.output import FINDINGS, format_option, reading, write_file
from holdback.cli.sources import Day, jurisdictions_option, load_one, load_valid
from holdback.cli.written_facts import read_facts, read_pairs
from holdback.disclosures.derivation import Step, derivation
from holdback.disclosures.disclosure import Disclosure, disclose
from holdback.disclosures.figure_facts import FREQUENCIES, figure_catalogue
from holdback.disclosures.unit_periods import AVERAGE_MONTH
from holdback.errors import InvalidDocument, InvalidValue, listed, printable
from holdback.exact.exact_json import Json, write_json
from holdback.exact.exact_numbers import plain, read_decimal, scaled
from holdback.exact.money import Currency
from holdback.merchant.disclosure import Frequency
from holdback.rulebooks.regime import ACTUARIAL, EFFECTIVE, Regime, regime_on
from holdback.rules.number_format import plain_format
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
@click.option("--holiday", "holidays", type=Day(), multiple=True, help="A day without a payment.")
@click.option("--payments", type=click.File("rb"), help="The payments, as CSV: day,amount.")
@click.option("--unit-period", "unit", help="That of these payments: half-month, 3 months.")
@click.option("--financer", help="The name of the provider: short for --text financer=NAME.")
@click.option("--fact", "facts", multiple=True, metavar="NAME=VALUE", help="For exemptions.")
@click.option("--text", "texts", multiple=True, metavar="NAME=TEXT", help="What the law asks for.")
@click.option("--explain", is_flag=True, help="Also print how each figure is computed.")
@format_option("text", "html", "json")
@click.option("--to", type=click.Path(dir_okay=False, path_type=Path), help="Write this file.")
@jurisdictions_option
def disclose_command(  # noqa: PLR0913 - one for each option
    jurisdiction: str | None,
    *,
    on: date,
    frequency: Frequency,
    holidays: tuple[date, ...],
    payments: Any,
    unit: str | None,
    financer: str | None,
    facts: tuple[str, ...],
    texts: tuple[str, ...],
    explain: bool,
    form: str,
    to: Path | None,
    folder: Path | None,
    **amounts: str | None,
) -> None:
    """
    Show the figures of an offer as the law of JURISDICTION asks.

    Without JURISDICTION, or where it has no such law on the day, the figures are printed alone.
    This is not advice. Exits with 1 if there are no such figures.
    """
    shown_by = _no_law(on) if jurisdiction is None else _regime(jurisdiction, on, folder)
    is_law, currency = bool(shown_by.code), shown_by.catalogue.currency
    if form == "html" and not is_law:
        raise click.UsageError("a page needs a JURISDICTION with a law on disclosures")
    with reading("The offer"):
        offer = read_offer(
            amounts,
            currency=currency,
            on=on,
            frequency=frequency,
            unit=unit,
            holidays=holidays,
            file=payments,
            is_shown=is_law,
        )
        words = _pairs(texts) | ({} if financer is None else {"financer": financer})
        stated = _facts(facts, shown_by) if is_law else {}
    try:
        with reading("The offer"), _of_option("--text", "$.texts."):
            shown = disclose(
                shown_by, offer.financing, offer.projection, payoff=offer.payoff,
                facts=stated, texts=words if is_law else {},
            )  # fmt: skip
        steps = derivation(
            offer.financing, offer.projection, shown.payments,
            currency=currency, month=shown_by.month, payoff=offer.payoff,
            method=shown_by.rate or ACTUARIAL,
        )  # fmt: skip
    except InvalidValue as error:
        click.echo(f"There are no such figures: {printable(str(error))}", err=True)
        sys.exit(FINDINGS)
    _write(to, _lines(form, shown, steps, shown_by, explain=explain))


def _regime(code: str, on: date, folder: Path | None) -> Regime:
    """Return the law on disclosures of *code* on the day; where there is none, say who has one."""
    with reading(f"The rules of {code}"):
        jurisdiction = load_one(folder, code)
    regime = regime_on(jurisdiction.disclosures, on)
    if regime is not None:
        return regime
    valid = load_valid(folder)
    having = [state for state in valid.codes if regime_on(valid[state].disclosures, on)]
    others = f"those with one are {listed(having)}" if having else "and neither has any other"
    message = f"{printable(code)} has no law on disclosures on {on}; {others}. The figures alone:"
    click.echo(message, err=True)
    return _no_law(on, jurisdiction.currency)


def _no_law(on: date, currency: Currency = _WITHOUT_LAW) -> Regime:
    """Return what is shown by no law: no lines, and the figures in their plain form."""
    return Regime(
        code="",
        since=on,
        title="Figures",
        law="",
        rate=ACTUARIAL,
        month=AVERAGE_MONTH,
        overstatement_counts=False,
        required=None,
        signed=False,
        conditions=(),
        exemptions=(),
        items=(),
        foot=(),
        texts={},
        catalogue=figure_catalogue(currency),
        number_format=plain_format(currency),
    )


def _pairs(pairs: Iterable[str]) -> dict[str, str]:
    """Return the texts in *pairs*, each `NAME=TEXT`."""
    texts: dict[str, str] = {}
    for pair in pairs:
        name, sign, text = pair.partition("=")
        if not sign:
            raise click.BadParameter(f"expected NAME=TEXT: {printable(pair)}")
        texts[name] = text
    return texts


def _facts(pairs: Iterable[str], regime: Regime) -> dict[str, Any]:
    """Return the facts in *pairs*, of those on which the exemptions of *regime* rest."""
    figures = figure_catalogue(regime.catalogue.currency)
    stated = tuple(fact for fact in regime.catalogue.facts if figures.fact(fact.name) is None)
    catalogue = Catalogue(facts=stated, currency=regime.catalogue.currency)
    with _of_option("--fact", "$."):
        return read_facts(read_pairs(pairs, catalogue), catalogue)


@contextmanager
def _of_option(option: str, path: str) -> Iterator[None]:
    """Within it, what is wrong at a name under *path* is reported as that name of an *option*."""
    try:
        yield
    except InvalidDocument as invalid:
        raise InvalidDocument(
            evolve(error, path=(error.path or "").replace(path, f"{option} ", 1))
            for error in invalid.errors
        ) from None


def _lines(
    form: str, shown: Disclosure, steps: tuple[Step, ...], regime: Regime, *, explain: bool
) -> Iterator[str]:
    """Yield the lines of the answer in the *form*."""
    is_law = bool(regime.code)
    if form == "json":
        yield write_json(_plain(shown, steps, regime))
        return
    if not shown.due:
        click.echo(f"It is not due: {printable('; '.join(shown.decided_by))}.", err=True)
    if form == "html":
        yield from disclosure_page(shown, signed=regime.signed)
        return
    if is_law:
        yield from disclosure_lines(shown, signed=regime.signed)
    if explain or not is_law:
        yield from ("", DERIVATION, "") if is_law else ()
        yield from derivation_lines(steps)


def _plain(shown: Disclosure, steps: tuple[Step, ...], regime: Regime) -> dict[str, Json]:
    """Return the answer as plain values."""
    law = ("jurisdiction", "law", "since", "title", "due", "decided_by", "lines", "foot")
    payments = shown.payments.payments
    return {
        **(plain_values(shown, *law) | {"signed": regime.signed} if regime.code else {}),
        "figures": dict(shown.figures),
        **({} if regime.rate == EFFECTIVE else {"rate": _rate(shown, regime.catalogue.currency)}),
        "first_payment_on": payments[0].day.isoformat(),
        "last_payment_on": payments[-1].day.isoformat(),
        "derivation": [plain_values(step) for step in steps],
    }


def _rate(shown: Disclosure, currency: Currency) -> dict[str, Json]:
    """Return the rate of a unit-period, for somebody who computes it as well."""
    financed: Any = shown.figures["amount_financed"]
    rate = shown.payments.annual_rate(scaled(read_decimal(financed), currency.places))
    return {
        "per_unit_period": plain(rate.per_unit_period(_DECIMALS, "down")),
        "unit_periods_per_year": str(rate.unit_periods_per_year),
    }


def _write(file: Path | None, lines: Iterable[str]) -> None:
    """Print *lines*, or write them into *file*."""
    if file is None:
        click.echo("\n".join(lines))
    else:
        write_file(file, "".join(f"{line}\n" for line in lines).encode())
