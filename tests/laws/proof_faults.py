"""
A hundred faults for copies of the files that ship, each with the one claim that finds it.

They are those that a person makes: a digit, a sign, a day, a word, a rule too many.
"""

from __future__ import annotations

from datetime import date

from fault_edits import (
    PRODUCTS,
    RENEWAL,
    Fault,
    claim,
    more_product_rule,
    more_rule,
    reason,
    require,
    rule,
    second_version,
    switched_off,
    text,
    value,
    when,
)

OLD = date(2024, 6, 1)  # a day on which only the first slice holds


def fault(folder, name, *edits, product=None, on=None):
    return Fault(folder, name, edits, product, on)


# -- somebody passes, and every rule decides

CONTRADICTIONS = {
    "two rules that no deal can meet both of, from the new pace on": fault(
        "GB", "somebody-passes", more_rule("GB-R-90", "performance < 80%", since="2026-07-01")
    ),
    "two rules that only a pace of the past could meet both of": fault(
        "GB",
        "somebody-passes",
        more_rule("GB-R-90", "performance < 75%", until="2026-07-01"),
        on=OLD,
    ),
    "two rules that leave out all by a hundredth of a percent": fault(
        "DE", "somebody-passes", more_rule("DE-R-90", "performance < 89.99%")
    ),
    "a deal nearly repaid of which much is owed": fault(
        "CA", "somebody-passes", more_rule("CA-R-90", "balance > CAD 75000.00")
    ),
    "only old deals, and only short ones": fault(
        "JP",
        "somebody-passes",
        more_rule("JP-R-90", "days_since_funding > 400 days", when="'status == \"Funded\"'"),
        more_rule("JP-R-91", 'status == "Funded"'),
    ),
    "only the deals of merchants with a default": fault(
        "US", "somebody-passes", more_rule("US-R-90", "deals_defaulted >= 1")
    ),
    "in California alone, deals that have paid less than California asks for": fault(
        "US-CA", "somebody-passes", more_rule("US-CA-R-90", "progress < 55%", since="2025-03-01")
    ),
    "in New York alone, for one slice": fault(
        "US-NY",
        "somebody-passes",
        more_rule("US-NY-R-90", "other_advances > 1", since="2026-06-01"),
    ),
    "a merchant off the register that has to be on it": fault(
        "CA-QC", "somebody-passes", more_rule("CA-QC-R-90", 'register_status == "Struck off"')
    ),
    "repaid deals that still owe something": fault(
        "IE",
        "somebody-passes",
        more_rule("IE-R-90", 'status == "Repaid"'),
        more_rule("IE-R-91", "balance > EUR 0.00"),
    ),
    "a rule that asks for two statuses at once": fault(
        "AU", "rule-passes", more_rule("AU-R-90", 'status == "Funded" and status == "Repaid"')
    ),
    "a share between 75% and 75%": fault(
        "JP", "rule-passes", value("highest_trend", "2024-01-01", '"75%"')
    ),
    "more defaults recovered than there were": fault(
        "GB", "rule-passes", more_rule("GB-R-90", "deals_recovered > deals_defaulted")
    ),
    "a funded deal that owes nothing": fault(
        "US",
        "rule-passes",
        more_rule("US-R-90", 'status == "Funded" and balance <= USD 0.00', since="2026-01-01"),
    ),
    "a pace below what is paid down": fault(
        "CA",
        "rule-passes",
        require("CA-R-02", "progress >= smallest_progress and performance < 50%"),
    ),
    "a pause longer than the deal": fault(
        "IE", "rule-passes", require("IE-R-11", "days_in_pause > days_since_funding")
    ),
    "a status that is not a status of the register": fault(
        "CA-QC",
        "rule-passes",
        require("CA-QC-R-03", 'register_status == "Late" and register_status == "Current"'),
    ),
    "two scores at once, for large balances too": fault(
        "DE",
        "rule-passes",
        when("DE-R-09", "balance > credit_checked_above or true"),
        require("DE-R-09", "credit_score >= minimum_credit_score and credit_score < 620"),
    ),
}

