"""Calculators by name: the host's own, and errors in names and settings."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import ClassVar

import pytest
from attrs import field, frozen

from every_case import for_every
from holdback import ConfigurationError, Engine, Jurisdictions, Money
from holdback.jurisdictions.folder import bundled_path
from holdback.jurisdictions.reader import FILES, read_jurisdiction
from holdback.offers.calculator import Percent, PricingCase, Term
from holdback.offers.registry import BUILT_IN
from holdback.rulebooks.digest import VERSIONS
from journey import Journey

GB = {name: (bundled_path() / "GB" / name).read_bytes().decode() for name in FILES}
PACE = 'term = { calculator = "takings_pace" }'
LIMITS = 'limits = { calculator = "fixed", minimum = "GBP 500", maximum = "GBP 2000" }'
BANDS = (
    'bands = [{ up_to = "90%", rate = "1.24" }, { up_to = "110%", rate = "1.2" }, '
    '{ rate = "1.16" }]'
)


def engine(old="", new="", **chosen):
    """Return an engine with GB as it ships, except that *old* is *new* in its products."""
    assert old in GB["products.toml"]
    files = {**GB, "products.toml": GB["products.toml"].replace(old, new)}
    encoded = {name: text.encode() for name, text in files.items()}
    gb = read_jurisdiction("GB", encoded, file_prefix="GB/")
    return Engine.for_trial(Jurisdictions([gb]), **chosen)


@frozen(kw_only=True)
class Seasonal:
    """A term that is longer when the deal would run through the merchant's quiet months."""

    version: ClassVar[int] = 1

    months: int = field()
    quiet_share: Percent

    @months.validator
    def _positive(self, _, months):
        if months < 1:
            raise ValueError("expected at least one month")

    def __call__(
        self, case: PricingCase, repayment_amount: Money, split_percentage: Decimal
    ) -> Term | None:
        """The term, a month longer where much of the takings fall in the quiet months."""
        return Term.of_months(self.months + (self.quiet_share > 50))


def test_a_hosts_own_calculator_is_used_from_a_file():
    """
    A product can name a calculator that the host registered (decisions/engine).
    """
    seasonal = 'term = { calculator = "seasonal", months = 7, quiet_share = "60%" }'
    journey = Journey(engine(PACE, seasonal, calculators={"term/seasonal": Seasonal}))
    journey.ask()

    assert journey.first_offer().term_length == 8


def test_there_is_no_global_registry():
    """
    A calculator of one engine is unknown to another.
    """
    seasonal = 'term = { calculator = "seasonal", months = 7, quiet_share = "60%" }'
    engine(PACE, seasonal, calculators={"term/seasonal": Seasonal})
    with pytest.raises(ConfigurationError, match="no calculator `term/seasonal` is registered"):
        engine(PACE, seasonal)


@for_every(
    ("old", "new", "said"),
    [
        (PACE, 'term = { calculator = "takings_pase" }', "did you mean"),
        (PACE, 'term = { calculator = "takings_pace", months = 3 }', "no setting `months`"),
        (LIMITS, LIMITS.replace("minimum", "minimun"), "did you mean `minimum`?"),
        (LIMITS, LIMITS.replace("GBP 500", "EUR 500"), "GBP"),
        (LIMITS, LIMITS.replace("GBP 500", "GBP 500.001"), "decimals"),
        (LIMITS, LIMITS.replace('"GBP 500"', "true"), "expected an amount"),
        ("months = 10 }", "months = 0 }", "at least one month"),
        ("months = 10 }", 'months = "10" }', "a whole number"),
        ('"12.5%", "15%"]', '"15%", "12.5%"]', "above the one before"),
        ('"12.5%", "15%"]', '"0%", "15%"]', "above 0%"),
        ('"12.5%", "15%"]', '0.125, "15%"]', "in quotes"),
        ('rate = "1.25" }', 'rate = "125%" }', "decimal number"),
        ('rate = "1.25" }', 'rate = "1.2500001" }', "decimals"),
        (BANDS, BANDS.replace(', { rate = "1.16" }', ""), "the last band"),
        (BANDS, BANDS.replace("90%", "120%"), "above the one before, and band 2 has a lower"),
        (BANDS, BANDS.replace('up_to = "110%", ', ""), "and band 2 has none"),
        (BANDS, BANDS.replace("up_to", "upto"), "in place 1: expected bands"),
        (BANDS, BANDS.replace('"1.2"', '"1,2"'), "in place 2: expected a plain decimal"),
        ('rate = "1.25" }', 'rate = "1,25" }', 'write `"1.25"`'),
        (LIMITS, LIMITS.replace("GBP 500", "500 GBP"), 'write `"GBP 500.00"`'),
        (LIMITS, LIMITS.replace("GBP 2000", "GBP 2,000"), 'write `"GBP 2000.00"` or `"GBP 2.00"`'),
        ("months = 10 }", 'months = "10 months" }', "write `10`"),
        ('on = "performance"', 'on = "perfomance"', "did you mean `performance`?"),
    ],
)
def test_an_invalid_choice_of_calculator(old, new, said):
    """
    An unknown calculator or an invalid setting is an error with file and line.
    """
    changed = GB["products.toml"].replace(old, new)
    with pytest.raises(ConfigurationError) as caught:
        engine(old, new)
    fault = next(each for each in caught.value.errors if said in str(each))

    assert fault.file == "GB/products.toml"
    assert fault.source == changed.splitlines()[fault.line - 1]


