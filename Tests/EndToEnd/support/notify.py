"""The service manager's side of sd_notify(3)."""

import os
import socket
import threading

from .waiting import eventually


class ServiceManager:
    """Listens on a socket of its own; `environment` is what a service gets."""

    def __init__(self, folder, watchdog=None):
        self.path = str(folder / "notify")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        self.environment = {"NOTIFY_SOCKET": self.path}
        if watchdog is not None:
            self.environment["WATCHDOG_USEC"] = str(round(watchdog * 1e6))
        #: Assignments in their order, each message a dictionary.
        self.messages = []
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        while True:
            text = self.socket.recv(65536).decode()
            if text == "end":
                return
            self.messages.append(dict(line.split("=", 1) for line in text.splitlines()))

    def count(self, name):
        return sum(name in message for message in list(self.messages))

    @property
    def status(self):
        return next((message["STATUS"] for message in reversed(self.messages) if "STATUS" in message), None)

    def wait(self, name, count=1):
        eventually(lambda: self.count(name) >= count, f"{count} times {name}")

    def wait_status(self, beginning):
        eventually(lambda: (self.status or "").startswith(beginning), f"the status {beginning!r}")

    def end(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as own:
            own.sendto(b"end", self.path)
        self._thread.join(5)
        self.socket.close()
        os.unlink(self.path)