ALWAYS_TRUE = {
    "a pace that only those have to keep who have it": fault(
        "CA", "rule-fails", when("CA-R-04", "progress >= nearly_repaid")
    ),
    "a rule that asks for no more than the floor": fault(
        "CA", "rule-fails", value("smallest_progress", "2025-10-01", '"50%"')
    ),
    "a rule that asks for no more than the floor, in the past alone": fault(
        "CA", "rule-fails", value("smallest_progress", "2024-01-01", '"50%"'), on=OLD
    ),
    "a hundredth of a percent under the floor": fault(
        "DE", "rule-fails", value("minimum_progress", "2026-04-01", '"49.99%"')
    ),
    "an or that covers everything": fault(
        "GB",
        "rule-fails",
        require(
            "GB-R-10",
            "deals_completed < 1 or deals_completed >= 1 or balance <= largest_first_balance",
        ),
    ),
    "at most thirty of thirty days missed": fault(
        "US", "rule-fails", value("most_missed", "2024-01-01", "30")
    ),
    "a difference that is always small": fault(
        "AU", "rule-fails", require("AU-R-07", "days_since_last_remittance <= days_since_funding")
    ),
    "a default that was recovered": fault(
        "JP", "rule-fails", require("JP-R-02", "deals_recovered <= deals_defaulted")
    ),
    "what every deal owes or has defaulted on": fault(
        "JP",
        "rule-fails",
        more_rule("JP-R-90", 'balance <= JPY 0 or status == "Funded" or deals_defaulted >= 1'),
    ),
    "performance at least the floor": fault(
        "IE",
        "rule-fails",
        require("IE-R-04", "performance >= recovering_performance"),
        value("recovering_performance", "2024-01-01", '"50%"'),
    ),
    "a repaid deal owes nothing": fault(
        "US-NY",
        "rule-fails",
        when("US-NY-R-03", 'status == "Repaid"'),
        require("US-NY-R-03", 'balance <= USD 0.00 or lien_rank == "First"'),
    ),
    "in California alone": fault(
        "US-CA",
        "rule-fails",
        value("nearly_repaid", "2024-01-01", '"50%"'),
        require("US-CA-R-01", "missed_remittances_30d < 1 or progress >= nearly_repaid"),
    ),
    "in Quebec alone, all the choices there are": fault(
        "CA-QC",
        "rule-fails",
        require("CA-QC-R-03", 'register_status in ["Current", "Late", "Struck off"]'),
    ),
}

NEVER_APPLIES = {
    "a `when` of two types of deal at once": fault(
        "GB", "when-applies", when("GB-R-06", 'deal_type == "Initial" and deal_type == "Renewal"')
    ),
    "a `when` of repaid deals that owe something": fault(
        "CA", "when-applies", when("CA-R-10", 'status == "Repaid" and balance > scored_balance')
    ),
    "a `when` below the floor": fault("CA", "when-applies", when("CA-R-05", "progress < 50%")),
    "a `when` of a balance between two that do not meet": fault(
        "DE", "when-applies", when("DE-R-10", "EUR 8000.00 < balance < EUR 7999.99")
    ),
    "a `when` of a late remittance in a young deal": fault(
        "IE",
        "when-applies",
        when("IE-R-06", "missed_remittances_30d >= 10 and days_since_funding < 10 days"),
    ),
    "a `when` of deals that are paused and not": fault(
        "AU",
        "when-applies",
        when("AU-R-12", "balance >= reviewed_balance and paused and not paused"),
    ),
    "a `when` of a trend that falls and grows": fault(
        "JP", "when-applies", when("JP-R-10", "takings_trend < 75% and takings_trend >= 160%")
    ),
    "a `when` of New York's deals that are repaid and owe much": fault(
        "US-NY",
        "when-applies",
        when("US-NY-R-03", 'status == "Repaid" and balance > review_balance'),
    ),
    "a `when` of California's deals of no type": fault(
        "US-CA",
        "when-applies",
        when("US-CA-R-03", 'deal_type != "Initial" and deal_type != "Renewal"'),
    ),
}

