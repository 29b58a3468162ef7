"""An application that is declined after its acceptance says why in the list of applications."""

from __future__ import annotations

import json

from test_money_put_right import BRIDGE, deal_of, renewing

from holdback import wire
from holdback.operations import AskApplications, CloseApplication
from journey import Journey


def last_event(story_or_journey):
    return json.loads(wire.write_event(story_or_journey.events[-1]))


def closed(status):
    """A journey whose accepted application was closed, and how its list shows it."""
    journey = Journey()
    journey.ask()
    journey.accept()
    journey.do(CloseApplication(application_id=journey.acceptance.application_id, status=status))
    (application,) = journey.do(AskApplications()).applications
    return journey, application


def test_a_person_declined_it():
    """
    An application that a person declined has the code of that reason, in the event and in the list.
    """
    journey, application = closed("declined")

    assert (application.status, application.codes) == ("declined", ("PERSON",))
    assert last_event(journey)["code"] == "PERSON"
    assert wire.to_dict(journey.do(AskApplications()))["applications"][0]["codes"] == ["PERSON"]


def test_a_merchant_withdrew_it():
    """
    One that was withdrawn needs no reason: nobody declined it.
    """
    journey, application = closed("withdrawn")

    assert (application.status, application.codes) == ("withdrawn", ())
    assert "code" not in last_event(journey)


def test_the_deal_that_it_waited_for_ended_early():
    """
    A queued renewal that ends with its base deal says that, and not that a person declined it.
    """
    story = renewing()
    offer = story.reply["products"][BRIDGE]["offers"][0]
    queued = story.after("accept_offer", {"offer_id": offer["offer_id"]})
    deal_id = deal_of(queued).id
    ended = queued.later(days=1).after("close_deal", {"deal_id": deal_id, "status": "defaulted"})
    applications = ended.after("applications").reply["applications"]

    declined = [each for each in applications if each["status"] == "declined"]
    assert [each["codes"] for each in declined] == [["ENDED"]]
