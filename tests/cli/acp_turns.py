"""acp_turns.py: prompts, calls, questions, settings, commands and their end, as an editor sees them."""
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from acp import Editor, select, wait_for

project = os.getcwd()


def path(name):
    return os.path.join(project, name)


def read(name):
    with open(path(name), encoding="utf-8") as file:
        return file.read()


with open(path("a.txt"), "w", encoding="utf-8") as file:
    file.write("hello there\n")

editor = Editor()
assert editor.agent["protocolVersion"] == 1 and editor.agent["agentInfo"]["name"] == "ikigai"
assert editor.agent["agentCapabilities"]["loadSession"] is True
session = editor.open(project)
assert [mode["id"] for mode in editor.opened["modes"]["availableModes"]] == ["auto", "ask", "read-only"]
options = {option["id"]: option for option in editor.opened["configOptions"]}
assert options["mode"]["currentValue"] == "auto" and options["model"]["currentValue"] == "practice"
commands = editor.until_update("available_commands_update")["availableCommands"]
assert {"undo", "compact", "usage"} <= {command["name"] for command in commands}
assert not {"quit", "theme", "editor"} & {command["name"] for command in commands}

# A reply, and the title that the first words give.
assert editor.stop(session, "hi") == "end_turn"
assert "I don't know `hi`" in editor.text()
assert editor.of("session_info_update")[0]["title"] == "hi"

# A call that reads: where, with what, and what came of it.
assert editor.stop(session, "read a.txt") == "end_turn"
calls = editor.of("tool_call") + editor.of("tool_call_update")
assert len({call["toolCallId"] for call in calls}) == 1
whole = {}
for call in calls:
    whole.update(call)
assert whole["kind"] == "read" and whole["title"] == "Read a.txt" and whole["status"] == "completed"
assert whole["rawInput"] == {"file_path": "a.txt"} and whole["locations"] == [{"path": path("a.txt")}]
assert whole["rawOutput"] == {"tool_success": True, "result": {"output": "hello there\n"}}
assert whole["content"][0]["content"]["text"] == "```console\nhello there\n```"

# A failed one.
assert editor.stop(session, "read missing.txt") == "end_turn"
assert editor.of("tool_call_update")[-1]["status"] == "failed"

# What a call changes: a new file, then a place in it, and its line.
assert editor.stop(session, "write one to new.txt") == "end_turn"
diffs = [update["content"] for update in editor.of("tool_call_update") if update.get("content")]
assert diffs == [[{"type": "diff", "path": path("new.txt"), "oldText": None, "newText": "one"}]]
assert editor.stop(session, "replace one with two in new.txt") == "end_turn"
assert editor.of("tool_call_update")[-1]["locations"] == [{"path": path("new.txt"), "line": 1}]
assert read("new.txt") == "two"
assert editor.stop(session, "write three to new.txt") == "end_turn"
assert [update["content"][0]["oldText"] for update in editor.of("tool_call_update")
        if update.get("content")] == ["two"]

# What runs prints while it runs; two calls of a session have two ids.
assert editor.stop(session, "run echo $((6*7)); sleep 1") == "end_turn"
assert whole["toolCallId"] != editor.of("tool_call")[0]["toolCallId"]
assert editor.of("tool_call")[0]["kind"] == "execute"
live = [update for update in editor.of("tool_call_update") if update["status"] == "in_progress"]
assert any("42" in update["content"][0]["content"]["text"] for update in live if "content" in update)

# Commands: of ours, with their output; of the screen; of nobody.
assert editor.stop(session, "/undo") == "end_turn"
assert "new.txt" in editor.text() and read("new.txt") == "two"
assert editor.stop(session, "/usage") == "end_turn" and "tokens" in editor.text()
assert editor.stop(session, "/run glob {\"pattern\": \"*.txt\"}") == "end_turn"
assert editor.of("tool_call_update")[-1]["status"] == "completed"
assert editor.stop(session, "/theme light") == "end_turn" and "--resume=" in editor.text()
assert editor.stop(session, "/udno") == "end_turn" and "/undo" in editor.text()
assert editor.stop(session, "/title My title") == "end_turn"
assert editor.of("session_info_update")[0]["title"] == "My title"
# The fence around what is printed is longer than any in it.
editor.stop(session, "/title a ```` b")
assert editor.stop(session, "/title") == "end_turn" and editor.text().startswith("`````\nTitle: a ```` b\n`````\n")
editor.stop(session, "/title My title")

