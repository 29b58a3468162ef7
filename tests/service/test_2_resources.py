"""Service 2: resources and their fields."""

from __future__ import annotations

import json
import uuid
from decimal import Decimal

import attrs
import pytest

import wire_samples
from every_case import for_every
from holdback import InvalidDocument, wire
from holdback.merchant import deal as deals
from holdback.merchant import offer as offers
from holdback.merchant import product as products
from wire_samples import with_application, without

INITIAL = {
    "application": {
        "merchant_id": "m-1",
        "provider_id": None,
        "intended_use_of_funds": "New ovens",
        "currency": "GBP",
    },
    "consents": {"credit_check": True},
    "applicants": [{"name": "A. Person"}],
    "company": {"name": "Nine Lives Ltd"},
}
DETAILS = {
    "account_number": "12345678",
    "bank_name": "Bank of Somewhere",
    "account_type": "NONE",
    "sort_code": "04-00-04",
}
RENEWAL = {"application": {"merchant_id": "m-1", "provider_id": "p-1", "currency": "GBP"}}


def written(reply):
    """
    Return *reply* as a partner reads it, with exact numbers.
    """
    return json.loads(wire.write(reply), parse_float=Decimal, object_pairs_hook=dict)


def read(body):
    return wire.read_offers_request(json.dumps(body).encode())


def paths(body, reader=read):
    """
    Return the JSON paths of the errors in *body*.
    """
    with pytest.raises(InvalidDocument) as caught:
        reader(body)
    return {error.path for error in caught.value.errors}


@for_every("name", wire_samples.REPLIES)
def test_bodies_are_json(name):
    """
    "All bodies are JSON." (service 2)
    """
    assert isinstance(written(wire_samples.REPLIES[name]), dict)


def test_field_names_are_exact():
    """
    "Field names are exact." (service 2) Another spelling is an unknown field, reported with a hint.
    """
    with pytest.raises(InvalidDocument, match="did you mean `merchant_id`"):
        read({**RENEWAL, "application": {"merchantId": "m-1", "currency": "GBP"}})