REDUNDANT = {
    "declined at two missed remittances, so none is looked at": fault(
        "GB", "rule-decides", value("most_missed", "2024-01-01", "1")
    ),
    "a rule that asks for less than another": fault(
        "DE", "rule-decides", more_rule("DE-R-90", "progress >= 55%")
    ),
    "a rule that asks for a hundredth of a percent less than another": fault(
        "DE", "rule-decides", more_rule("DE-R-90", "performance >= 89.99%")
    ),
    "a rule that says the same in other words": fault(
        "US", "rule-decides", more_rule("US-R-90", "not (deals_defaulted > 0)")
    ),
    "a rule that asks again whether a deal is repaid or funded": fault(
        "JP", "rule-decides", more_rule("JP-R-90", 'status in ["Funded", "Repaid"]')
    ),
    "a rule of New York that the one of the United States says already": fault(
        "US-NY", "rule-decides", more_rule("US-NY-R-90", "performance >= 70%")
    ),
    "a rule of California that asks for less than it inherits": fault(
        "US-CA", "rule-decides", more_rule("US-CA-R-90", "performance >= 69.99%")
    ),
    "a rule of Quebec that follows from its register": fault(
        "CA-QC", "rule-decides", more_rule("CA-QC-R-90", 'register_status != "Struck off"')
    ),
    "a rule that two others imply together": fault(
        "IE",
        "rule-decides",
        more_rule(
            "IE-R-90",
            "missed_remittances_30d < 1 or days_since_last_remittance <= 7 days",
            when="'status == \"Funded\"'",
        ),
    ),
    "an age that the trading months of the business imply": fault(
        "AU", "rule-decides", more_rule("AU-R-90", "register_defaults <= 2")
    ),
    "nearly repaid before a deal is assessed: two rules for nobody": fault(
        "CA", "rule-decides", value("nearly_repaid", "2024-01-01", '"55%"')
    ),
    "a rule that was redundant in one slice of the past": fault(
        "DE",
        "rule-decides",
        more_rule("DE-R-90", "progress >= 60%", until="2026-04-01", since="2025-11-01"),
        on=date(2026, 1, 1),
    ),
}

DEAD_CLAUSES = {
    "an alternative that another one covers": fault(
        "GB",
        "clause-decides",
        require(
            "GB-R-08",
            "remaining_term_days > 0 days or progress >= overdue_progress or progress >= 95%",
        ),
    ),
    "an alternative below the pace that is asked for": fault(
        "IE",
        "clause-decides",
        require(
            "IE-R-04",
            "performance >= minimum_performance or performance >= "
            "recovering_performance and takings_trend >= recovering_trend"
            " or performance >= 90% and takings_trend >= 100%",
        ),
    ),
    "a condition that the other one contains": fault(
        "JP",
        "clause-decides",
        require(
            "JP-R-04",
            "progress >= first_progress or (deals_completed >= 1 and "
            "progress >= later_progress and progress >= 50%)",
        ),
    ),
    "an alternative that is a hundredth of a percent too high": fault(
        "US-CA",
        "clause-decides",
        require(
            "US-CA-R-01",
            "missed_remittances_30d <= most_missed or "
            "progress >= nearly_repaid or progress >= 85.01%",
        ),
    ),
    "a loyal merchant that needs as much as any": fault(
        "US", "clause-decides", value("loyal_progress", "2025-03-01", '"60%"')
    ),
    "a pace that is enough anyway": fault(
        "AU", "clause-decides", value("recovering_performance", "2025-07-01", '"85%"')
    ),
    "a part of `when` that changes nothing": fault(
        "IE",
        "clause-decides",
        when(
            "IE-R-06",
            'status == "Funded" and missed_remittances_30d >= 1 and '
            "not (missed_remittances_30d == 0)",
        ),
    ),
    "a score that replaces none": fault(
        "CA-QC",
        "clause-decides",
        require(
            "CA-QC-R-01",
            "credit_score >= renewal_credit_score or credit_score >= 700 or "
            "deals_completed >= completed_instead_of_score",
        ),
    ),
    "New York's renewals that need no more than first deals": fault(
        "US-NY", "clause-decides", value("renewal_progress", "2025-09-01", '"60%"')
    ),
    "an alternative of takings that never decides": fault(
        "DE",
        "clause-decides",
        require(
            "DE-R-11",
            "takings_trend >= lowest_trend or months_trading >= long_established"
            " or months_trading >= 120",
        ),
    ),
    "a status that is none of the listed ones": fault(
        "CA",
        "clause-decides",
        when("CA-R-08", 'status == "Funded" and status != "Renewed"'),
    ),
}