# The mode, by each of its three ways; then questions.
assert editor.ask("session/set_mode", {"sessionId": session, "modeId": "ask"})["result"] == {}
changed = editor.until_update("config_option_update")["configOptions"][0]
assert changed["id"] == "mode" and changed["currentValue"] == "ask"
answer = editor.ask("session/set_config_option",
                    {"sessionId": session, "configId": "mode", "value": "auto"})
assert answer["result"]["configOptions"][0]["currentValue"] == "auto"
assert editor.stop(session, "/mode ask") == "end_turn"
assert editor.of("current_mode_update")[0]["currentModeId"] == "ask"
for config, value in ("mode", "wild"), ("colour", "red"), ("model", None):
    answer = editor.ask("session/set_config_option",
                        {"sessionId": session, "configId": config, "value": value})
    assert answer["error"]["code"] == -32602, answer

QUESTION = "session/request_permission"
editor.answers[QUESTION] = select("no")
assert editor.stop(session, "write four to new.txt") == "end_turn"
assert editor.of("tool_call_update")[-1]["status"] == "failed" and read("new.txt") == "two"
asked = editor.asked.pop()["params"]
assert asked["sessionId"] == session and asked["toolCall"]["title"] == "Write new.txt"
assert [item["type"] for item in asked["toolCall"]["content"]] == ["content", "diff"]
assert [option["kind"] for option in asked["options"]] == \
    ["allow_once", "allow_always", "allow_always", "allow_always", "reject_once"]
for cancelled in {"outcome": {"outcome": "cancelled"}}, {"code": -32601, "message": "no"}, {"odd": 1}:
    editor.answers[QUESTION] = lambda params, reply=cancelled: reply
    assert editor.stop(session, "write four to new.txt") == "end_turn"
    assert read("new.txt") == "two"
editor.answers[QUESTION] = select("once")
assert editor.stop(session, "write four to new.txt") == "end_turn" and read("new.txt") == "four"
editor.asked.clear()
editor.answers[QUESTION] = select("session-1")
assert editor.stop(session, "write five to new.txt") == "end_turn" and read("new.txt") == "five"
assert editor.stop(session, "write six to new.txt") == "end_turn" and read("new.txt") == "six"
assert len(editor.asked) == 1 # the rule holds for the second
assert not os.path.exists(os.path.join(os.environ["HOME"], ".ikigai/policy.json"))
editor.asked.clear()
editor.answers[QUESTION] = select("always-1")
assert editor.stop(session, "replace six with seven in new.txt") == "end_turn"
assert os.path.exists(os.path.join(os.environ["HOME"], ".ikigai/policy.json"))
assert len(editor.asked) == 1

# A path that leads elsewhere by the time of the answer is asked about again.
other = editor.open(project)
editor.stop(other, "/mode ask")
os.symlink("one", path("link"))


def swap(params):
    if os.readlink(path("link")) == "one":
        os.unlink(path("link"))
        os.symlink("/dev/null", path("link"))
        return {"outcome": {"outcome": "selected", "optionId": "once"}}
    return {"outcome": {"outcome": "selected", "optionId": "no"}}


editor.asked.clear()
editor.answers[QUESTION] = swap
assert editor.stop(other, "write bad to link") == "end_turn"
assert len(editor.asked) == 2 and not os.path.exists(path("one"))

# A question that nobody answers blocks its own session only; cancelling ends it.
editor.answers[QUESTION] = None
waiting = editor.start(other, "write x to y.txt")
question = editor.until(lambda message: message.get("method") == QUESTION)
assert editor.stop(session, "hi") == "end_turn"
editor.tell("session/cancel", {"sessionId": other})
assert editor.until(lambda message: message.get("method") == "$/cancel_request")["params"] == \
    {"requestId": question["id"]}
assert editor.answer(waiting)["result"]["stopReason"] == "cancelled"
editor.reply(question, {"outcome": {"outcome": "cancelled"}}) # too late, and of no effect
assert not os.path.exists(path("y.txt"))

