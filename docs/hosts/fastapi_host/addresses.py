"""
Which addresses a webhook may be sent to: public ones alone.

A partner names the URL. Without this check it could let the host call the services of its own
network, such as the one that gives a cloud machine its credentials (server-side request forgery).
"""

import socket
from ipaddress import ip_address, ip_network

# Not public, by the registries of IANA for special purposes: this network, private, shared,
# loopback, link-local, protocols, documentation, relays of 6to4, benchmarks, multicast, reserved.
NOT_PUBLIC = tuple(
    ip_network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
        # Of IPv6 within 2000::/3: protocols with Teredo, documentation twice, and 6to4, which holds
        # an IPv4 address.
        "2001::/23",
        "2001:db8::/32",
        "2002::/16",
        "3fff::/20",
    )
)
# All that is routed of IPv6. Loopback, link-local, unique local, multicast, and the addresses that
# hold one of IPv4 (mapped, compatible, NAT64) are outside of it.
ROUTED_IPV6 = ip_network("2000::/3")


def is_public(text):
    """Return whether an address may be reached by anybody on the internet."""
    address = ip_address(text)
    if address.version == 6 and (address.scope_id or address not in ROUTED_IPV6):
        return False
    return not any(
        address in network for network in NOT_PUBLIC if network.version == address.version
    )


def addresses_of(host, port):
    """Return the addresses of a host, without repetitions; raises OSError if it has none."""
    resolved = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(address[0] for *_, address in resolved))
