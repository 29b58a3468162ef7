"""
The processes of one version in a fleet: each has a host, and is asked by lines of JSON.

`fleet.py` starts this with the import path of the version. It imports the version once, and says
from where; then it forks a process for each line on its standard input, which names the socket that
asks the process, the factory of its host with its arguments, and the folder of other rules than
those that ship, if any.
"""

from __future__ import annotations

import json
import os
import pkgutil
import signal
import socket
import sys
from datetime import datetime


class Serving:
    """A conformance host, behind questions and answers that are JSON."""

    def __init__(self, host):
        self.host = host

    def is_ready(self):
        return True

    def open(self):
        self.host.open()

    def handle(self, operation, given, key, at, crash):
        self.host.crash(crash)
        given = {**given, "body": given["body"].encode()}
        at = datetime.fromisoformat(at)
        status, body = self.host.handle(operation, given, key=key, at=at)
        return status, body.decode()

    def history(self, partner, merchant_id):
        return [event.decode() for event in self.host.history(partner, merchant_id)]

    def publish(self, partner, merchant_id, crash, sent, publications):
        """Publish what is due, after all that the fleet has `sent`, and return the new `sent`."""
        self.host.sent[:] = [(url, body.encode()) for url, body in sent]
        self.host.publications = publications
        self.host.crash(crash)
        events = None
        try:
            events = self.host.published(partner, merchant_id)
        except crashed():
            pass
        else:
            events = [event.decode() if isinstance(event, bytes) else event for event in events]
        return events, [(url, body.decode()) for url, body in self.host.sent]

    def change_rules(self, rules):
        """Use the rules of a folder, or those that ship with the version."""
        from holdback import load_jurisdictions

        self.host.change_rules(load_jurisdictions(*() if rules is None else (rules,)))


def crashed():
    """The exception with which this version's hosts die."""
    from holdback.testing.conformance import Crashed

    return Crashed


def answered(serving, do, given):
    """Return the answer to one question."""
    try:
        return {"answer": getattr(serving, do)(**given)}
    except crashed():
        return {"crashed": True}
    except Exception as error:  # noqa: BLE001  # the suite reports whatever a host raises
        return {"raised": f"{type(error).__name__}: {error}"}


def serve(asked):
    """Answer the questions on a socket until it ends."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(asked["socket"])
        with connection.makefile("rw", encoding="utf-8") as lines:

            def say(answer):
                lines.write(json.dumps(answer) + "\n")
                lines.flush()

            say(os.getpid())
            make_host = pkgutil.resolve_name(asked["factory"])
            serving = Serving(make_host(*asked["arguments"]))
            if asked["rules"] is not None:
                serving.change_rules(asked["rules"])
            for line in lines:
                say(answered(serving, **json.loads(line)))


def main(path):
    sys.path[:1] = json.loads(path)
    import conforming  # noqa: F401  # what takes long to import is imported once

    import holdback

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the processes that end
    sys.stdout.write(holdback.__file__ + "\n")
    sys.stdout.flush()
    os.dup2(2, 1)  # what a host prints is for people
    for line in sys.stdin:
        if os.fork() == 0:
            serve(json.loads(line))
            os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
