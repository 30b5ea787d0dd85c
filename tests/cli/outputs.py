"""outputs.py FILE BYTES: a session of two events as `ikigai session export` writes it, the second
one with so many bytes of stdout, in parts, and one byte of stderr.  Prints the session's id."""
import base64
import json
import sys

PART = 256 * 1024
path, length = sys.argv[1], int(sys.argv[2])
SESSION = "01234567-89ab-7cde-8f01-%012x" % length


def dump(value):
    return json.dumps(value, separators=(",", ":")) + "\n"


def identity(number):
    return "fedcba98-7654-7321-8f%02x-%012x" % (number, length)


def event(number, kind, content, data):
    return dump({"id": identity(number), "session": SESSION, "sequence": number, "kind": kind,
                 "content": content, "data": data, "time": "2026-01-31T12:00:0%d.123Z" % number})


def part(blob, number, data):
    return dump({"blob": blob, "part": number, "base64": base64.b64encode(data).decode()})


with open(path, "w") as out:
    out.write(event(1, "user", "much, please", None))
    out.write(event(2, "tool_result", "much", {
        "tool_call_id": "call_a", "name": "large",
        "blobs": {"stdout": {"id": identity(3), "bytes": length},
                  "stderr": {"id": identity(4), "bytes": 1}},
        "output": "{}", "success": True, "duration_ms": 5}))
    for at in range(0, length, PART):
        # No two parts are alike, and no text: any byte may stand in them.
        size = min(PART, length - at)
        row = bytes((i + at // PART) % 256 for i in range(251))
        out.write(part(identity(3), at // PART, (row * (size // 251 + 1))[:size]))
    out.write(part(identity(4), 0, b"!"))
print(SESSION)
