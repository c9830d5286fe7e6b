"""A server on loopback that does one step after the other, the last one again and again."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Asked:
    """A request as it arrived."""

    def __init__(self, handler):
        self.method = handler.command
        self.url = handler.path
        self.headers = {name.lower(): value for name, value in handler.headers.items()}
        self.body = handler.rfile.read(int(handler.headers.get("content-length") or 0))

    def json(self):
        return json.loads(self.body)


def answer(status, body=None, headers=None):
    def step(handler):
        content = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **(headers or {})}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(content)

    return step


def refuse(status, code, headers=None):
    """Writes an error as the API answers it."""
    body = {"code": code, "message": f"It is {code}.", "requestId": "r-1", "meta": {"a": 1}}
    return answer(status, body, headers)


def reset(handler):
    """Cuts the connection without a word."""
    handler.connection.close()


def hang(handler):
    """Never answers."""
    handler.server.stopping.wait()


def endless(handler):
    """Sends an answer that does not end."""
    handler.send_response(200)
    handler.end_headers()
    while not handler.server.stopping.is_set():
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.01)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.stopping = threading.Event()
        self.asked = []
        self.steps = []
        self.origin = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self):
        self.stopping.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address):
        """Says nothing of connections that the tests break."""


class Handler(BaseHTTPRequestHandler):
    def serve(self):
        self.server.asked.append(Asked(self))
        steps = self.server.steps
        (steps.pop(0) if len(steps) > 1 else steps[0])(self)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = serve

    def log_message(self, *_):
        """Says nothing."""
