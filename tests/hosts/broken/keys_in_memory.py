"""The fault: It keeps keys in the memory of its process, where another process cannot see them."""

import tempfile
from pathlib import Path

from conforming import ConformingSqlite

from holdback import Engine
from holdback.testing.conformance import Worker

BREAKS = ("restart", "restart")


class Host(ConformingSqlite):
    def __init__(self, path=None):
        path = path or Path(tempfile.mkdtemp(prefix="holdback-")) / "holdback.db"
        super().__init__(path, Engine.for_trial())
        self.answered = {}

    def handle(self, operation, input, *, key, at):
        partner_key = (input["partner"], key)
        if key is None or partner_key not in self.answered:
            answer = super().handle(operation, input, key=None, at=at)
            if answer[0] != 200:
                return answer
            self.answered[partner_key] = answer
        return self.answered[partner_key] if key is not None else answer

    def new_process(self):
        return Worker("broken.keys_in_memory:Host", self.path)
