"""mcp_http.py: `ikigai mcp serve --http`, as clients and others on the same machine use it."""
import atexit
import http.client
import json
import os
import resource
import socket
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mcp import MODERN, META, Client, call, code, runs, text, wait_for, write_tool

tools = os.environ["HOME"] + "/.ikigai/tools/"
os.makedirs(tools)


class Http(Client):
    """A server, and requests to it; each has a connection of its own."""

    def __init__(self, address, token=None, **more):
        super().__init__()
        environment = dict(os.environ, **({"IKIGAI_MCP_TOKEN": token} if token else {}))
        self.process = subprocess.Popen(
            [os.environ["BUILD"] + "/ikigai", "mcp", "serve", "--http", address],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment, **more)
        atexit.register(self.process.kill)  # it ends by a signal only
        line = self.process.stderr.readline()
        assert "http://" in line, line
        self.host, self.port = line.split("//")[1].split("/")[0].rsplit(":", 1)
        self.token = token or self.process.stderr.readline().split()[-1]
        self.session = None

    def open(self, method, message=None, timeout=60, **headers):
        """Send a request; a header of None is left out."""
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        body = message if message is None or isinstance(message, bytes) else json.dumps(message).encode()
        given = {"Authorization": "Bearer " + self.token, "Accept": "application/json, text/event-stream",
                 "Content-Type": "application/json", "Mcp-Session-Id": self.session, **headers}
        connection = http.client.HTTPConnection(self.host.strip("[]"), int(self.port), timeout=timeout)
        connection.request(method, headers.pop("path", "/mcp"), body,
                           {name: value for name, value in given.items() if value is not None and name != "path"})
        return connection

    def status(self, method, message=None, **headers):
        with self.open(method, message, **headers).getresponse() as response:
            response.read()
            return response.status

    def post(self, message, **headers):
        """Return status, headers and the messages of the answer."""
        with self.open("POST", message, **headers).getresponse() as response:
            if response.getheader("Content-Type") == "text/event-stream":
                messages = [json.loads(line[6:]) for line in response.read().decode().split("\n")
                            if line.startswith("data: ")]
            else:
                whole = response.read()
                messages = [json.loads(whole)] if whole else []
            return response.status, response.headers, messages

    def ask(self, method, params=None, **headers):
        status, _, messages = self.post(self.request(method, params), **headers)
        self.seen = messages[:-1]
        assert status == 200, (status, messages)
        return messages[-1]

    def modern(self, method, params=None, **headers):
        name = (params or {}).get("name")
        return self.post(self.request(method, {**(params or {}), "_meta": {**MODERN, **(params or {}).get("_meta", {})}}),
                         **{"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": method, "Mcp_Name": name, **headers})


def events(connection):
    """Read the messages of a stream, one by one."""
    response = connection.getresponse()
    assert response.status == 200 and response.getheader("Content-Type") == "text/event-stream"
    while True:
        line = response.readline().decode()
        if not line:
            return
        if line.startswith("data: "):
            yield json.loads(line[6:])


def pid_of(path):
    wait_for(lambda: os.path.exists(path) and os.path.getsize(path) > 0)
    with open(path, encoding="ascii") as file:
        pid = int(file.read())
    os.unlink(path)
    return pid


# What doesn't stay on this machine is refused.
for address in "0.0.0.0:0", "192.0.2.1:0", "[::]:0", "example.org:80", "127.0.0.1", "8000", "127.0.0.1:70000", "":
    run = subprocess.run([os.environ["BUILD"] + "/ikigai", "mcp", "serve", "--http", address],
                         stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert run.returncode == 2 and "127.0.0.1:8000" in run.stderr, (address, run)

# Who may ask.
server = Http("localhost:0")
assert server.host == "127.0.0.1" and len(server.token) >= 32
hello = server.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                      "clientInfo": {"name": "test", "version": "1"}})
for wanted, headers in (
        (401, {"Authorization": None}), (401, {"Authorization": "Bearer x"}),
        (401, {"Authorization": "Bearer " + server.token[:-1] + "!"}), (401, {"Authorization": server.token}),
        (403, {"Origin": "https://example.org"}), (403, {"Origin": "null"}),
        (403, {"Origin": "http://localhost.example.org"}), (403, {"Host": "example.org"}),
        (404, {"path": "/"}), (415, {"Content_Type": "text/plain"}), (404, {"Mcp_Session_Id": "unknown"})):
    assert server.status("POST", hello, **headers) == wanted, headers