# Cancelling a call that runs; a prompt that waits behind it; a single request.
editor.stop(other, "/mode auto")
running = editor.start(other, "run echo $$ >pid; sleep 60")
behind = editor.start(other, "hi")
wait_for(lambda: os.path.exists(path("pid")) and read("pid").strip())
editor.tell("session/cancel", {"sessionId": other})
for number in running, behind:
    assert editor.answer(number)["result"]["stopReason"] == "cancelled"
wait_for(lambda: not os.path.exists("/proc/" + read("pid").strip()))
running = editor.start(other, "stream 5000")
editor.until_update("agent_message_chunk", other)
editor.tell("$/cancel_request", {"requestId": running})
assert editor.answer(running)["result"]["stopReason"] == "cancelled"
editor.tell("session/cancel", {"sessionId": other}) # nothing runs
assert editor.stop(other, "hi") == "end_turn"

# The user's own commands: files with prompts.
os.makedirs(os.environ["HOME"] + "/.ikigai/prompts")
with open(os.environ["HOME"] + "/.ikigai/prompts/look.md", "w", encoding="utf-8") as file:
    file.write("---\ndescription: Look at a file\nargument-hint: FILE\n---\nread $1\n")
fourth = editor.open(project)
commands = editor.until_update("available_commands_update", fourth)["availableCommands"]
assert {"name": "look", "description": "Look at a file", "input": {"hint": "FILE"}} in commands
assert editor.stop(fourth, "/look a.txt") == "end_turn"
# They come and go.
os.unlink(os.environ["HOME"] + "/.ikigai/prompts/look.md")
while "available_commands_update" not in editor.kinds(): # they are not read again at once
    editor.stop(fourth, "hi")
assert "Look at a file" not in str(editor.of("available_commands_update"))
editor.ask("session/close", {"sessionId": fourth})
assert b"read a.txt" in subprocess.run([os.environ["BUILD"] + "/ikigai", "session", "export", fourth],
                                       capture_output=True, check=True).stdout

# Skills are told of when the scan has found them.
os.makedirs(os.environ["HOME"] + "/.claude/skills/greet")
with open(os.environ["HOME"] + "/.claude/skills/greet/SKILL.md", "w", encoding="utf-8") as file:
    file.write("---\nname: greet\ndescription: How to greet\n---\nread a.txt\n")
fifth = editor.open(project)
greet = {"name": "greet", "description": "How to greet"}
while greet not in editor.until_update("available_commands_update", fifth)["availableCommands"]:
    pass
assert editor.stop(fifth, "/greet") == "end_turn"
assert "Skill greet loaded" in str(editor.updates), editor.updates
editor.ask("session/close", {"sessionId": fifth})

# The MCP servers of the editor are a session's own.
served = editor.open(project, mcpServers=[
    {"name": "by editor", "command": "python3", "args": [os.environ["FIXTURES"] + "/mcp/server", "legacy"],
     "env": [{"name": "WORD", "value": "from the editor"}]},
    {"name": "bad", "command": "/no/such/program", "args": [], "env": []}])
assert editor.stop(served, 'call by_editor__echo {"text": "through"}') == "end_turn"
assert "through" in str(editor.of("tool_call_update")[-1]["rawOutput"]), editor.updates
editor.ask("session/close", {"sessionId": served})
assert editor.stop(other, 'call by_editor__echo {"text": "through"}') == "end_turn"
assert "rawOutput" not in str(editor.updates) or "completed" not in str(editor.updates)

# Two at the same time, each in its own directory.
os.mkdir(path("sub"))
third = editor.open(path("sub"))
slow = editor.start(other, "run sleep 1; pwd")
assert editor.stop(third, "run pwd >where") == "end_turn" and read("sub/where").strip() == path("sub")
assert editor.answer(slow)["result"]["stopReason"] == "end_turn"
assert any(project in str(update.get("rawOutput")) for update in editor.of("tool_call_update"))
assert editor.ask("session/close", {"sessionId": third})["result"] == {}
assert editor.ask("session/prompt", {"sessionId": third, "prompt": []})["error"]["code"] == -32002
assert editor.end() == 0
print("ok")
