"""mcp.py: a client of the Model Context Protocol, for tests of `ikigai mcp serve`.

    server = Stdio("--tools", "glob")         starts it
    server.send({...}); server.receive()      single messages
    server.ask("tools/list")                  a request and its answer; what came before the answer
                                              is in server.seen
"""
import json
import os
import subprocess
import time

META = "io.modelcontextprotocol/"
MODERN = {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": {}}


class Client:
    """What both transports have in common."""

    def __init__(self):
        self.number = 0
        self.seen = []

    def request(self, method, params=None, **more):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, **more}
        if params is not None:
            message["params"] = params
        return message


class Stdio(Client):
    def __init__(self, *options, **more):
        super().__init__()
        self.process = subprocess.Popen(
            [os.environ["BUILD"] + "/ikigai", "mcp", "serve", *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, **more)

    def send(self, message):
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self):
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def answer(self, number):
        self.seen = []
        while True:
            message = self.receive()
            assert message is not None, self.seen
            assert message["jsonrpc"] == "2.0" and "\n" not in message
            if message.get("id") == number:
                return message
            self.seen.append(message)

    def ask(self, method, params=None):
        self.send(self.request(method, params))
        return self.answer(self.number)

    def tell(self, method, params=None):
        self.send({"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})})

    def begin(self, version="2025-11-25"):
        answer = self.ask("initialize", {"protocolVersion": version, "capabilities": {},
                                         "clientInfo": {"name": "test", "version": "1"}})
        self.tell("notifications/initialized")
        return answer["result"]

    def end(self):
        self.process.stdin.close()
        # Lists may change until the end.
        assert not [line for line in self.process.stdout if "id" in json.loads(line)]
        return self.process.wait(timeout=60)


def call(name, arguments=None, **more):
    return {"name": name, **({} if arguments is None else {"arguments": arguments}), **more}


def text(answer):
    return [item["text"] for item in answer["result"]["content"]]


def code(answer):
    return answer["error"]["code"]


def write_tool(path, schema, body):
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n[ \"$1\" = --schema ] && exec echo '%s'\n%s\n" % (json.dumps(schema), body))
    os.chmod(path + ".new", 0o755)
    os.rename(path + ".new", path)


def wait_for(condition):
    """Wait for what another process does; the test's own limit ends it."""
    while not condition():
        time.sleep(0.01)


def runs(pid):
    """Does that process still run?"""
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii") as file:
            return file.read().rsplit(") ", 1)[1][0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