assert server.status("GET") == 405 and server.status("DELETE") == 405 and server.status("OPTIONS") == 405
taken = subprocess.run([os.environ["BUILD"] + "/ikigai", "mcp", "serve", "--http", "127.0.0.1:" + server.port],
                       stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
assert taken.returncode == 1 and server.port in taken.stderr

# A session.
assert server.status("POST", b"nonsense") == 400
status, headers, [begun] = server.post(hello, Origin="http://localhost:5173")
assert status == 200 and begun["result"]["protocolVersion"] == "2025-11-25"
server.session = headers["Mcp-Session-Id"]
assert server.status("POST", {"jsonrpc": "2.0", "method": "notifications/initialized"}) == 202
assert server.status("GET", Mcp_Session_Id="unknown") == 404
stream = server.open("GET", timeout=120)
notifications = events(stream)
assert "bash" in [tool["name"] for tool in server.ask("tools/list")["result"]["tools"]]
assert code(server.ask("nonsense")) == -32601
assert text(server.ask("tools/call", call("bash", {"command": "echo $IKIGAI_MCP_TOKEN"}))) == \
    ['{"output":"","exit_code":0}']
answer = server.ask("tools/call", call("bash", {"command": "echo one; sleep 1"}, _meta={"progressToken": "p"}))
assert answer["result"]["isError"] is False and server.seen[0]["params"]["message"] == "one"
answer = server.ask("tools/call", call("bash", {"command": "echo one; sleep 1"}, _meta={"progressToken": "p"}),
                    Accept="application/json")
assert answer["result"]["isError"] is False and server.seen == []
write_tool(tools + "late", {"name": "late", "description": "d", "parameters": {}}, "echo 1")
assert next(notifications) == {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
assert server.status("GET") == 409

# A stream stays open while there is nothing to say.
quiet = time.monotonic()
slow = server.open("POST", server.request("tools/call", call("bash", {"command": "echo one; sleep 62"},
                                                             _meta={"progressToken": "slow"})), timeout=120)

# A client that loses its connection has not cancelled the call; a notification has.
calling = server.open("POST", server.request("tools/call", call("bash", {
    "command": "echo $$ >pid.new; mv pid.new pid; exec sleep 600"})))
pid = pid_of("pid")
calling.close()
assert server.ask("ping")["result"] == {} and runs(pid)
calling = server.open("POST", server.request("tools/call", call("bash", {
    "command": "echo $$ >pid.new; mv pid.new pid; exec sleep 600"})))
other = pid_of("pid")
server.post({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": server.number}})
wait_for(lambda: not runs(other))
assert calling.getresponse().status == 202
time.sleep(max(0, quiet + 61 - time.monotonic()))
assert [message.get("method") for message in events(slow)] == ["notifications/progress", None]
write_tool(tools + "later", {"name": "later", "description": "d", "parameters": {}}, "echo 1")
assert next(notifications)["method"] == "notifications/tools/list_changed"
assert server.status("DELETE") == 200
wait_for(lambda: not runs(pid))
assert list(notifications) == [] and server.status("POST", server.request("ping")) == 404

# Requests that stand for themselves.
server.session = None
status, _, [answer] = server.modern("server/discover")
assert status == 200 and answer["result"]["supportedVersions"] == ["2026-07-28"]
status, _, messages = server.modern("tools/call", call("bash", {"command": "echo one; sleep 1"},
                                                       _meta={"progressToken": 1}))
assert status == 200 and [message.get("method") for message in messages] == ["notifications/progress", None]
for wanted, number, method, params, headers in (
        (400, -32020, "tools/list", None, {"Mcp_Method": "tools/call"}),
        (400, -32020, "tools/list", None, {"MCP_Protocol_Version": None}),
        (400, -32020, "tools/call", call("bash", {}), {"Mcp_Name": "grep"}),
        (404, -32601, "nonsense", None, {}), (400, -32602, "tools/call", {}, {})):
    status, _, [answer] = server.modern(method, params, **headers)
    assert (status, code(answer)) == (wanted, number), (method, status, answer)
status, _, [answer] = server.post(server.request("tools/list"))
assert status == 400 and code(answer) == -32602
calling = server.open("POST", server.request("tools/call", call("bash", {
    "command": "echo $$ >pid.new; mv pid.new pid; exec sleep 600"}, _meta=MODERN)),
    MCP_Protocol_Version="2026-07-28", Mcp_Method="tools/call", Mcp_Name="bash")
pid = pid_of("pid")
calling.close()
wait_for(lambda: not runs(pid))
listening = events(server.open("POST", server.request("subscriptions/listen", {
    "_meta": MODERN, "notifications": {"toolsListChanged": True}}),
    MCP_Protocol_Version="2026-07-28", Mcp_Method="subscriptions/listen"))
assert next(listening)["method"] == "notifications/subscriptions/acknowledged"
os.unlink(tools + "late")
assert next(listening)["params"]["_meta"] == {META + "subscriptionId": server.number}

# Of sessions that nobody closes, the one that was used longest ago ends.
connection = http.client.HTTPConnection(server.host, int(server.port), timeout=60)
given = {"Authorization": "Bearer " + server.token, "Content-Type": "application/json"}
sessions = []
for number in range(1001):
    connection.request("POST", "/mcp", json.dumps(hello), given)
    with connection.getresponse() as response:
        assert response.read() and response.status == 200
        sessions.append(response.getheader("Mcp-Session-Id"))
    if number == 500:
        assert server.status("POST", server.request("ping"), Mcp_Session_Id=sessions[0]) == 200
for wanted, number in (200, 0), (404, 1), (200, 2), (200, 1000):
    assert server.status("POST", server.request("ping"), Mcp_Session_Id=sessions[number]) == wanted, number

# Two requests on one connection, and one that comes too early.
connection = http.client.HTTPConnection(server.host, int(server.port), timeout=60)
for number in 1, 2:
    connection.request("POST", "/mcp", json.dumps(hello),
                       {"Authorization": "Bearer " + server.token, "Content-Type": "application/json"})
    assert json.loads(connection.getresponse().read())["id"] == hello["id"]
body = json.dumps(server.request("tools/call", call("bash", {"command": "sleep 0.3"}, _meta=MODERN))).encode()
early = (b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer "
         + server.token.encode() + b"\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
         b"Mcp-Name: bash\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
connection.sock.sendall(early * 2)
got = b""
while got.count(b"HTTP/1.1 200 OK") < 2 or got.count(b'"isError":false') < 2:
    piece = connection.sock.recv(65536)
    assert piece, got
    got += piece

# A signal ends it with what runs.
calling = server.open("POST", server.request("tools/call", call("bash", {
    "command": "echo $$ >pid.new; mv pid.new pid; exec sleep 600"}, _meta=MODERN)),
    MCP_Protocol_Version="2026-07-28", Mcp_Method="tools/call", Mcp_Name="bash")
pid = pid_of("pid")
server.process.terminate()
assert server.process.wait(timeout=60) == 143
wait_for(lambda: not runs(pid))

# Connections that ask nothing leave descriptors for tools, and are accepted again later.
server = Http("127.0.0.1:0", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256)))
connection = http.client.HTTPConnection(server.host, int(server.port), timeout=60)
connection.connect()
idle = [socket.create_connection((server.host, int(server.port))) for _ in range(250)]
body = json.dumps(server.request("tools/call", call("bash", {"command": "echo here"}, _meta=MODERN)))
connection.request("POST", "/mcp", body, {"Authorization": "Bearer " + server.token, "Content-Type": "application/json",
                                          "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call",
                                          "Mcp-Name": "bash"})
assert b"here" in connection.getresponse().read()
for one in idle:
    one.close()
assert server.status("POST", hello) == 200
server.process.terminate()
assert server.process.wait(timeout=60) == 143

# Any address of this machine may be served, by its own name.
server = Http("127.9.8.7:0")
assert server.status("POST", hello) == 200
server.process.terminate()
assert server.process.wait(timeout=60) == 143

# The token may be given; then it isn't printed.
server = Http("[::1]:0" if os.path.exists("/proc/net/if_inet6") and " lo\n" in open("/proc/net/if_inet6", encoding="ascii").read()
              else "127.0.0.1:0", token="a secret")
assert server.status("POST", hello) == 200
server.process.terminate()
server.process.wait(timeout=60)
assert "a secret" not in server.process.stderr.read()
