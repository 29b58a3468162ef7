"""The operation `disclose`: what the law of a jurisdiction asks to be shown of an offer."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, get_args

from attrs import field

from holdback.errors import InvalidDocument
from holdback.exact.exact_json import Json
from holdback.exact.money import Money
from holdback.frozen_classes import FrozenMapping, frozen, frozen_texts
from holdback.lifecycle.context import FactValues, exact_values
from holdback.lifecycle.input_checks import disclosure_errors
from holdback.lifecycle.operation import Case, Decision, PersonalCommand
from holdback.merchant.disclosure import Frequency, OfferDisclosure
from holdback.merchant.validators import amount, one_of, optional, text


def _facts(facts: FactValues) -> Mapping[str, Json]:
    return FrozenMapping(exact_values(facts, "$.facts"))


def _texts(texts: Mapping[str, str]) -> Mapping[str, str]:
    return frozen_texts(texts) if isinstance(texts, Mapping) else texts


def _all_texts(_: Any, __: Any, value: Any) -> None:
    if not isinstance(value, Mapping):
        raise InvalidDocument.of("wrong_type", "expected texts by name", path="$.texts")
    for name, said in value.items():
        text(None, SimpleNamespace(name=f"texts.{name}"), said)


@frozen(kw_only=True)
class Disclose(PersonalCommand[OfferDisclosure]):
    """
    Disclose an offer: what the law asks to be shown of it, and whether that is due.

    The offer is open, or accepted and not funded yet. Payments are projected from
    `monthly_takings`, by default the average with which the offers were priced. `facts` are those
    on which exemptions rest, and `texts` what the host states in words. The same input has the same
    reply, on a later day too; another one is disclosed, and signed, anew.

    Raises:
        Refusal: `offer_not_found`, `offers_expired`, `offer_withdrawn`, `already_accepted`, or
            `not_possible_now` where no law asks for it.
        InvalidDocument: with every fact, text and fee that is wrong; or there is no rate.
    """

    name = "disclose"
    remembered = False
    input_errors = staticmethod(disclosure_errors)

    offer_id: str = field(validator=text)
    frequency: Frequency = field(default="daily", validator=one_of(*get_args(Frequency)))
    monthly_takings: Money | None = field(default=None, validator=optional(amount))
    withheld: Money | None = field(default=None, validator=optional(amount))
    paid_separately: Money | None = field(default=None, validator=optional(amount))
    later_charges: Money | None = field(default=None, validator=optional(amount))
    third_parties: Money | None = field(default=None, validator=optional(amount))
    facts: Mapping[str, Json] = field(factory=FrozenMapping, converter=_facts, repr=False)
    texts: Mapping[str, str] = field(
        factory=FrozenMapping, converter=_texts, validator=_all_texts, repr=False
    )

    def decide(self, case: Case) -> Decision[OfferDisclosure]:
        self.check(case.input_context)
        # Few jurisdictions have a law, and a host of others loads nothing of it.
        from holdback.lifecycle.offers.disclosure_decision import decided  # noqa: PLC0415 - few have a law

        return decided(self, case)