ENDED = {
    "a renewed deal renewed again": fault(
        "GB", "ended-fails", require("GB-R-01", 'status in ["Funded", "Repaid", "Renewed"]')
    ),
    "any deal that is not cancelled": fault(
        "US", "ended-fails", require("US-R-01", 'status != "Cancelled"')
    ),
    "statuses that came later are forgotten": fault(
        "AU",
        "ended-fails",
        require("AU-R-01", 'not (status in ["Renewed", "Defaulted", "Cancelled"])', at=1),
    ),
    "an unwound deal alone is forgotten": fault(
        "DE",
        "ended-fails",
        require(
            "DE-R-01", 'not (status in ["Renewed", "Defaulted", "Cancelled", "Recovered"])', at=1
        ),
    ),
    "a cancelled deal is as good as a repaid one": fault(
        "JP",
        "ended-fails",
        require(
            "JP-R-03",
            'status in ["Repaid", "Cancelled"] or (status == "Funded" and '
            "days_since_last_remittance <= longest_silence)",
        ),
    ),
    "any ended deal in Ireland": fault(
        "IE", "ended-fails", require("IE-R-02", 'status == "Funded" or balance <= EUR 0.00')
    ),
    "a deal that defaulted and was recovered": fault(
        "CA", "ended-fails", require("CA-R-01", 'status in ["Funded", "Repaid", "Recovered"]')
    ),
    "New York switches the rule about the status off": fault(
        "US-NY", "ended-fails", switched_off("funded-or-repaid")
    ),
    "California lets cancelled deals in": fault(
        "US-CA",
        "ended-fails",
        more_rule(
            "US-CA-R-90", 'status in ["Funded", "Repaid", "Cancelled"]', name="funded-or-repaid"
        ),
    ),
    "Quebec switches the rule about the status off": fault(
        "CA-QC", "ended-fails", switched_off("funded-or-repaid")
    ),
}

MORE_HURTS = {
    "a sign the wrong way round: at most so much paid down": fault(
        "GB",
        "more-progress-helps",
        require("GB-R-08", "remaining_term_days > 0 days or progress < overdue_progress"),
    ),
    "at most so much paid down, by a sign in `when`": fault(
        "CA", "more-progress-helps", when("CA-R-05", "progress >= nearly_repaid")
    ),
    "at most so good a pace": fault(
        "GB",
        "more-performance-helps",
        require("GB-R-02", "performance >= minimum_performance and performance < 150%"),
    ),
    "a pace that is wrong in a hundredth of a percent": fault(
        "US",
        "more-performance-helps",
        require(
            "US-R-05", "performance >= minimum_performance and not (90% <= performance < 90.01%)"
        ),
    ),
    "a good pace needs a good score": fault(
        "AU",
        "more-performance-helps",
        when("AU-R-12", "balance >= reviewed_balance and performance >= 120%"),
    ),
    "a pace that has to be forgiven": fault(
        "JP",
        "more-performance-helps",
        require("JP-R-08", "missed_remittances_30d < 1 or performance < forgiving_performance"),
    ),
    "nearly repaid deals are not renewed": fault(
        "IE", "more-progress-helps", more_rule("IE-R-90", "progress < 99% or balance <= EUR 0.00")
    ),
    "nearly repaid deals are not renewed in New York": fault(
        "US-NY",
        "more-progress-helps",
        require(
            "US-NY-R-01",
            'progress >= usual_progress and (deal_type == "Initial" or progress < 90%)',
        ),
    ),
    "missed remittances count for those who have nearly repaid": fault(
        "US-CA",
        "more-progress-helps",
        require("US-CA-R-01", "missed_remittances_30d <= most_missed or progress < nearly_repaid"),
    ),
    "a young business in Germany may not be ahead": fault(
        "DE",
        "more-performance-helps",
        require(
            "DE-R-06",
            "performance >= minimum_performance and (performance < 300% or months_trading >= 12)",
        ),
    ),
    "Quebec counts a good pace against the merchant for one slice": fault(
        "CA-QC",
        "more-performance-helps",
        more_rule("CA-QC-R-90", "performance < 500%", since="2026-01-01", until="2026-06-01"),
        on=date(2026, 2, 1),
    ),
}

