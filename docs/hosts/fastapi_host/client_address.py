"""
The address of the client, for the log.

It is the direct peer, unless proxies stand in front of this host: then the peer is a proxy, and the
client is named in a header. Anybody may send such a header, so it is read only from the right, as
far as the proxies reach that are configured.
"""

import re
from ipaddress import ip_address

from attrs import field, frozen
from attrs.validators import ge, in_, instance_of
from starlette.datastructures import Headers

HEADERS = ("X-Forwarded-For", "Forwarded")
# `for=` of RFC 7239: a token, or text in quotes.
FORWARDED_FOR = re.compile(r'(?:^|;)\s*for\s*=\s*("?)([^";]*)\1', re.IGNORECASE)
# An address, an IPv6 address in brackets, and a port that is not wanted.
WITH_PORT = re.compile(r"\[(.+)\](?::\d+)?|([^:]+):\d+")


@frozen
class Proxies:
    """
    The proxies that a request passes before it arrives, and the header to which each one adds.

    The header is configured, because a proxy that adds to one of them passes on the other one from
    the client unchanged.
    """

    trusted: int = field(default=0, validator=[instance_of(int), ge(0)])
    header: str = field(default=HEADERS[0], validator=in_(HEADERS))

    def client(self, scope):
        """Return the client's address, the peer's if the header has none, or None on a socket."""
        peer = scope.get("client")
        peer = peer[0] if peer else None
        if not self.trusted:
            return peer
        sent = Headers(scope=scope).getlist(self.header)
        hops = [hop.strip() for hop in ",".join(sent).split(",")]
        if len(hops) < self.trusted:  # a request that did not pass the proxies
            return peer
        return _address(self._named(hops[-self.trusted])) or peer

    def _named(self, hop):
        if self.header != "Forwarded":
            return hop
        match = FORWARDED_FOR.search(hop)
        return match[2] if match else ""


def _address(text):
    """Return the address in `text`, or None: a hop may be hidden, or be text of a client."""
    match = WITH_PORT.fullmatch(text)
    text = (match[1] or match[2]) if match else text
    try:
        # A zone, as in fe80::1%eth0, may be any text.
        return None if "%" in text else str(ip_address(text))
    except ValueError:
        return None
