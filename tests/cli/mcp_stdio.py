"""mcp_stdio.py: `ikigai mcp serve` on a pipe, as clients of all versions use it."""
import json
import os
import signal
import sys
import threading

sys.dont_write_bytecode = True

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mcp import MODERN, META, Stdio, call, code, runs, text, wait_for, write_tool

tools = os.environ["HOME"] + "/.ikigai/tools/"
os.makedirs(tools)
write_tool(tools + "now", {"name": "now", "description": "The time", "parameters": {},
                           "annotations": {"readOnly": True},
                           "returns": {"type": "object", "properties": {"now": {"type": "string"}},
                                       "required": ["now"]}},
           'cat >/dev/null; echo "{\\"now\\": \\"$(cat "$HOME/time")\\"}"')
write_tool(tools + "lies", {"name": "lies", "description": "d", "parameters": {},
                            "returns": {"type": "object", "required": ["now"]}},
           "cat >/dev/null; echo '{\"later\": 1}'")
write_tool(tools + "fails", {"name": "fails", "description": "d", "parameters": {}},
           "cat >/dev/null; echo why >&2; exit 3")
write_tool(tools + "sorry", {"name": "sorry", "description": "d", "parameters": {}},
           "cat >/dev/null; echo '{\"error\": \"not today\"}'")
PICTURE = ("iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4zwAE/xkgFAAb8gP91pbyKwAAAABJRU5E"
           "rkJggg==")
write_tool(tools + "camera", {"name": "camera", "description": "d", "parameters": {}},
           "cat >/dev/null; printf '%%PDF-1.4\\n' >a.pdf; echo '{\"images\": [\"" + PICTURE + "\", \"a.pdf\"]}'")
write_tool(tools + "fine", {"name": "fine", "description": "d", "parameters": {}},
           "cat >/dev/null; echo '{\"error\": null}'")
with open(os.environ["HOME"] + "/time", "w", encoding="ascii") as file:
    file.write("noon")

# A session, in each of its versions.
for version in "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "1999-01-01":
    server = Stdio()
    begun = server.begin(version)
    assert begun["protocolVersion"] == ("2025-11-25" if version == "1999-01-01" else version)
    assert begun["capabilities"] == {"tools": {"listChanged": True}}
    assert begun["serverInfo"]["name"] == "ikigai"
    server.send(b'[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","id":"b","method":"ping"}]')
    if version == "2025-03-26":
        assert [server.receive(), server.receive()] == \
            [{"jsonrpc": "2.0", "id": name, "result": {}} for name in "ab"]
        server.send(b"[]")
    assert code(server.receive()) == -32600
    listed = server.ask("tools/list")["result"]
    assert list(listed) == ["tools"]
    assert server.end() == 0
by_name = {tool["name"]: tool for tool in listed["tools"]}
assert {"bash", "file_read", "now", "lies"} <= set(by_name)
assert by_name["file_read"]["annotations"] == {"readOnlyHint": True, "destructiveHint": False}
assert by_name["bash"]["annotations"] == {"readOnlyHint": False, "destructiveHint": True}
assert by_name["bash"]["inputSchema"]["required"] == ["command"]
assert by_name["now"]["outputSchema"]["required"] == ["now"]
assert "outputSchema" not in by_name["bash"]

# Calls and what comes of them.
server = Stdio()
server.begin()
answer = server.ask("tools/call", call("now"))
assert text(answer) == ["noon"] and answer["result"]["structuredContent"] == {"now": "noon"}
assert answer["result"]["isError"] is False
answer = server.ask("tools/call", call("lies", {}))
assert answer["result"]["isError"] is True and "structuredContent" not in answer["result"]
assert len(text(answer)) == 2 and "does not fit" in text(answer)[1]
answer = server.ask("tools/call", call("fails"))
assert answer["result"]["isError"] is True
assert text(answer) == ["Tool 'fails' crashed with exit code 3\nstderr:\nwhy\n"]
answer = server.ask("tools/call", call("sorry"))
assert answer["result"]["isError"] is True and text(answer) == ["not today"]
assert server.ask("tools/call", call("fine"))["result"]["isError"] is False
answer = server.ask("tools/call", call("camera"))
said, picture, document = answer["result"]["content"]
assert said["type"] == "text" and "image (attached: image/png, 2x2, 73 bytes)" in said["text"]
assert picture == {"type": "image", "mimeType": "image/png", "data": PICTURE}
assert document["resource"]["mimeType"] == "application/pdf" and document["resource"]["blob"] == "JVBERi0xLjQK"
answer = server.ask("tools/call", call("grep", {}))
assert answer["result"]["isError"] is True and '"pattern" is missing' in text(answer)[0]
answer = server.ask("tools/call", call("bash", {"command": "printf 'a\\033[31m\\n'; sleep 1; echo $PWD"},
                                       _meta={"progressToken": 7}))
assert os.getcwd() in text(answer)[0]
assert server.seen[0]["params"] == {"progressToken": 7, "progress": 1, "message": "a\u241b[31m"}
answer = server.ask("tools/call", call("bash", {"command": "seq 100000 >&2"}, _meta={"progressToken": "t"}))
steps = [message["params"]["progress"] for message in server.seen]
assert steps == sorted(set(steps)) and 1 <= len(steps) < 1000
assert server.seen[-1]["params"]["message"] == "100000"