class TestOffersRequest:
    """
    Service 2.1: offers request.
    """

    def test_application_is_required(self):
        """
        The application block is required (service 2.1).
        """
        assert paths(without(INITIAL, "application")) == {"$.application"}
        assert paths({**RENEWAL, "application": "m-1"}) == {"$.application"}

    @pytest.mark.parametrize("name", ["consents", "applicants", "company"])
    def test_the_profile_is_initial_only(self, name):
        """
        Consents, applicants and company are required in an initial application and refused in a
        renewal (service 2.1).
        """
        assert getattr(read(INITIAL), name).value == INITIAL[name]
        assert paths(without(INITIAL, name)) == {f"$.{name}"}
        assert paths({**RENEWAL, name: INITIAL[name]}) == {f"$.{name}"}
        assert paths({**INITIAL, name: "text"}) == {f"$.{name}"}

    def test_applicants_are_objects(self):
        """
        `applicants` is an array of objects (service 2.1).
        """
        assert paths({**INITIAL, "applicants": ["A. Person"]}) == {"$.applicants[0]"}
        assert paths({**INITIAL, "applicants": {}}) == {"$.applicants"}

    def test_the_profile_is_not_looked_into(self):
        """
        The interface leaves open "the fields of consents, applicants and company" (service 2.1).
        Their content is kept unchanged.
        """
        text = '{"share":0.10,"at":[null,true,{"n":12345678901234567890.12345678}]}'
        body = json.dumps({**INITIAL, "company": "@"}).replace('"@"', text)

        assert wire.read_offers_request(body).company.text == text

    def test_the_merchant_id_is_the_partners_own(self):
        """
        "The partner's own identifier of the merchant." (service 2.1) Both kinds of application send
        it.
        """
        for body in (INITIAL, RENEWAL):
            assert (
                read(with_application(body, merchant_id="Bäckerei #7")).application.merchant_id
                == "Bäckerei #7"
            )
            missing = {**body, "application": without(body["application"], "merchant_id")}
            assert paths(missing) == {"$.application.merchant_id"}

    def test_a_provider_id_makes_the_request_a_renewal(self):
        """
        "A `provider_id` with a value makes the request a renewal." (service 2.1)
        """
        assert not read(INITIAL).renewal
        assert read(RENEWAL).renewal
        assert read(RENEWAL).application.provider_id == "p-1"

    def test_an_empty_provider_id_is_neither(self):
        """
        An empty `provider_id` is an error (decisions/applications#initial-or-renewal).
        """
        assert paths(with_application(INITIAL, provider_id="")) == {"$.application.provider_id"}

    def test_the_intended_use_is_free_text(self):
        """
        "What the money is for, in free text." (service 2.1) A renewal omits it.
        """
        assert read(INITIAL).application.intended_use_of_funds == "New ovens"
        assert read(RENEWAL).application.intended_use_of_funds is None
        assert paths(with_application(INITIAL, intended_use_of_funds=7)) == {
            "$.application.intended_use_of_funds"
        }

    def test_an_intended_use_that_was_omitted_is_asked_for_later(self):
        """
        "They may contact the merchant for data that the offers request omitted." (service 1)
        """
        application = without(INITIAL["application"], "intended_use_of_funds")

        assert read({**INITIAL, "application": application})

    def test_the_currency_is_a_code(self):
        """
        "A currency code, such as `GBP`." (service 2.1) Both kinds of application send it.
        """
        for body in (INITIAL, RENEWAL):
            assert read(body).application.currency == "GBP"
            for wrong in ("Pounds", "gbp", "", 826, None):
                assert paths(with_application(body, currency=wrong)) == {"$.application.currency"}
            missing = {**body, "application": without(body["application"], "currency")}
            assert paths(missing) == {"$.application.currency"}

    def test_a_renewal_is_the_application_alone(self):
        """
        "A renewal request contains only the application block." (service 2.1)
        """
        assert paths({**INITIAL, **RENEWAL}) == {"$.consents", "$.applicants", "$.company"}

    def test_there_are_no_other_fields(self):
        """
        An unknown field is an error (decisions/wire#strict-where-the-field-is-ours).
        """
        assert paths({**RENEWAL, "version": 2}) == {"$.version"}
        assert paths(with_application(RENEWAL, email="a@example")) == {"$.application.email"}