STATED = {
    "never with a default, and one default is let pass": fault(
        "GB",
        "stated-never",
        require("GB-R-05", "deals_defaulted <= 1"),
    ),
    "never below the pace, and below it by a hundredth of a percent": fault(
        "GB",
        "stated-never",
        claim("never", "performance < 80%", **{"from": "2026-07-01"}),
        value("minimum_performance", "2026-07-01", '"79.99%"'),
    ),
    "always paid down so far, but not in one slice": fault(
        "DE",
        "stated-always",
        claim("always", "progress >= 60%"),
        value("minimum_progress", "2026-04-01", '"59.99%"'),
    ),
    "never with a silent merchant, but a repaid one": fault(
        "US", "stated-never", claim("never", "days_since_last_remittance > 30 days")
    ),
    "what New York has proved of other advances, and a third one": fault(
        "US-NY", "stated-never", value("most_advances", "2024-01-01", "3"), on=OLD
    ),
    "what California has proved, and an exception": fault(
        "US-CA",
        "stated-always",
        require("US-CA-R-02", "disclosure_acknowledged or deals_completed >= 1"),
    ),
    "always on the register, but a late one": fault(
        "CA-QC",
        "stated-always",
        require("CA-QC-R-03", 'register_status != "Late" or deals_completed >= 1'),
    ),
    "New York tightens, and loosens by a hundredth of a percent": fault(
        "US-NY",
        "child-keeps-up",
        value("minimum_performance", "2026-01-15", '"74.99%"'),
    ),
    "New York tightens, and switches a rule off": fault(
        "US-NY", "stated-overlay", switched_off("few-missed")
    ),
    "California tightens, and does not": fault(
        "US-CA", "stated-overlay", claim("overlay", "tighten")
    ),
    "never with a score below so much, but by the other alternative": fault(
        "CA",
        "stated-never",
        claim("never", "credit_score < 600", product="growth"),
        product="growth",
    ),
    "always verified, but of a renewal": fault(
        "JP",
        "stated-always",
        claim("always", "business_verified", product="corner"),
        require("JP-P-12", "business_verified or deals_completed >= 1"),
        product="corner",
    ),
    "never to a merchant with small takings, but for a penny": fault(
        "IE",
        "stated-never",
        claim("never", "average_monthly_takings < EUR 4000.00", product="seasonal"),
        value("seasonal_takings", "2024-01-01", '"EUR 3999.99"', file=PRODUCTS),
        product="seasonal",
    ),
    "never with much that is owed, in the past alone": fault(
        "IE",
        "stated-never",
        claim("never", "balance > EUR 39999.99"),
        on=OLD,
    ),
    "always with some months of trading, but one fewer": fault(
        "AU",
        "stated-always",
        claim("always", "months_trading >= 6", product="boost"),
        value("boost_months_trading", "2024-01-01", "5", file=PRODUCTS),
        product="boost",
    ),
}

OF_PRODUCTS = {
    "nobody is verified and not": fault(
        "GB",
        "rule-passes",
        require("GB-P-01", "identity_verified and not identity_verified"),
        product="flex",
    ),
    "takings between two amounts that do not meet": fault(
        "JP",
        "rule-passes",
        value("corner_largest_takings", "2024-01-01", '"JPY 199999"', file=PRODUCTS),
        product="corner",
    ),
    "an old and a young business at once": fault(
        "US",
        "somebody-passes",
        more_product_rule("US-P-08", "US-P-90", "months_trading < 9"),
        product="advance",
    ),
    "takings by a penny too small for the smallest": fault(
        "CA",
        "somebody-passes",
        more_product_rule("CA-P-08", "CA-P-90", "average_monthly_takings <= CAD 3999.99"),
        product="growth",
    ),
    "a business in Germany that is on the register and not, since a review": fault(
        "DE",
        "somebody-passes",
        more_product_rule("DE-P-17", "DE-P-90", "register_entries >= 1", **{"from": "2026-11-24"}),
        product="solo",
    ),
    "a score that is looked at where it is declined": fault(
        "GB",
        "rule-decides",
        value("flex_credit_review", "2024-01-01", "580", file=PRODUCTS),
        product="flex",
    ),
    "an established business that any has to be": fault(
        "CA",
        "rule-decides",
        value("growth_established_months", "2024-01-01", "9", file=PRODUCTS),
        product="growth",
    ),
    "a young business that is none": fault(
        "US",
        "rule-decides",
        value("settled_months_trading", "2024-01-01", "9", file=PRODUCTS),
        product="advance",
    ),
    "an advance of another provider in New York that is counted twice": fault(
        "US-NY",
        "when-applies",
        when("US-NY-P-07", "other_advances >= 3 and other_advances < 3"),
        product="advance",
    ),
    "any business in Australia": fault(
        "AU",
        "rule-fails",
        require("AU-P-02", "business_verified or register_entry_active or not business_verified"),
        product="boost",
    ),
    "takings that may be anything": fault(
        "AU",
        "rule-fails",
        require(
            "AU-P-14",
            "float_takings <= average_monthly_takings or "
            "average_monthly_takings <= float_most_takings",
        ),
        product="till_float",
        on=date(2025, 8, 1),
    ),
    "a shop that is verified twice": fault(
        "IE",
        "clause-decides",
        require(
            "IE-P-11",
            "identity_verified and business_verified and (identity_verified or "
            "months_trading >= 4)",
        ),
        product="counter",
    ),
    "a check that is never so fresh": fault(
        "JP",
        "rule-fails",
        require("JP-P-05", "credit_score >= standard_credit_score or credit_score < 550"),
        product="standard",
    ),
}

