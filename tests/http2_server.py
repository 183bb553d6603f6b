"""A server on this machine that speaks HTTP/2, well or badly, over TLS."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import h2.config
import h2.connection
import h2.events
import h2.exceptions

PAGE = b"<p>a page</p>"
Connection = h2.connection.H2Connection


def _page(connection: Connection, stream: int, send: Callable[[], None]) -> None:
    connection.send_headers(stream, [(":status", "200"), ("content-type", "text/html")])
    connection.send_data(stream, PAGE, end_stream=True)


def _endless(connection: Connection, stream: int, send: Callable[[], None]) -> None:
    connection.send_headers(stream, [(":status", "200"), ("content-type", "text/html")])
    while connection.local_flow_control_window(stream) > 16_000:
        connection.send_data(stream, b"x" * 16_000)
        send()


def _unchanged(connection: Connection, stream: int, send: Callable[[], None]) -> None:
    """Answer 304 with a body, which only HTTP/2 lets a server do."""
    connection.send_headers(stream, [(":status", "304")])
    connection.send_data(stream, b"x" * 10_000)


def _reset(connection: Connection, stream: int, send: Callable[[], None]) -> None:
    connection.reset_stream(stream, 2)


def _status(connection: Connection, stream: int, send: Callable[[], None]) -> None:
    connection.send_headers(stream, [(":status", "many"), ("content-type", "text/html")], end_stream=True)


def _away(connection: Connection, stream: int, send: Callable[[], None]) -> None:
    connection.close_connection(11)


def _large(connection: Connection, stream: int, send: Callable[[], None]) -> None:
    """Send more headers than a client takes."""
    headers = [(f"x-{number}", "y" * 1000) for number in range(200)]
    connection.send_headers(stream, [(":status", "200"), *headers], end_stream=True)


ANSWERS = {
    "/page": _page,
    "/endless": _endless,
    "/unchanged": _unchanged,
    "/reset": _reset,
    "/status": _status,
    "/away": _away,
    "/large": _large,
}
GARBAGE = "/garbage"


def _serve(client: ssl.SSLSocket) -> None:
    configuration = h2.config.H2Configuration(
        client_side=False, validate_outbound_headers=False, normalize_outbound_headers=False
    )
    connection = Connection(configuration)
    connection.initiate_connection()

    def send() -> None:
        client.sendall(connection.data_to_send())

    send()
    while data := client.recv(65_536):
        for event in connection.receive_data(data):
            if isinstance(event, h2.events.RequestReceived):
                path = dict(event.headers or ())[b":path"].decode()
                if path == GARBAGE:
                    client.sendall(b"this is no frame" * 10)
                    return
                ANSWERS[path](connection, event.stream_id or 0, send)
        send()


@contextmanager
def serving(context: ssl.SSLContext) -> Iterator[int]:
    """The port of the server, for as long as it is wanted."""
    context.set_alpn_protocols(["h2"])
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            while True:
                try:
                    plain, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=answer, args=(plain,), daemon=True).start()

        def answer(plain: socket.socket) -> None:
            with suppress(OSError, h2.exceptions.H2Error), context.wrap_socket(plain, server_side=True) as client:
                _serve(client)

        threading.Thread(target=accept, daemon=True).start()
        yield listener.getsockname()[1]
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
