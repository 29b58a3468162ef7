"""The fault: it remembers keys in the memory of its process, which another one does not have."""

import tempfile
from pathlib import Path

from conforming import ConformingSqlite

from holdback import Engine
from holdback.testing.conformance import Worker

BREAKS = ("restart", "restart")


class Host(ConformingSqlite):
    def __init__(self, path=None):
        folder = path or Path(tempfile.mkdtemp(prefix="holdback-")) / "holdback.db"
        super().__init__(folder, Engine.bundled())
        self.answered = {}

    def handle(self, operation, input, *, key, at):
        who = (input["partner"], key)
        if key is None or who not in self.answered:
            answer = super().handle(operation, input, key=None, at=at)
            if answer[0] != 200:
                return answer
            self.answered[who] = answer
        return self.answered[who] if key is not None else answer

    def new_process(self):
        return Worker("broken.keys_in_memory:Host", self.path)