GAPS = {
    "a day between two versions of a rule": fault(
        "GB", "gap", second_version("GB-R-05", "2026-07-31", "2026-08-01"), on=date(2026, 7, 1)
    ),
    "a day in which a default counts for nothing": fault(
        "US", "gap", second_version("US-R-02", "2026-11-30", "2026-12-01")
    ),
    "a month between two versions of a rule": fault(
        "CA", "gap", second_version("CA-R-07", "2026-12-01", "2027-01-01")
    ),
    "a day between what was written for a review and what was there": fault(
        "AU",
        "gap",
        rule("AU-R-01", at=0, end="2026-11-23"),
        on=date(2026, 11, 20),
    ),
    "a day between versions, of statuses": fault(
        "DE", "gap", rule("DE-R-01", at=1, start="2026-11-25")
    ),
    "a day in which the inherited rule is back": fault(
        "US-CA", "gap", second_version("US-CA-R-01", "2026-11-30", "2026-12-01")
    ),
    "a day between two versions in New York": fault(
        "US-NY", "gap", second_version("US-NY-R-02", "2026-11-30", "2026-12-01")
    ),
    "a day without the register of Quebec": fault(
        "CA-QC", "gap", second_version("CA-QC-R-02", "2026-12-30", "2026-12-31")
    ),
    "a day on which a product is not offered": fault(
        "GB",
        "gap",
        text(PRODUCTS, "until = 2026-11-24", "until = 2026-11-23"),
        text(PRODUCTS, "on = 2026-11-23", "on = 2026-11-22", at=1),
        product="starter",
        on=date(2026, 11, 20),
    ),
    "a day on which identity is not looked at": fault(
        "JP", "gap", second_version("JP-P-01", "2026-11-30", "2026-12-01"), product="standard"
    ),
    "a day between versions in the past": fault(
        "IE", "gap", second_version("IE-R-03", "2025-01-31", "2025-02-01"), on=OLD
    ),
}

IN_SENTENCES = {
    "a sentence with the pace of before": fault(
        "GB",
        "reason-figure",
        reason("GB-R-02", "The pace is {performance}; at least 75% is needed."),
    ),
    "a sentence with a figure by a hundredth off": fault(
        "DE",
        "reason-figure",
        reason("DE-R-06", "The pace is {performance}; at least 90,01 % is needed."),
    ),
    "a sentence with other days": fault(
        "US",
        "reason-figure",
        reason("US-R-06", "Nothing for {days_since_last_remittance}; at most 10 days may pass."),
    ),
    "a sentence with another amount": fault(
        "CA",
        "reason-figure",
        reason("CA-R-06", "The balance is {balance}; at most $70,000.00 may be left."),
    ),
    "a sentence that California makes wrong": fault(
        "US-CA",
        "reason-figure",
        reason("US-CA-R-03", "Months of trading: {months_trading}; at least 12 months are needed."),
    ),
    "a sentence about a score": fault(
        "AU",
        "reason-figure",
        reason("AU-P-06", "The score is {credit_score}; below 600 a person looks at it."),
        product="boost",
    ),
    "a sentence about takings": fault(
        "JP",
        "reason-figure",
        reason(
            "JP-P-04", "Monthly takings of ¥450,000 are needed; they are {average_monthly_takings}."
        ),
        product="standard",
    ),
}

