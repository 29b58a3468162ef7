"""The fault: It refuses every request for offers once its rules have changed."""

from holdback import Refusal
from holdback.testing.conformance import MemoryHost
from holdback.testing.conformance.simulated.rule_changes import graded_rules, rules

BREAKS = ("changed rules", "still-served")


class Host(MemoryHost):
    def carry_out(self, request, merchant):
        before = (rules(changed=False), graded_rules())
        if request.operation == "request_offers" and self.engine.jurisdictions not in before:
            raise Refusal("not_possible_now", "the rules have changed")
        return super().carry_out(request, merchant)
