"""acp_broken.py: editors that say what they should not, and providers without a key."""
import http.server
import json
import os
import subprocess
import sys
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from acp import Editor, select, wait_for

project = os.getcwd()
editor = Editor()

# Nothing but answers comes out, whatever goes in.
for line, code in ((b"{", -32700), (b"[]", -32600), (b"7", -32600), (b'{"jsonrpc":"2.0","id":null}', -32600),
                   (b'{"id":1,"method":"initialize"}', -32600), (b'"\xff"', -32700)):
    editor.write(line)
    answer = editor.receive()
    assert answer["error"]["code"] == code, (line, answer)
assert editor.ask("session/fly", {})["error"]["code"] == -32601
assert editor.ask("session/cancel", {})["error"]["code"] == -32601 # it is a notification
editor.tell("session/prompt", {})
editor.tell("who/knows", {})
editor.write(b'{"jsonrpc":"2.0","id":99,"result":{}}') # answers nothing
editor.write(b'{"jsonrpc":"2.0","id":"x","error":{}}')
for method in "session/prompt", "session/set_mode", "session/set_config_option", "session/close":
    assert editor.ask(method, {"sessionId": "none"})["error"]["code"] == -32002
    assert editor.ask(method, None)["error"]["code"] in (-32002, -32600)
editor.tell("session/cancel", {"sessionId": "none"})
editor.tell("$/cancel_request", {})

# What comes right behind a session that can't be opened finds none.
for number, (params, code) in enumerate((({"cwd": "relative", "sessionId": "x"}, -32602),
                                         ({"cwd": "/no/such/place", "sessionId": "x"}, -32603))):
    editor.write(b"\n".join(json.dumps({"jsonrpc": "2.0", "id": f"{number} {method}", "method": method,
                                        "params": {"mcpServers": [], "modeId": "ask", **params}}).encode()
                            for method in ("session/load", "session/set_mode")))
    for method, expected in ("session/load", code), ("session/set_mode", -32002):
        assert editor.answer(f"{number} {method}")["error"]["code"] == expected

# Prompts that can't be taken name why.
session = editor.open(project)
for blocks, word in ([], "empty"), ("text", "empty"), ([{"type": "audio", "data": ""}], "audio"), \
        ([{"type": "image", "data": "?", "mimeType": "image/png"}], "base64"), \
        ([{"type": "resource", "resource": {"uri": "x"}}], "blob"), ([7], "no"), \
        ([{"type": "text", "text": "see @missing.txt"}], "missing.txt"):
    answer = editor.ask("session/prompt", {"sessionId": session, "prompt": blocks})
    assert answer["error"]["code"] == -32602 and word in answer["error"]["message"], answer

# A huge line is refused, and the next one is read.
editor.process.stdin.write(b'{"jsonrpc":"2.0","id":7,"method":"' + b"x" * (65 << 20) + b'"}\n')
assert editor.receive()["error"]["code"] == -32700
assert editor.stop(session, "hi") == "end_turn"
big = "long " * 100000
assert editor.stop(session, big) == "end_turn"
assert editor.end() == 0

# The other end is gone.
process = subprocess.Popen([os.environ["BUILD"] + "/ikigai", "acp"], stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
process.stdout.close()
process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n')
process.stdin.flush()
assert process.wait(timeout=20) == 1
assert process.stderr.read() == b""

# Without a key: the protocol's own error, with what to set; no turn can begin.
editor = Editor("-p", "openai")
answer = editor.ask("session/new", {"cwd": project, "mcpServers": []})
assert answer["error"]["code"] == -32000 and "OPENAI_API_KEY" in answer["error"]["message"], answer
answer = editor.ask("session/prompt", {"sessionId": "", "prompt": []})
assert answer["error"]["code"] == -32002
assert editor.end() == 0
# A provider that refuses the key says so in the turn.


class Refusal(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = b'{"error": {"message": "Incorrect API key", "code": "invalid_api_key"}}'
        self.rfile.read(int(self.headers["Content-Length"] or 0))
        self.send_response(401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST

    def log_message(self, *words):
        pass


provider = http.server.HTTPServer(("127.0.0.1", 0), Refusal)
threading.Thread(target=provider.serve_forever, daemon=True).start()
editor = Editor("-p", "openai", env={**os.environ, "OPENAI_API_KEY": "k",
                                     "OPENAI_BASE_URL": f"http://127.0.0.1:{provider.server_port}/v1"})
session = editor.open(project)
answer = editor.prompt(session, "hi")
assert answer["error"]["code"] == -32000, answer
assert editor.stop(session, "/title Still there") == "end_turn"
assert editor.end() == 0

# What is wrong with the command line is said in the answer; with our own file, at the start.
editor = Editor("-p", "nobody")
answer = editor.ask("session/new", {"cwd": project, "mcpServers": []})
assert answer["error"]["code"] == -32603 and "nobody" in answer["error"]["message"]
assert editor.end() == 0
os.makedirs(os.environ["HOME"] + "/.ikigai", exist_ok=True)
with open(os.environ["HOME"] + "/.ikigai/config.json", "w", encoding="utf-8") as file:
    file.write('{"mode": 7}')
done = subprocess.run([os.environ["BUILD"] + "/ikigai", "acp"], stdin=subprocess.DEVNULL,
                      capture_output=True, check=False)
assert done.returncode == 2 and done.stdout == b"" and b"config.json" in done.stderr
os.unlink(os.environ["HOME"] + "/.ikigai/config.json")

# Notices are told as such to an editor that says it shows them.
os.mkdir("tools")
editor = Editor(capabilities={"session": {"notices": {}}})
os.makedirs(".ikigai/tools")
with open(".ikigai/tools/mine", "w", encoding="utf-8") as file:
    file.write("#!/bin/sh\ntouch ran\n")
os.chmod(".ikigai/tools/mine", 0o755)
session = editor.open(project)
# What came with the directory is asked about before the first prompt: no, then for good, then yes.
QUESTION = "session/request_permission"
editor.answers[QUESTION] = select("not-now")
number = editor.start(session, "hi")
notice = editor.until_update("notice")
assert "ikigai tool trust" in notice["title"] and notice["severity"] == "info"
assert editor.answer(number)["result"]["stopReason"] == "end_turn"
asked = editor.asked.pop()["params"]
assert ".ikigai/tools/mine" in str(asked["toolCall"]["content"]) and not editor.asked
assert [option["kind"] for option in asked["options"]] == ["allow_always", "reject_once", "reject_always"]
assert editor.stop(session, "hi") == "end_turn" and not editor.asked and not os.path.exists("ran")
editor.answers[QUESTION] = select("trust")
session = editor.open(project)
assert editor.stop(session, "hi") == "end_turn" and len(editor.asked) == 1
wait_for(lambda: os.path.exists("ran")) # it was asked for its schema
session = editor.open(project)
assert editor.stop(session, "hi") == "end_turn" and len(editor.asked) == 1
# A question that waits is cancelled with the prompt.
with open(".ikigai/tools/mine", "a", encoding="utf-8") as file:
    file.write("true\n")
editor.answers[QUESTION] = None
session = editor.open(project)
number = editor.start(session, "hi")
editor.until(lambda message: message.get("method") == QUESTION)
editor.tell("session/cancel", {"sessionId": session})
assert editor.answer(number)["result"]["stopReason"] == "cancelled"
assert editor.end() == 0
print("ok")
