"""An app on a real server, and a connection to it that a test writes byte by byte."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager

import uvicorn


@contextmanager
def served(app):
    """Serve the app as its command does, without its webhooks; yield the port."""
    config = uvicorn.Config(
        app, port=0, access_log=False, log_level="error", lifespan="off", proxy_headers=False
    )
    listener = config.bind_socket()
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.01)
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(30)
        listener.close()


@contextmanager
def connected(port):
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        yield connection


def head(line, **headers):
    """Return the head of a request; a name in *headers* has `_` for `-`."""
    fields = {"Host": "test", "Authorization": "Bearer acme-key"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    lines = [line, *(f"{name}: {value}" for name, value in fields.items() if value is not None)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def read_to_end(connection):
    """Return the status, the headers and the body of an answer after which the server closes."""
    received = b""
    while piece := connection.recv(65536):
        received += piece
    top, _, body = received.partition(b"\r\n\r\n")
    status, *fields = top.decode().split("\r\n")
    headers = dict(field.lower().split(": ", 1) for field in fields)
    return int(status.split()[1]), headers, body
