"""A network that can be lost: what a browser says to the server goes through it, and what it has carried can be looked through."""

import socket
import threading
import urllib.parse


class Network:
    """Listens at `url`. Each connection to it is one to the server."""

    def __init__(self, server):
        parts = urllib.parse.urlsplit(server)
        self.server = (parts.hostname, parts.port or 80)
        self.lock = threading.Lock()
        # Of each connection that is open: its two ends and the last request that went by.
        self.open = {}
        self.carried = []
        self.port = 0
        self.restore()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def restore(self):
        """Lets connections through, at the same address as before."""
        self.listener = socket.create_server(("127.0.0.1", self.port), reuse_port=False)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._listen, args=(self.listener,), daemon=True).start()

    def lose(self):
        """Ends all connections and takes no new ones."""
        with self.lock:
            listener, self.listener = self.listener, None
            # Only this wakes who waits in it.
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()
            for ends in list(self.open):
                self._end(ends)

    def streams(self):
        """How many streams of events are open."""
        with self.lock:
            return sum(b"/stream" in request for request in self.open.values())

    def has_carried(self, text):
        """Whether these words went to the browser, in whatever."""
        with self.lock:
            return any(text.encode() in carried for carried in self.carried)

    def _listen(self, listener):
        while True:
            try:
                client, _ = listener.accept()
                upstream = socket.create_connection(self.server)
            except OSError:
                return
            ends, carried = (client, upstream), bytearray()
            with self.lock:
                self.open[ends] = b""
                self.carried.append(carried)
                if listener is not self.listener:
                    self._end(ends)
                    return
            threading.Thread(target=self._carry, args=(client, upstream, ends, None), daemon=True).start()
            threading.Thread(target=self._carry, args=(upstream, client, ends, carried), daemon=True).start()

    def _carry(self, source, target, ends, carried):
        try:
            while data := source.recv(65536):
                with self.lock:
                    if carried is not None:
                        carried += data
                    elif data[:4] in (b"GET ", b"POST") and ends in self.open:
                        self.open[ends] = data.split(b" ", 2)[1]
                target.sendall(data)
        except OSError:
            pass
        with self.lock:
            self._end(ends)

    def _end(self, ends):
        if self.open.pop(ends, None) is None:
            return
        for end in ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()
