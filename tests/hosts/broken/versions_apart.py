"""The fault: The version before does not see the keys that the new one has used."""

from types import MappingProxyType

from attrs import evolve

from holdback.testing.conformance import MemoryHost

BREAKS = ("two versions", "restart")


class Before(MemoryHost):
    def close(self):
        """There is nothing to close."""


class Host(MemoryHost):
    cannot = MappingProxyType({"new_process": "its store is in the memory of one process"})

    def previous_version(self):
        return Before(engine=self.engine, store=evolve(self.store, replies={}), requests=10**6)