class TestOffersResponse:
    """
    Service 2.2: offers response.
    """

    def test_the_response_has_products_and_an_expiry(self):
        """
        `products` and `expiresAt`; of the products, "One for each financing product." (service 2.2)
        """
        body = written(wire_samples.OFFERS)

        assert list(body) == ["products", "expiresAt"]
        assert len(body["products"]) == len(wire_samples.OFFERS.products)

    def test_expires_at_is_a_timestamp(self):
        """
        "When the set of offers expires." (service 2.2) It is RFC 3339, in UTC and whole seconds.
        """
        assert written(wire_samples.OFFERS)["expiresAt"] == "2026-07-31T10:00:00Z"
        assert wire.read_timestamp("2026-07-31T10:00:00Z") == wire_samples.OFFERS.expires_at

    def test_the_shape_is_the_same_for_initial_and_renewal(self):
        """
        "The response has the same shape for initial and renewal requests." (service 2.2) The reply
        has no field of the request.
        """
        names = {field.name for field in attrs.fields(products.Offers)}

        assert names == {"products", "expires_at"}
        assert list(written(wire_samples.DECLINED)) == list(written(wire_samples.OFFERS))

    def test_the_fields_of_a_product(self):
        """
        A product has the fields of its table, in that order (service 2.2).
        """
        (product,) = written(wire_samples.OFFERS)["products"]

        assert list(product) == [
            "product_id",
            "name",
            "description",
            "decision",
            "repayment_mechanism",
            "limits",
            "offers",
        ]
        assert str(uuid.UUID(product["product_id"])) == product["product_id"]
        for name in ("name", "description", "decision", "repayment_mechanism"):
            assert isinstance(product[name], str)

    def test_a_product_can_be_accepted(self):
        """
        `decision`: "For example `Accepted`." `repayment_mechanism`: "For example `terminal_split`."
        (service 2.2)
        """
        (product,) = written(wire_samples.OFFERS)["products"]

        assert product["decision"] == products.ACCEPTED == "Accepted"
        assert product["repayment_mechanism"] == "terminal_split"

    def test_limits_are_two_numbers(self):
        """
        `limits` has two numbers, "The bounds of the product's amount." (service 2.2)
        """
        (product,) = written(wire_samples.OFFERS)["products"]

        assert product["limits"] == {"minimum": Decimal("1000.00"), "maximum": Decimal("30000.00")}
        assert list(product["limits"]) == ["minimum", "maximum"]

    def test_a_product_without_offers_has_the_same_fields(self):
        """
        Only an `Accepted` product has offers; `limits` and `expiresAt` are always present
        (decisions/offers#the-decision-on-a-product).
        """
        for product in written(wire_samples.DECLINED)["products"]:
            assert list(product) == list(written(wire_samples.OFFERS)["products"][0])
            assert product["offers"] == []

    def test_the_fields_of_an_offer(self):
        """
        An offer has the fields of its table, in that order (service 2.2).
        """
        offer = written(wire_samples.OFFERS)["products"][0]["offers"][0]

        assert list(offer) == [
            "offer_id",
            "offer_status",
            "description",
            "split_percentage",
            "term_length",
            "repayment_amount",
            "funded_amount",
            "factor_rate",
            "currency",
        ]
        assert str(uuid.UUID(offer["offer_id"])) == offer["offer_id"]
        for name in ("offer_status", "description", "currency"):
            assert isinstance(offer[name], str)

    def test_an_offer_can_be_eligible(self):
        """
        `offer_status`: "For example `Eligible`." (service 2.2)
        """
        offer = written(wire_samples.OFFERS)["products"][0]["offers"][0]

        assert offer["offer_status"] == offers.ELIGIBLE == "Eligible"

    @pytest.mark.parametrize(
        ("name", "number"),
        [
            ("split_percentage", b"12.5"),
            ("term_length", b"9.5"),
            ("repayment_amount", b"5900.00"),
            ("funded_amount", b"5000.00"),
            ("factor_rate", b"1.18"),
        ],
    )
    def test_the_figures_of_an_offer_are_exact_numbers(self, name, number):
        """
        The figures of an offer are numbers. The interface leaves open "the units of monetary
        amounts and of term_length" (service 2.2): they are major units and months.
        """
        assert b'"%s":%s,' % (name.encode(), number) in wire.write(wire_samples.OFFERS)

    def test_the_currency_of_an_offer_is_a_code(self):
        """
        "A currency code." (service 2.2)
        """
        assert written(wire_samples.OFFERS)["products"][0]["offers"][0]["currency"] == "GBP"


