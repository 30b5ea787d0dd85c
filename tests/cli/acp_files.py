"""acp_files.py: pictures and files in prompts, and files that the editor has not saved."""
import base64
import os
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from acp import Editor

project = os.getcwd()
PICTURE = ("iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4zwAE/xkgFAAb8gP91pbyKwAAAABJRU5E"
           "rkJggg==")
READ, WRITE = "fs/read_text_file", "fs/write_text_file"


def path(name):
    return os.path.join(project, name)


def read(name):
    with open(path(name), encoding="utf-8") as file:
        return file.read()


def write(name, text):
    with open(path(name), "w", encoding="utf-8") as file:
        file.write(text)


# Files that go with a prompt: a text, a picture, a link.
editor = Editor("-p", "practice")
session = editor.open(project)
assert editor.stop(
    session, "hi", {"type": "image", "data": PICTURE, "mimeType": "image/png"},
    {"type": "resource", "resource": {"uri": "file://" + path("x.c"), "text": "int x;\n"}},
    {"type": "resource_link", "uri": "file:///etc/m%6ft%64%00%", "name": "motd"}) == "end_turn"
answer = editor.prompt(session, "hi", {"type": "image", "mimeType": "image/png", "data":
                                       base64.b64encode(b"\x89PNG\r\n\x1a\nbroken, and longer than 16").decode()})
assert answer["error"]["code"] == -32602 and "image/png" in answer["error"]["message"], answer
answer = editor.prompt(session, "hi", {"type": "resource", "resource": {"uri": "file:///big", "text": "x" * (2 << 20)}})
assert answer["error"]["code"] == -32602 and "1 MB" in answer["error"]["message"], answer
answer = editor.prompt(session, "hi", {"type": "resource", "resource": {
    "uri": "file:///bin", "blob": base64.b64encode(bytes(100)).decode()}})
assert answer["error"]["code"] == -32602 and "no text" in answer["error"]["message"], answer
editor.open(project, "session/load", sessionId=session)
assert "hi[motd](/etc/motd%00%)" in editor.text("user_message_chunk")
# Without the capability, nothing is asked.
write("a.txt", "saved\n")
assert editor.stop(session, "read a.txt") == "end_turn" and not editor.asked
assert editor.end() == 0

# What the editor has and has not saved.
editor = Editor("-p", "practice", capabilities={"fs": {"readTextFile": True, "writeTextFile": True}})
buffers = {}


def give(params):
    if params["path"] in buffers:
        return {"content": buffers[params["path"]]}
    if os.path.exists(params["path"]):
        return {"content": read(params["path"])}
    return {"code": -32002, "message": "there is none"}


def take(params):
    write(params["path"], params["content"])
    buffers.pop(params["path"], None)


editor.answers = {READ: give, WRITE: take}
session = editor.open(project)
# Saved: the tool reads the disk. Not saved: it reads a copy, and the disk stays as it is.
assert editor.stop(session, "read a.txt") == "end_turn" and "saved" in editor.text()
buffers[path("a.txt")] = "unsaved\n"
assert editor.stop(session, "read a.txt") == "end_turn" and "unsaved" in editor.text()
assert read("a.txt") == "saved\n" and path("a.txt") in buffers
assert [message["method"] for message in editor.asked] == [READ, READ]
temporary = os.environ.get("TMPDIR", "/tmp")
assert not [name for name in os.listdir(temporary) if name.startswith("ikigai-buffer-")
            and os.stat(os.path.join(temporary, name)).st_uid == os.getuid()
            and os.stat(os.path.join(temporary, name)).st_mtime > time.time() - 5]
# An edit: the editor saves first, and /undo goes back to what it saved.
assert editor.stop(session, "replace unsaved with edited in a.txt") == "end_turn"
assert read("a.txt") == "edited\n" and not buffers
assert editor.stop(session, "/undo") == "end_turn" and read("a.txt") == "unsaved\n"
# What the sandbox hides is hidden in the editor, too.
editor.stop(session, "/sandbox project")
editor.asked.clear()
hidden = os.environ["HOME"] + "/.ikigai/undo/x"
buffers[hidden] = "hidden text"
assert editor.stop(session, "read " + hidden) == "end_turn"
assert not editor.asked and "hidden text" not in str(editor.updates), editor.updates
editor.stop(session, "/sandbox off")
# A new file, and an editor that refuses.
assert editor.stop(session, "write new to b.txt") == "end_turn" and read("b.txt") == "new"
buffers[path("b.txt")] = "mine"
editor.answers[WRITE] = lambda params: {"code": -32603, "message": "disk full"}
assert editor.stop(session, "write newer to b.txt") == "end_turn" and read("b.txt") == "newer"
# One that says nothing holds up this call only, until it is cancelled.
editor.answers[READ] = None
running = editor.start(session, "read a.txt")
question = editor.until(lambda message: message.get("method") == READ)
editor.tell("session/cancel", {"sessionId": session})
assert editor.answer(running)["result"]["stopReason"] == "cancelled"
editor.reply(question, {"content": "late"})
editor.answers[READ] = give
assert editor.stop(session, "read a.txt") == "end_turn"
assert editor.end() == 0
print("ok")
