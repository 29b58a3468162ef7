"""Personal data is in the profile, and nowhere else."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping

from hypothesis import Phase, find, given, settings

from counts import count
from holdback import Context, Engine, HoldbackError, load_jurisdictions, wire
from holdback.exact.exact_json import Verbatim
from holdback.merchant.profile import Profile
from holdback.testing import strategies
from holdback.testing.inputs import run_operation
from journey import Journey

MARK = "Zy7Personal"
NUMBER = "70071.10"
MORE = {f"{MARK}_field": Verbatim(NUMBER)}
# Fields whose values are the merchant's own words or numbers.
PERSONAL = {"consents", "applicants", "company", "intended_use_of_funds", "bank_details", "note"}


def marked_links(*, application_id, **_):
    return {
        "contract_link": f"https://{MARK}.example/{application_id}",
        "merchant_link": f"https://{MARK}.example/m",
    }


JURISDICTIONS = load_jurisdictions()
NAMESPACE = uuid.UUID(int=7)


def engine():
    return Engine(JURISDICTIONS, namespace=NAMESPACE, links=marked_links)


ENGINE = engine()


def marked(value, *, field=None):
    """Return *value* with a mark in every text, and in every profile a name and a number more."""
    if isinstance(value, Mapping):
        inner = {name: marked(item, field=field or _personal(name)) for name, item in value.items()}
        return inner | (MORE if field in {"consents", "applicants", "company"} else {})
    if isinstance(value, list | tuple):
        return [marked(item, field=field) for item in value]
    is_sort_code = type(value) is str and value.replace("-", "").isdigit() and "-" in value
    return f"{MARK} {value}" if field and type(value) is str and not is_sort_code else value


def marked_input(step):
    """Return the input of *step* with a mark; the consents of an operation are flags by name."""
    if step.operation == "record_consents":
        consents = {**step.input["consents"], f"{MARK}_consent": True}
        return {**marked(step.input), "consents": consents}
    return marked(step.input)


def _personal(name):
    return name if name in PERSONAL else None


def carried_out(history):
    """Carry out the steps of *history* with marked data; yield what is stored, said and shown."""
    merchant, profile = history.first, Profile.new(salt=bytes(range(16)))
    for step in history.steps:
        context = Context(
            at=step.at, request_id=step.request_id, evidence=step.evidence, sure=step.sure
        )
        try:
            outcome = run_operation(
                ENGINE, merchant, step.operation, marked_input(step), context, profile
            )
        except HoldbackError as error:
            yield "problem", wire.write_problem(error) + str(error).encode()
            continue
        merchant, profile = outcome.merchant, outcome.profile
        stored = wire.write_stored(outcome)
        yield "state", stored.state
        yield "shown", repr((outcome.merchant, outcome.events, outcome.profile)).encode()
        for event, body in zip(outcome.events, stored.events, strict=True):
            yield "event", body
            record = getattr(event, "assessment", None)
            yield "record", json.dumps(record, default=str).encode()
        if stored.profile is not None and MARK.encode() in stored.profile:
            yield "profile", stored.profile


@settings(max_examples=count("histories with marked profiles"))
@given(strategies.histories())
def test_nothing_but_the_profile_has_personal_data(history):
    """
    "A scan of states, journals, logs, problems and records of histories with marked profiles finds
    none of it outside the profile."
    """
    for kind, body in carried_out(history):
        if kind != "profile":
            assert MARK.encode() not in body, kind
            assert NUMBER.encode() not in body, kind


def test_the_scan_finds_what_it_looks_for():
    """
    The marks are in the profile.
    """
    journey = Journey(ENGINE)
    journey.ask()
    journey.accept()
    assert MARK.encode() in wire.write_profile(journey.profile), "the links"
    deals = strategies.histories(jurisdictions=["GB"], through="deal")
    not_shortened = settings(database=None, phases=[Phase.generate])
    history = find(deals, lambda _: True, settings=not_shortened)

    assert "profile" in {kind for kind, _ in carried_out(history)}
