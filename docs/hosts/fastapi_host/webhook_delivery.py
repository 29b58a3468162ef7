"""
How one webhook is signed and sent, as https://www.standardwebhooks.com defines it.

The URL is the partner's, so it is not trusted: https alone, only to public addresses, and to the
very address that was checked. A name that is resolved a second time may lead somewhere else then
(DNS rebinding).
"""

import base64
import hmac

import httpx
from attrs import frozen

from fastapi_host.addresses import addresses_of, is_public

TIMEOUT = 15  # seconds for each connect, read and write of a delivery
PORTS = {"https": 443, "http": 80}
MOST_ADDRESSES = 4  # that are tried, so that a delivery without a connection ends before its claim


class RefusedURL(httpx.TransportError):
    """A URL to which no webhook is sent; the next try resolves its name again."""


def signed(secrets, event_id, at, body):
    """
    Return the headers of a webhook, signed with each of `secrets`, so that one can be replaced.

    `event_id` is the same in every delivery of one event; `at` is the second of this delivery.
    """
    content = f"{event_id}.{at}.".encode() + body
    return {
        "content-type": "application/json",
        "webhook-id": event_id,
        "webhook-timestamp": str(at),
        "webhook-signature": " ".join(_signature(secret, content) for secret in secrets),
    }


def _signature(secret, content):
    key = base64.b64decode(secret.removeprefix("whsec_"))
    return "v1," + base64.b64encode(hmac.digest(key, content, "sha256")).decode()


def check(partners, *, private):
    """
    Refuse at the start a webhook to which nothing would be sent.

    Raises:
        ValueError: naming the partner, without the URL, which may contain a password.
    """
    for partner in partners.partners:
        if partner.webhook is not None and not private and not _is_https(partner.webhook.url):
            raise ValueError(
                f"webhook of `{partner.name}`: expected a URL with https://; for development, "
                "--private-webhooks allows http:// and private addresses"
            )


def _is_https(url):
    return httpx.URL(url).scheme == "https"


def client(**options):
    """
    Return a client that sends webhooks.

    It keeps no connection, because one that was made for a partner must not serve another one whose
    name has the same address; and it takes no proxy from the environment.
    """
    limits = httpx.Limits(max_keepalive_connections=0)
    return httpx.Client(timeout=TIMEOUT, limits=limits, trust_env=False, **options)


@frozen
class Post:
    """
    Sends webhooks. It follows no redirect, and does not read the answer's body.

    With `private` it sends to private addresses and without encryption, for development.
    """

    client: httpx.Client
    private: bool = False

    def __call__(self, url, headers, body):
        """
        Return the status of the answer.

        Raises:
            httpx.HTTPError: it was not sent, or not answered.
        """
        url = httpx.URL(url)
        # The connection goes to the address, the request and the certificate are for the name.
        sent = {
            "headers": headers | {"host": url.netloc.decode()},
            "extensions": {"sni_hostname": url.raw_host.decode()},
            "content": body,
            "follow_redirects": False,
        }
        failure = None
        for address in self._addresses(url)[:MOST_ADDRESSES]:
            try:
                with self.client.stream("POST", url.copy_with(host=address), **sent) as answer:
                    return answer.status_code
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:  # nothing was sent
                failure = error
        raise failure

    def _addresses(self, url):
        host = url.raw_host.decode()
        try:
            addresses = addresses_of(host, url.port or PORTS[url.scheme])
        except (OSError, UnicodeError):  # the latter for a name that is too long
            raise httpx.ConnectError("the name has no address") from None
        if self.private:
            return addresses
        # One that is not public among several is an attempt, or a mistake: neither is called.
        if url.scheme != "https" or not all(map(is_public, addresses)):
            raise RefusedURL("expected https:// and public addresses alone")
        return addresses
