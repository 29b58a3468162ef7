"""The fault: It says that it is sure of its clock, and has not compared it."""

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("wrong clock", "far-clock")


class Host(MemoryHost):
    def context(self, request):
        return evolve(super().context(request), sure=True)
