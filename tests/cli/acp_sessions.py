"""acp_sessions.py: sessions that are listed, loaded, resumed, followed and deleted."""
import json
import os
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from acp import Editor, wait_for

project = os.getcwd()


def ticks(of):
    """The hundredths of a second that it has been running."""
    with open(f"/proc/{of.process.pid}/stat", encoding="utf-8") as file:
        return sum(int(number) for number in file.read().rsplit(")", 1)[1].split()[11:13])


def run(*words):
    return subprocess.run([os.environ["BUILD"] + "/ikigai", *words], check=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout.decode()


with open("a.txt", "w", encoding="utf-8") as file:
    file.write("hello there\n")
editor = Editor("-p", "practice")
assert editor.ask("session/list", {})["result"] == {"sessions": []}
first = editor.open(project)
editor.stop(first, "read a.txt")
editor.stop(first, "think about apples")
editor.stop(first, "replace there with you in a.txt")
editor.stop(first, "/title Apples")


def listed(**params):
    return [(entry["sessionId"], entry["cwd"], entry["title"])
            for entry in editor.ask("session/list", params)["result"]["sessions"]]


wait_for(lambda: listed(cwd=project) == [(first, project, "Apples")])
assert editor.ask("session/list", {"cwd": "/"})["result"]["sessions"] == []
assert editor.ask("session/list", {"cursor": "?"})["error"]["code"] == -32602
assert editor.end() == 0

# Another program has all of it: exec goes on with it.
assert "rules" in run("exec", "-p", "practice", "--resume=" + first, "help")

# Loaded: all that was said, in order, then the answer. Resumed: only the answer.
editor = Editor("-p", "practice")
editor.open(project, "session/load", sessionId=first)
kinds = [kind for kind in editor.kinds() if kind not in ("tool_call_update",)]
assert kinds[:3] == ["user_message_chunk", "tool_call", "agent_message_chunk"], kinds
assert editor.text("user_message_chunk").startswith("read a.txtthink about apples")
assert "`a.txt` has 1 line" in editor.text() and "apples" in editor.text("agent_thought_chunk")
ends = [update for update in editor.of("tool_call_update") if "rawOutput" in update]
assert [update["status"] for update in ends] == ["completed"] * 2
diff = [update["content"][0] for update in editor.of("tool_call")
        if update["kind"] == "edit"][0]
assert diff == {"type": "diff", "path": project + "/a.txt", "oldText": "there", "newText": "you"}
assert len({update["toolCallId"] for update in editor.of("tool_call")}) == 2
told = editor.until_update("session_info_update")
assert told["title"] == "Apples"
before = editor.kinds().count("user_message_chunk")
assert editor.stop(first, "read a.txt") == "end_turn" and "hello you" in editor.text()
assert "/undo" not in editor.text()
assert editor.stop(first, "/undo") == "end_turn"
with open("a.txt", encoding="utf-8") as file:
    assert file.read() == "hello there\n"
editor.ask("session/close", {"sessionId": first})
editor.open(project, "session/resume", sessionId=first)
assert "user_message_chunk" not in editor.kinds()
assert editor.stop(first, "hi") == "end_turn"
# Opened again while it is open, it is loaded anew.
editor.open(project, "session/load", sessionId=first)
assert editor.kinds().count("user_message_chunk") > before

# Two programs: the second one follows, asks, and gets it; the first one follows then.
other = Editor("-p", "practice")
other.open(project, "session/load", sessionId=first)
assert editor.stop(first, "stream 3") == "end_turn"
seen = other.until_update("user_message_chunk")
assert seen["content"]["text"] == "stream 3"
other.until_update("agent_message_chunk")
assert other.stop(first, "list *.txt") == "end_turn"
assert editor.until_update("user_message_chunk")["content"]["text"] == "list *.txt"
editor.until(lambda message: "rawOutput" in message.get("params", {}).get("update", {}))
# While it is at work, it keeps it until the turn is over.
running = other.start(first, "run sleep 1")
other.until_update("tool_call")
back = editor.start(first, "hi")
assert other.answer(running)["result"]["stopReason"] == "end_turn"
assert editor.answer(back)["result"]["stopReason"] == "end_turn"
# While a store program doesn't say what was said elsewhere, its client sleeps.
programs = subprocess.run(["pgrep", "-P", str(other.process.pid), "-x", "store-sqlite"],
                          check=True, stdout=subprocess.PIPE).stdout.split()
for program in programs:
    os.kill(int(program), signal.SIGSTOP)
back = other.start(first, "hi")
time.sleep(1)
before = ticks(other)
time.sleep(1)
assert ticks(other) - before < 10, ticks(other) - before
for program in programs:
    os.kill(int(program), signal.SIGCONT)
assert other.answer(back)["result"]["stopReason"] == "end_turn"
assert editor.stop(first, "hi") == "end_turn"
# One that waits for it can be cancelled.
running = editor.start(first, "run sleep 60")
editor.until_update("tool_call")
waiting = other.start(first, "hi")
other.tell("session/cancel", {"sessionId": first})
assert other.answer(waiting)["result"]["stopReason"] == "cancelled"
editor.tell("session/cancel", {"sessionId": first})
assert editor.answer(running)["result"]["stopReason"] == "cancelled"
assert other.end() == 0

# What can't be opened.
for method, params, code in (
        ("session/load", {"sessionId": "01a00000-0000-7000-8000-000000000000"}, -32002),
        ("session/resume", {"sessionId": "no such"}, -32002),
        ("session/load", {}, -32602),
        ("session/new", {"cwd": "relative"}, -32602),
        ("session/new", {"cwd": "/no/such/place"}, -32603)):
    answer = editor.ask(method, {"cwd": project, "mcpServers": [], **params})
    assert answer["error"]["code"] == code, answer
os.mkdir("broken")
os.mkdir("broken/.ikigai")
with open("broken/.ikigai/config.json", "w", encoding="utf-8") as file:
    file.write("{")
assert "result" in editor.ask("session/new", {"cwd": project + "/broken", "mcpServers": []})

# A request that opens a session is answered also if the session is closed meanwhile.
editor.ask("session/close", {"sessionId": first})
opens = {"cwd": project, "mcpServers": [], "sessionId": first}
editor.write(b"\n".join(json.dumps({"jsonrpc": "2.0", "id": name, "method": "session/" + method,
                                    "params": opens}).encode()
                        for name, method in (("a", "load"), ("b", "load"), ("c", "close"))))
for name in "a", "b":
    assert editor.answer(name)["error"]["code"] == -32800
assert editor.answer("c")["result"] == {}

# Deleted, unless another program has it open.
other = Editor("-p", "practice")
other.open(project, "session/load", sessionId=first)
answer = editor.ask("session/delete", {"sessionId": first})
assert answer["error"]["code"] == -32603 and str(other.process.pid) in answer["error"]["message"], answer
assert other.end() == 0
for odd in None, "no such", "../" * 10 + "tmp/x1":
    assert editor.ask("session/delete", {"sessionId": odd})["error"]["code"] == -32002
undone = os.path.join(os.environ["HOME"], ".ikigai/undo", first)
assert os.path.exists(undone)
assert editor.ask("session/delete", {"sessionId": first})["result"] == {}
assert first not in str(editor.ask("session/list", {})) and not os.path.exists(undone)
assert "error" in editor.ask("session/load", {"cwd": project, "mcpServers": [], "sessionId": first})
assert editor.end() == 0

# Killed in the middle of a call: what was said is there, and nothing goes on running.
editor = Editor("-p", "practice")
last = editor.open(project)
editor.start(last, "run echo $$ >pid; sleep 60")
wait_for(lambda: os.path.exists("pid") and open("pid", encoding="utf-8").read().strip())
editor.process.kill()
editor.process.wait()
with open("pid", encoding="utf-8") as file:
    pid = file.read().strip()
while os.path.exists("/proc/" + pid):
    pass
editor = Editor("-p", "practice")
editor.open(project, "session/load", sessionId=last)
assert "sleep 60" in editor.text("user_message_chunk")
assert editor.stop(last, "hi") == "end_turn"

# The end of the input ends what runs, and what was said is stored.
editor.start(last, "run echo $$ >pid2; sleep 60")
wait_for(lambda: os.path.exists("pid2") and open("pid2", encoding="utf-8").read().strip())
assert editor.end() == 0
with open("pid2", encoding="utf-8") as file:
    assert not os.path.exists("/proc/" + file.read().strip())
assert json.loads(run("session", "list", "--json").splitlines()[0])["id"] == last
print("ok")