def test_all_errors_are_raised_together():
    """
    All errors of the products are raised together, those of every version of a product.
    """
    wrong = LIMITS.replace("GBP 500", "EUR 500").replace("GBP 2000", "2000.123")
    with pytest.raises(ConfigurationError) as caught:
        engine(LIMITS, wrong)

    assert len(caught.value.errors) == 2 * GB["products.toml"].count(LIMITS)


@pytest.mark.parametrize("kind", ["limits", "factor_rate", "split_percentage", "term"])
def test_a_calculator_without_an_answer_refers(kind):
    """
    A calculator that returns None makes the product `Referred`, with its configured limits.
    """
    answer = {"__call__": lambda self, *asked: None, "version": 1}
    if kind == "limits":
        configured = engine().jurisdictions.resolve("GB", on=date(2026, 7, 1)).currency
        from holdback.merchant.product import Limits

        bounds = Limits(minimum=Money(1, configured), maximum=Money(2, configured))
        answer |= {"configured": bounds, "step": None}
    own = frozen(type("Own", (), answer))
    line = next(each for each in GB["products.toml"].splitlines() if each.startswith(kind))
    journey = Journey(
        engine(line, f'{kind} = {{ calculator = "own" }}', calculators={f"{kind}/own": own})
    )
    product = journey.ask().products[0]

    assert (product.decision, product.offers) == ("Referred", ())


# -- versions

SEASONAL = 'term = { calculator = "seasonal", months = 7, quiet_share = "60%" }'


def seasonal(version):
    """The class of a calculator like `Seasonal`, with another *version*."""
    return type("Own", (Seasonal,), {"version": version})


class WithoutVersion:
    """A calculator as hosts wrote them for the first version of holdback."""

    __call__ = Seasonal.__call__


@frozen
class VersionAsSetting:
    """A calculator whose version is a setting by mistake."""

    version: int = 1
    __call__ = Seasonal.__call__


@for_every(
    "kind",
    [
        WithoutVersion,
        VersionAsSetting,
        *map(seasonal, (0, -1, True, "1", 1.0, None, Decimal(1), [1], lambda: 1)),
    ],
)
def test_a_calculator_without_a_version_is_refused(kind):
    """
    A host's calculator without a version is refused when the engine is made, with a message that
    teaches.
    """
    with pytest.raises(ConfigurationError) as caught:
        engine(calculators={"term/seasonal": kind})
    (error,) = caught.value.errors

    assert error.message == "the calculator `term/seasonal` does not declare its version"
    assert "`version: ClassVar[int] = 1`" in error.hint
    assert "raise the number when the same settings and facts give another result" in error.hint


@for_every("name", ["pricing", "seasonal", "term", "terms/seasonal", "term/a/b", "", "/", "\x1b/x"])
def test_the_name_of_a_calculator(name):
    """
    A calculator is registered by its kind and its name, such as `term/seasonal`.
    """
    with pytest.raises(ConfigurationError, match="cannot name a calculator") as caught:
        engine(calculators={name: Seasonal})

    assert caught.value.errors[0].hint == "a name is like `term/seasonal`"
    assert caught.value.errors[0].message.isprintable()


def test_all_calculators_without_a_version_at_once():
    """
    All errors are reported at once.
    """
    with pytest.raises(ConfigurationError) as caught:
        engine(calculators={"term/a": WithoutVersion, "x": WithoutVersion, "term/b": Seasonal})

    assert len(caught.value.errors) == 3


def test_the_built_in_versions_are_those_of_the_classes():
    """
    The versions of built-in calculators are data that is known when files are read, and the same
    as the class attributes.
    """
    assert {name: kind.version for name, kind in BUILT_IN.items()} == {
        name: version for name, version in VERSIONS.items() if name != "pricing"
    }
    assert {type(version) for version in VERSIONS.values()} == {int}


def test_the_engine_completes_the_digests():
    """
    The version of a host's calculator is not known until an engine with that calculator binds the
    jurisdictions; `engine.jurisdictions` are those with the complete digests.
    """
    files = {**GB, "products.toml": GB["products.toml"].replace(PACE, SEASONAL)}
    loaded = Jurisdictions(
        [read_jurisdiction("GB", {name: text.encode() for name, text in files.items()})]
    )
    day = date(2026, 7, 1)
    one, two = (
        Engine.for_trial(loaded, calculators={"term/seasonal": seasonal(version)})
        for version in (1, 2)
    )
    before, after, later = (
        jurisdictions.resolve("GB", on=day)
        for jurisdictions in (loaded, one.jurisdictions, two.jurisdictions)
    )

    assert before.versions["term/seasonal"] is None
    assert (after.versions["term/seasonal"], later.versions["term/seasonal"]) == (1, 2)
    assert len({before.digest, after.digest, later.digest}) == 3
    assert before.rules_digest == after.rules_digest == later.rules_digest
    assert {ruleset.digest for ruleset in (after.renewal, *(p.rules for p in after.products))} == {
        after.digest
    }
    assert one.with_jurisdictions(loaded).jurisdictions.resolve("GB", on=day) == after


def test_calculators_that_no_product_names_change_no_digest():
    """
    The digest covers the calculators that the files name, and a built-in one that a host replaces.
    """
    day, pace = date(2026, 7, 1), BUILT_IN["term/takings_pace"]
    replaced = type("Pace", (pace,), {"version": 5})
    plain, unused, other = (
        engine(calculators=calculators).jurisdictions.resolve("GB", on=day)
        for calculators in ({}, {"term/seasonal": Seasonal}, {"term/takings_pace": replaced})
    )

    assert plain.digest == unused.digest
    assert other.versions["term/takings_pace"] == 5
    assert other.digest != plain.digest