class TestAcceptRequest:
    """
    Service 2.3: accept request.
    """

    def test_the_body_and_its_bank_details_are_optional(self):
        """
        "The body is optional. It may hold an object `bank_details`, which is optional too" (service
        2.3)
        """
        for body in (None, b"", b"{}"):
            assert wire.read_accept_request(body) is None

    def test_bank_details_have_four_text_fields(self):
        """
        Bank details have the four fields of their table, all strings (service 2.3).
        """
        body = json.dumps({"bank_details": DETAILS})

        assert wire.read_accept_request(body).given == DETAILS
        for name in DETAILS:
            wrong = {"bank_details": {**DETAILS, name: 7}}
            assert paths(wrong, wire.read_accept_request) == {f"$.bank_details.{name}"}

    def test_there_are_no_other_fields(self):
        """
        An unknown field is an error (decisions/wire#strict-where-the-field-is-ours).
        """
        wrong = {"bank_details": {**DETAILS, "iban": "x"}, "offer": {}}

        assert paths(wrong, wire.read_accept_request) == {"$.bank_details.iban", "$.offer"}

    def test_an_account_type_passes_through(self):
        """
        `account_type`: "For example `NONE`." (service 2.3) The interface leaves open "the complete
        sets of values" (service 2.5).
        """
        for value in ("NONE", "SAVINGS"):
            body = {"bank_details": {**DETAILS, "account_type": value}}
            assert wire.read_accept_request(body).account_type == value

    def test_a_sort_code_is_groups_of_digits(self):
        """
        "Groups of digits, separated by hyphens." (service 2.3)
        """
        for wrong in ("040004", "04-00-0x", "-04-00", "04--00", "04 00 04"):
            body = {"bank_details": {**DETAILS, "sort_code": wrong}}
            assert paths(body, wire.read_accept_request) == {"$.bank_details.sort_code"}


class TestAcceptResponse:
    """
    Service 2.4: accept response.
    """

    def test_the_response_has_four_fields(self):
        """
        The reply has the four fields of its table; the ids are in UUID form (service 2.4).
        """
        body = written(wire_samples.ACCEPTANCE)

        assert list(body) == ["application_id", "provider_id", "offer", "links"]
        for name in ("application_id", "provider_id"):
            assert str(uuid.UUID(body[name])) == body[name]

    def test_the_offer_is_the_full_offer(self):
        """
        The interface leaves open "the fields of the offer in the accept response" (service 2.4).
        They are those of service 2.2, with the status `Accepted`.
        """
        offered = written(wire_samples.OFFERS)["products"][0]["offers"][0]
        accepted = written(wire_samples.ACCEPTANCE)["offer"]

        assert accepted == {**offered, "offer_status": "Accepted"}
        assert list(accepted) == list(offered)

    def test_links_hold_at_least_two_keys(self):
        """
        "`links` contains at least two keys" (service 2.4) The host may add its own.
        """
        links = written(wire_samples.ACCEPTANCE)["links"]

        assert list(links)[:2] == ["contract_link", "merchant_link"]
        assert links["help_link"] == "https://help.example/"