# What is wrong is said, and nothing ends by it.
for line, wanted in (
        (b"nonsense", -32700), (b'{"jsonrpc":"2.0","id":1,"method":"ping"', -32700), (b"\xff", -32700),
        (b"{}", -32600), (b"1", -32600), (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":1}', -32600)):
    server.send(line)
    assert code(server.receive()) == wanted, line
for method, params, wanted in (
        ("resources/list", None, -32601), ("server/discover", None, -32601),
        ("tools/call", None, -32602), ("tools/call", {"name": 1}, -32602),
        ("tools/call", call("nowhere"), -32602), ("tools/call", call("now", 1), -32602),
        ("tools/list", {"cursor": ""}, -32602)):
    assert code(server.ask(method, params)) == wanted, method
server.send(b"  \r")
server.tell("notifications/whatever", {"a": 1})
server.send(b'{"jsonrpc":"2.0","id":1,"result":{}}')
assert server.ask("ping")["result"] == {}
server.send(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"' + b"x" * (65 << 20) + b'"}}')
assert code(server.receive()) == -32700
large = "y" * (3 << 20)
answer = server.ask("tools/call", call("file_write", {"file_path": "large", "content": large}))
assert answer["result"]["isError"] is False and os.path.getsize("large") == len(large)

# Calls run at the same time; a cancelled one ends and is not answered.
server.send(server.request("tools/call", call("bash", {"command": "echo $$ >pid; exec sleep 600"})))
wait_for(lambda: os.path.exists("pid") and os.path.getsize("pid") > 0)
with open("pid", encoding="ascii") as file:
    pid = int(file.read())
assert text(server.ask("tools/call", call("now"))) == ["noon"]
server.tell("notifications/cancelled", {"requestId": server.number - 1, "reason": "test"})
wait_for(lambda: not runs(pid))
assert server.ask("ping")["result"] == {} and server.seen == []
server.tell("notifications/cancelled", {"requestId": "unknown"})

# More calls than there are slots.
first = server.number + 1
for i in range(30):
    server.send(server.request("tools/call", call("bash", {"command": "echo %d" % i})))
answers = [server.receive() for _ in range(30)]
assert sorted(answer["id"] for answer in answers) == list(range(first, first + 30))
assert all('"%d"' % (answer["id"] - first) in text(answer)[0] for answer in answers)

# A change of the tools is announced.
write_tool(tools + "late", {"name": "late", "description": "d", "parameters": {}}, "echo 1")
assert server.receive() == {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
assert "late" in [tool["name"] for tool in server.ask("tools/list")["result"]["tools"]]

# Without a session, each request says what it speaks.
server = Stdio("--tools", "now,file_*")
answer = server.ask("server/discover", {"_meta": MODERN})["result"]
assert answer["supportedVersions"] == ["2026-07-28"] and answer["resultType"] == "complete"
assert answer["_meta"][META + "serverInfo"]["name"] == "ikigai"
answer = server.ask("tools/list", {"_meta": MODERN})["result"]
assert [tool["name"] for tool in answer["tools"]] == ["file_edit", "file_read", "file_write", "now"]
assert answer["ttlMs"] == 60000 and answer["cacheScope"] == "private"
answer = server.ask("tools/call", call("now", _meta=MODERN))
assert text(answer) == ["noon"] and answer["result"]["resultType"] == "complete"
assert code(server.ask("tools/call", call("bash", {"command": "true"}, _meta=MODERN))) == -32602
answer = server.ask("tools/list", {"_meta": {**MODERN, META + "protocolVersion": "1900-01-01"}})
assert code(answer) == -32022
assert answer["error"]["data"] == {"supported": ["2026-07-28"], "requested": "1900-01-01"}
assert code(server.ask("tools/list", {"_meta": {META + "protocolVersion": "2026-07-28"}})) == -32602
assert code(server.ask("tools/list")) == -32602
assert code(server.ask("ping", {"_meta": MODERN})) == -32601
assert code(server.ask("initialize", {"_meta": MODERN})) == -32601
server.send(server.request("subscriptions/listen", {"_meta": MODERN, "notifications": {"toolsListChanged": True}}))
mine = {"_meta": {META + "subscriptionId": server.number}}
acknowledged = server.receive()
assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
assert acknowledged["params"] == {"notifications": {"toolsListChanged": True}, **mine}
os.unlink(tools + "now")
assert server.receive()["params"] == mine
server.tell("notifications/cancelled", {"requestId": server.number})
assert server.ask("server/discover", {"_meta": MODERN})["result"]
assert server.end() == 0

# Requests that wait without an end are refused at some time.
server = Stdio()
message = server.request("subscriptions/listen", {"_meta": MODERN})
flood = threading.Thread(target=server.send, args=(b"\n".join([json.dumps(message).encode()] * 10001),))
flood.start()
answers = [server.receive() for _ in range(10001)]
flood.join()
assert all("method" in answer for answer in answers[:-1]) and code(answers[-1]) == -32603
assert code(server.ask("nonsense", {"_meta": MODERN})) == -32601
assert server.end() == 0

# The end of the input ends what runs.
server = Stdio()
server.begin()
os.unlink("pid")
server.send(server.request("tools/call", call("bash", {"command": "echo $$ >pid; exec sleep 600"})))
wait_for(lambda: os.path.exists("pid") and os.path.getsize("pid") > 0)
with open("pid", encoding="ascii") as file:
    pid = int(file.read())
assert server.end() == 0
wait_for(lambda: not runs(pid))
server = Stdio()
server.begin()
server.process.send_signal(signal.SIGTERM)
assert server.process.wait(timeout=60) == 128 + signal.SIGTERM
