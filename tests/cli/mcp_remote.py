"""mcp_remote.py: servers over streamable HTTP, whose tools `ikigai mcp serve` passes on."""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mcp import MODERN, Stdio, call, text, wait_for

HOME = os.environ["HOME"]
FIXTURE = os.environ["FIXTURES"] + "/mcp/http_server"
IKIGAI = os.environ["BUILD"] + "/ikigai"
os.environ["MCP_LOG"] = HOME + "/mcp.log"
os.environ["MCP_TOKEN"] = HOME + "/token"


class Remote:
    """The fixture in one era, named in mcp.json by each of these addresses."""

    def __init__(self, era, **entries):
        open(os.environ["MCP_LOG"], "w", encoding="utf-8").close()
        self.process = subprocess.Popen([FIXTURE, era], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline())
        servers = {name: {"url": f"http://127.0.0.1:{self.port}/{name}", **more}
                   for name, more in entries.items()}
        with open(HOME + "/.ikigai/mcp.json", "w", encoding="utf-8") as file:
            json.dump({"mcpServers": servers}, file)

    def log(self):
        with open(os.environ["MCP_LOG"], encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.endswith("\n")]

    def count(self, method, verb="POST", path="/mcp"):
        return sum(1 for line in self.log() if line.get("method") == verb and line["path"] == path and
                   (line["body"] or {}).get("method") == method)

    def end(self):
        assert not [line for line in self.log() if "fault" in line], self.log()
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def says(server, name, **arguments):
    return text(server.ask("tools/call", call(name, arguments)))[0]


def fails(server, name, *words):
    answer = server.ask("tools/call", call(name, {}))
    assert answer["result"]["isError"], answer
    for word in words:
        assert word in text(answer)[0], (word, answer)


def begin(*options):
    server = Stdio(*options)
    server.begin()
    return server, [tool["name"] for tool in server.ask("tools/list")["result"]["tools"]]


def both(era):
    """What both generations have in common."""
    remote = Remote(era, mcp={}, moved={}, away={}, secret={"headers": {"Authorization": "Bearer ${TOKEN}"}},
                    down={}, page={})
    os.environ["TOKEN"] = "first-token"
    with open(os.environ["MCP_TOKEN"], "w", encoding="utf-8") as file:
        file.write("first-token")
    server, names = begin()
    assert "mcp__echo" in names and "moved__echo" in names and "secret__echo" in names
    for gone in "mcp__bad_number", "mcp__bad_blank", "mcp__bad_items", "away__echo", "down__echo", "page__echo":
        assert gone not in names, gone
    for name in "mcp__echo", "moved__echo", "secret__echo":
        assert says(server, name, text="hello \u00fc") == "hello \u00fc"
    assert says(server, "mcp__stream") == "streamed"
    assert says(server, "mcp__open") == "open"
    fails(server, "mcp__broken", "no answer in it")
    fails(server, "mcp__reset", "broke")
    fails(server, "mcp__empty", "no answer in it")
    fails(server, "mcp__wrong", "HTTP status 500")
    # Streams that stay open after their answer don't add up.
    for _ in range(20):
        assert says(server, "mcp__open") == "open"
    assert says(server, "mcp__echo", text="x" * 30000) == "x" * 30000
    # Nothing goes to another server, least of all headers.
    assert not [line for line in remote.log() if line.get("headers", {}).get("Host", "").startswith("localhost")]
    # A call that ends disconnects.
    server.send(server.request("tools/call", call("mcp__hang", {}), ))
    wait_for(lambda: any((line.get("body") or {}).get("params", {}).get("name") == "hang" for line in remote.log()))
    server.tell("notifications/cancelled", {"requestId": server.number})
    wait_for(lambda: {"closed": "hang"} in remote.log())
    wait_for(lambda: remote.count("notifications/cancelled") == (era != "modern"))
    return remote, server


# With sessions.
remote, server = both("legacy")
assert says(server, "mcp__resume") == "resumed"
assert [line["headers"]["Last-Event-ID"] for line in remote.log() if line.get("method") == "GET" and
        "Last-Event-ID" in line["headers"]] == ["a"]
assert json.loads(says(server, "mcp__asked")) == {"jsonrpc": "2.0", "id": "p", "result": {}}
# One that the server has forgotten begins anew, and nobody notices.
before = remote.count("initialize")
assert says(server, "mcp__forget") == "forget"
assert says(server, "mcp__echo", text="again") == "again"
assert remote.count("initialize") == before + 1
# What the server says by itself comes by a stream.
wait_for(lambda: remote.log()[-1].get("method") == "GET")
server.ask("tools/list")
assert says(server, "mcp__change") == "change"
while not any(m.get("method") == "notifications/tools/list_changed" for m in server.seen):
    server.seen.append(server.receive())
assert "mcp__new" in [tool["name"] for tool in server.ask("tools/list")["result"]["tools"]]
assert server.end() == 0
remote.end()

# Without sessions.
remote, server = both("plain")
assert not [line for line in remote.log() if "Mcp-Session-Id" in line.get("headers", {})]
assert server.end() == 0
remote.end()

# Of the modern kind.
remote, server = both("modern")
assert remote.count("initialize") == 0
for region in "us-west1", "Hello, \u4e16\u754c", " padded ", "line1\nline2", "=?base64?literal?=", "":
    assert says(server, "mcp__marked", region=region, many=-42, deep={"flag": True}) == "all headers fit"
assert says(server, "mcp__marked") == "all headers fit"
assert says(server, "mcp__late") == "late"  # another header is wanted from now on
assert says(server, "mcp__marked", region="x", deep={"flag": False}) == "all headers fit"
assert says(server, "mcp__change") == "change"
while not any(m.get("method") == "notifications/tools/list_changed" for m in server.seen):
    server.seen.append(server.receive())
assert server.end() == 0
# What was found out about a server is remembered.
before = remote.count("server/discover"), remote.count("tools/list")
server, names = begin()
assert "mcp__echo" in names and (remote.count("server/discover"), remote.count("tools/list")) == before
assert server.end() == 0
remote.end()

# Why a server can't be used, in words that say what to do; and no secret is in them.
def reasons():
    out = subprocess.run([IKIGAI, "tool", "list", "--all"], capture_output=True, text=True, check=True).stdout
    return " ".join(out.split())


os.environ["TOKEN"] = "wrong-token"
remote = Remote("legacy", secret={"headers": {"Authorization": "Bearer ${TOKEN}"}}, away={}, down={}, page={})
out = reasons()
assert "refuses access (HTTP 401)" in out and '"Authorization"' in out and "wrong-token" not in out, out
assert f"has moved to http://localhost:{remote.port}/mcp" in out, out
assert "HTTP status 503" in out, out
remote.end()
out = reasons()
assert "connection refused" in out, out

# Headers from a command, which is asked again when they are no longer taken.
helper = "echo once >>$HOME/asked; printf '{\"Authorization\": \"Bearer %s\"}' \"$(cat $HOME/token)\""
remote = Remote("modern", secret={"headersHelper": helper})
server, names = begin()
assert says(server, "secret__echo", text="hello") == "hello"
with open(os.environ["MCP_TOKEN"], "w", encoding="utf-8") as file:
    file.write("second-token")
assert says(server, "secret__echo", text="hello") == "hello"
with open(HOME + "/asked", encoding="utf-8") as file:
    assert file.read() == "once\n" * 2
assert server.end() == 0
remote.end()
for helper, word in ("echo no; exit 0", "no JSON object"), ("echo why >&2; exit 3", "why"):
    remote = Remote("modern", secret={"headersHelper": helper})
    assert word in reasons(), reasons()
    remote.end()