class TestMerchantLookup:
    """
    Service 2.5: merchant lookup response.
    """

    @pytest.fixture
    def deal(self):
        return written(deals.MerchantLookup(deals=(wire_samples.STANDING,)))["deals"][0]

    def test_it_is_an_object_with_deals(self):
        """
        "An object with `deals`, an array of deals." (service 2.5)
        """
        assert list(written(wire_samples.REPLIES["merchant_lookup_with_ledger"])) == ["deals"]
        assert written(wire_samples.REPLIES["merchant_lookup_empty"]) == {"deals": []}

    def test_the_fields_of_a_deal(self, deal):
        """
        A deal has the fields of its table, in that order (service 2.5).
        """
        assert list(deal) == [
            "id",
            "application_id",
            "type",
            "status",
            "active",
            "balance",
            "currency",
            "performance",
            "pricing",
            "transactions",
        ]
        for name in ("id", "application_id", "type", "status", "currency"):
            assert isinstance(deal[name], str)

    def test_a_deal_can_be_initial_and_funded(self, deal):
        """
        `type`: "For example `Initial`." `status`: "For example `Funded`." (service 2.5)
        """
        assert deal["type"] == deals.INITIAL == "Initial"
        assert deal["status"] == deals.FUNDED == "Funded"

    @pytest.mark.parametrize("status", deals.STATUSES)
    def test_active_is_true_for_the_one_active_deal(self, status):
        """
        "True for the merchant's one active deal." (service 2.5)
        """
        deal = attrs.evolve(
            wire_samples.STANDING, deal=attrs.evolve(wire_samples.DEAL, status=status)
        )

        assert wire.to_dict(deal)["active"] is (status == "Funded")

    def test_the_balance_is_a_number(self, deal):
        """
        `balance` is a number, in `currency`: "A currency code." (service 2.5)
        """
        assert deal["balance"] == Decimal("5899.93")
        assert deal["currency"] == "GBP"

    def test_performance_is_two_numbers_and_a_flag(self, deal):
        """
        "The numbers `performance` and `progress`, and the boolean `renewal_eligibility`." (service
        2.5)
        """
        assert deal["performance"] == {
            "performance": Decimal("97.5"),
            "progress": Decimal("0.0011"),
            "renewal_eligibility": False,
        }
        assert list(deal["performance"]) == ["performance", "progress", "renewal_eligibility"]
        assert deal["performance"]["renewal_eligibility"] is False

    def test_pricing_is_an_object(self, deal):
        """
        The interface leaves open "the fields of pricing and transactions" (service 2.5). Pricing
        has the terms of the offer (decisions/deals#pricing-and-transactions).
        """
        assert list(deal["pricing"]) == [
            "funded_amount",
            "repayment_amount",
            "factor_rate",
            "split_percentage",
            "term_length",
        ]
        assert deal["pricing"]["funded_amount"] == Decimal("5000.00")

    def test_transactions_are_an_array(self, deal):
        """
        The interface leaves open "the fields of pricing and transactions" (service 2.5). Each
        transaction is an entry (decisions/deals#pricing-and-transactions); a reversal names its
        entry, and its amount is negative.
        """
        names = ["id", "date", "kind", "amount", "takings", "status"]

        assert [list(transaction) for transaction in deal["transactions"]] == [
            names,
            names,
            [*names, "reverses"],
            names,
        ]
        assert [transaction["status"] for transaction in deal["transactions"]] == [
            "Reversed",
            "Settled",
            "Reversal",
            "Unsettled",
        ]

    def test_a_ledger_is_shown_with_its_kinds(self):
        """
        Every kind of entry is a transaction with its `kind`, `status` and a sign: what lowers the
        amount owed is above zero (decisions/deals#pricing-and-transactions).
        """
        standing = attrs.evolve(wire_samples.STANDING, deal=wire_samples.LEDGER_DEAL)
        shown = json.loads(wire.write(standing), parse_float=Decimal)["transactions"]

        assert [(line["kind"], line["amount"], line["status"]) for line in shown] == [
            ("carried_forward", Decimal("15.00"), "Settled"),
            ("remittance", Decimal("100.00"), "Reversed"),
            ("remittance", Decimal("0.07"), "Settled"),
            ("reversal", Decimal("-100.00"), "Reversal"),
            ("remittance", Decimal("12.50"), "Unsettled"),
            ("payment", Decimal("250.00"), "PartlyReversed"),
            ("reversal", Decimal("-50.00"), "Reversal"),
            ("transfer", Decimal("-20.00"), "Settled"),
            ("write_off", Decimal("30.00"), "Settled"),
        ]

    def test_vocabularies_are_open(self):
        """
        The interface leaves open "the complete sets of values" (service 2.5): an unknown value
        passes through.
        """
        offer = wire_samples.offer(1, offer_status="Paused")
        product = wire_samples.product(decision="Countered", repayment_mechanism="direct_debit")
        reply = products.Offers(
            products=(attrs.evolve(product, offers=(offer,)),), expires_at=wire_samples.EXPIRES
        )
        (body,) = written(reply)["products"]

        assert body["decision"] == "Countered"
        assert body["repayment_mechanism"] == "direct_debit"
        assert body["offers"][0]["offer_status"] == "Paused"
        for field, value in (("status", "Frozen"), ("type", "TopUp")):
            deal = attrs.evolve(wire_samples.DEAL, **{field: value})
            assert wire.to_dict(attrs.evolve(wire_samples.STANDING, deal=deal))[field] == value