PRICES = {
    "a renewal discount that is the rate": fault(
        "GB",
        "free-money",
        text(PRODUCTS, 'renewal_discount = "0.01"', 'renewal_discount = "0.5"'),
        product="flex",
    ),
    "a renewal discount that is the whole charge": fault(
        "CA",
        "free-money",
        text(PRODUCTS, 'renewal_discount = "0.01"', 'renewal_discount = "0.14"'),
        product="seasonal",
    ),
    "a rate of one": fault(
        "GB", "free-money", text(PRODUCTS, 'rate = "1.25"', 'rate = "1"', at=1), product="starter"
    ),
    "a rate of one in the best band": fault(
        "AU", "free-money", text(PRODUCTS, 'rate = "1.15"', 'rate = "1.00"'), product="boost"
    ),
    "a renewal of the bridge for nothing": fault(
        "US",
        "free-money",
        text(PRODUCTS, 'renewal_discount = "0.015"', 'renewal_discount = "0.2"'),
        product="bridge",
    ),
    "bands from the best to the worst": fault(
        "DE", "rising-price", text(PRODUCTS, 'rate = "1.14"', 'rate = "1.24"'), product="growth"
    ),
    "the middle band dearer than the first": fault(
        "US-NY",
        "rising-price",
        text(PRODUCTS, 'rate = "1.26"', 'rate = "1.36"'),
        product="advance",
    ),
    "a hundredth dearer for those who come back": fault(
        "JP",
        "rising-price",
        text(PRODUCTS, 'rate = "1.12"', 'rate = "1.1501"'),
        product="standard",
    ),
    "a better pace that costs more": fault(
        "GB", "rising-price", text(PRODUCTS, 'rate = "1.16"', 'rate = "1.26"'), product="flex"
    ),
    "a rate without its point": fault(
        "IE",
        "implausible-price",
        text(PRODUCTS, 'rate = "1.17"', 'rate = "11.7"'),
        product="seasonal",
    ),
    "a step larger than the most": fault(
        "DE",
        "no-offer",
        text(PRODUCTS, 'step = "EUR 500"', 'step = "EUR 500000"'),
        product="growth",
    ),
    "a discount of all that is left": fault(
        "GB",
        "free-money",
        text(PRODUCTS, 'percentage = "50%"', 'percentage = "100%"'),
        product="starter",
    ),
}

IN_FILES = {
    "a year in another century": fault(
        "GB",
        "far-date",
        text(RENEWAL, 'from = 2026-07-01, value = "80%"', 'from = 2206-07-01, value = "80%"'),
    ),
    "an end in another century": fault("US-NY", "far-date", rule("US-NY-R-02", end="2062-06-01")),
    "a first day in another century": fault("JP", "far-date", rule("JP-R-11", start="2206-11-24")),
    "seven percent for seventy": fault(
        "GB", "jump", value("minimum_performance", "2026-07-01", '"7%"')
    ),
    "eight of ten rules off in California": fault(
        "US-CA",
        "switched-off-rules",
        switched_off(
            "no-default",
            "paid-down",
            "on-pace",
            "remitting",
            "balance-within-takings",
            "large-balance",
            "slowing",
        ),
    ),
    "nine of ten rules off in Quebec": fault(
        "CA-QC",
        "switched-off-rules",
        switched_off(
            "paid-down",
            "defaults-outweighed",
            "on-pace",
            "few-missed",
            "balance-within-bounds",
            "steady-takings",
            "still-remitting",
            "not-paused",
        ),
    ),
    "nine of eleven rules off in New York": fault(
        "US-NY",
        "switched-off-rules",
        switched_off(
            "no-default",
            "on-pace",
            "remitting",
            "few-missed",
            "large-balance",
            "balance-within-takings",
            "recent-check",
            "slowing",
            "not-paused",
        ),
    ),
    "progress of an application": fault(
        "GB",
        "never-accepted",
        more_product_rule("GB-P-08", "GB-P-90", "progress >= 50%"),
        product="flex",
    ),
    "missed remittances of an application": fault(
        "IE",
        "never-accepted",
        require("IE-P-12", "missed_remittances_30d <= 5"),
        reason("IE-P-12", "Remittances are missing."),
        product="counter",
    ),
    "the pace of an application": fault(
        "CA",
        "never-accepted",
        more_product_rule("CA-P-16", "CA-P-90", "performance >= 50%"),
        product="seasonal",
    ),
}

FAULTS = (
    CONTRADICTIONS | ALWAYS_TRUE | NEVER_APPLIES | REDUNDANT | DEAD_CLAUSES | ENDED | MORE_HURTS
    | STATED | OF_PRODUCTS | GAPS | IN_SENTENCES | PRICES | IN_FILES
)  # fmt: skip
