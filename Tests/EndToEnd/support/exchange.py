"""A local exchange: a WebSocket server that does what a test tells it to, wrongly too."""

import asyncio
import http
import threading

import websockets
from websockets.asyncio.server import serve

from .waiting import PATIENCE, eventually


class Connection:
    """One connection of a daemon."""

    def __init__(self, exchange, socket, path):
        self.exchange = exchange
        self.socket = socket
        self.path = path
        self.received = []
        self.is_open = True
        self.close_code = None

    def send(self, *frames):
        """Sends each text or bytes as one message, and returns when all are handed to the kernel."""

        async def go():
            for frame in frames:
                await self.socket.send(frame)

        self.exchange.run(go())

    def ping(self):
        """Returns once the daemon has answered."""

        async def go():
            waiter = await self.socket.ping()
            await asyncio.wait_for(waiter, PATIENCE)

        self.exchange.run(go())

    def drop(self):
        """Cuts the connection without a close frame."""
        self.exchange.call(self.socket.transport.abort)

    def close(self, code=1000, reason=""):
        self.exchange.run(self.socket.close(code, reason))


class Exchange:
    """Runs in a thread of its own; every method may be called from the test's thread."""

    def __init__(self, ssl=None):
        self._ssl = ssl
        self.connections = []
        self.attempts = []
        self.refusing = False
        self.port = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = None
        self.open()

    # Life

    def open(self, port=0):
        async def go():
            self._server = await serve(
                self._serve, "127.0.0.1", port or self.port or 0, ssl=self._ssl, process_request=self._decide,
                max_size=None, compression=None, ping_interval=None, close_timeout=1)
            self.port = self._server.sockets[0].getsockname()[1]

        self.run(go())

    def shut(self):
        """Stops listening and drops every connection; `open` begins again on the same port."""

        async def go():
            if self._server is None:
                return
            self._server.close(close_connections=False)
            for connection in self.connections:
                if connection.is_open:
                    connection.socket.transport.abort()
            await asyncio.wait_for(self._server.wait_closed(), PATIENCE)
            self._server = None

        self.run(go())

    def end(self):
        self.shut()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    def run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(PATIENCE * 2)

    def call(self, function, *arguments):
        self._loop.call_soon_threadsafe(function, *arguments)

    # Serving

    def _decide(self, socket, request):
        self.attempts.append((self._loop.time(), request.path))
        if self.refusing:
            return socket.respond(http.HTTPStatus.SERVICE_UNAVAILABLE, "no\n")
        return None

    async def _serve(self, socket):
        connection = Connection(self, socket, socket.request.path)
        self.connections.append(connection)
        try:
            async for message in socket:
                connection.received.append(message)
        except websockets.ConnectionClosed:
            pass
        finally:
            connection.is_open = False
            connection.close_code = socket.close_code

    # What a test asks for

    def url(self, path="/ticks"):
        scheme = "wss" if self._ssl else "ws"
        return f"{scheme}://127.0.0.1:{self.port}{path}"

    def of(self, path="/ticks"):
        return [connection for connection in list(self.connections) if connection.path == path]

    def connection(self, path="/ticks", number=1):
        """The open connection of a path, at least the `number`th since the start; waits for it."""

        def newest():
            all_of = self.of(path)
            return all_of[-1] if len(all_of) >= number and all_of[-1].is_open else None

        return eventually(newest, f"connection {number} of {path}")
