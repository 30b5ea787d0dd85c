"""faults.py: the table of faults, held against the real program over real sockets.

Each row: what the server does, and what a person sees: the code of the error, words
of it, whether the request was tried again (twice here), what of the reply was kept.
The same table stands in words in ikigai(1), "Faults".
"""
import json, os, subprocess, sys, time
from email.utils import formatdate

BUILD, HOME = os.environ["BUILD"], os.environ["HOME"]
PAGE = "header Content-Type: text/html\nsend <html><title>Welcome</title></html>"
TOO_LONG = {
    "openai-chat": "This model's maximum context length is 8192 tokens.",
    "openai-responses": "Your input exceeds the context window of this model.",
    "anthropic": "prompt is too long: 210000 tokens > 200000 maximum",
    "google": "The input token count (1200000) exceeds the maximum number of tokens allowed.",
}

def in_seconds(seconds):
    """A time from now as HTTP writes it."""
    return formatdate(time.time() + seconds, usegmt=True)

def failed(status, kind):
    return f"status {status}\nerror {kind} Said by the server"

# what happens: (steps, code, words, tried again, kept)
TABLE = {
    "408": (failed(408, "server"), "PROVIDER", "Said by the server", True, ""),
    "409": (failed(409, "server"), "PROVIDER", "Said by the server", True, ""),
    "425": (failed(425, "server"), "PROVIDER", "Said by the server", True, ""),
    "429": (failed(429, "limit"), "RATE_LIMIT", "rate limit of your account", True, ""),
    "500": (failed(500, "server"), "PROVIDER", "on the provider's side", True, ""),
    "502": (failed(502, "server"), "PROVIDER", "on the provider's side", True, ""),
    "503": (failed(503, "overloaded"), "PROVIDER", "on the provider's side", True, ""),
    "504": (failed(504, "server"), "PROVIDER", "on the provider's side", True, ""),
    "529": (failed(529, "overloaded"), "PROVIDER", "on the provider's side", True, ""),
    "503, a page": ("status 503\n" + PAGE, "PROVIDER", "Welcome", True, ""),
    "400": (failed(400, "invalid"), "PROVIDER", "Said by the server", False, ""),
    "400, too long": ("status 400\nerror invalid TOO_LONG", "CONTEXT", "too long for this model",
                      False, ""),
    "401": (failed(401, "key"), "AUTH", "environment variable", False, ""),
    "403": (failed(403, "key"), "AUTH", "environment variable", False, ""),
    "404": (failed(404, "missing"), "PROVIDER", "Check the model's name", False, ""),
    "429, far too long": ("header Retry-After: 86400\n" + failed(429, "limit"), "RATE_LIMIT",
                          "rate limit of your account", False, ""),
    "429, until a day too far": ("header Retry-After: " + in_seconds(86400) + "\n" + failed(429, "limit"),
                                 "RATE_LIMIT", "rate limit of your account", False, ""),
    "429, until a day past": ("header Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\n" + failed(429, "limit"),
                              "RATE_LIMIT", "rate limit of your account", True, ""),
    "429, until nonsense": ("header Retry-After: soon\n" + failed(429, "limit"),
                            "RATE_LIMIT", "rate limit of your account", True, ""),
    "reset before the head": ("reset", "CONNECT", "127.0.0.1", True, ""),
    "closed before the head": ("framing raw\nclose", "CONNECT", "without an answer", True, ""),
    "no HTTP": ("framing raw\nsend SSH-2.0-x\\r\\n", "CONNECT", "is no HTTP", False, ""),
    "reset after the head": ("head\nreset", "CONNECT", "127.0.0.1", True, ""),
    "closed after the head": ("head\nclose", "CONNECT", "127.0.0.1", True, ""),
    "silence after the head": ("head\nhang", "TIMEOUT", "idle_timeout_s", False, ""),
    "an empty answer": ("head", "CONNECT", "empty answer", True, ""),
    "an error as JSON": ('header Content-Type: application/json\nsend {"error":{"message":"Said by '
                         'the server","code":"server_error"}}', "PROVIDER", "Said by the server", True, ""),
    "other JSON": ('header Content-Type: application/json\nsend {"id":1,"choices":[]}', "BAD_RESPONSE",
                   "far", False, ""),
    "plain words": ("header Content-Type: text/plain\nsend Nobody is at home.", "BAD_RESPONSE",
                    "Nobody is at home", False, ""),
    "a page": (PAGE, "BAD_RESPONSE", "web page", False, ""),
    "an event that is no JSON": ("send data: nonsense\\n\\n", "BAD_RESPONSE", "nonsense", False, ""),
    "overloaded inside": ("error overloaded Later", "PROVIDER", "far: Later", True, ""),
    "a limit inside": ("error limit Slowly", "RATE_LIMIT", "far: Slowly", True, ""),
    "refused inside": ("error invalid Never", "PROVIDER", "far: Never", False, ""),
    "overloaded after text": ("chat Half\nerror overloaded Later", "PROVIDER", "kept", False, "Half"),
    "reset after text": ("chat Half\nwait text\nreset", "CONNECT", "kept", False, "Half"),
    "closed after text": ("chat Half\nclose", "CONNECT", "kept", False, "Half"),
    "ended after text": ("chat Half", "CONNECT", "kept", False, "Half"),
    "cut in an event": ("chat Half\nsend data: {\"cho\nclose", "CONNECT", "kept", False, "Half"),
    "silence": ("hang", "TIMEOUT", "idle_timeout_s", False, ""),
    "silence after text": ("chat Half\nhang", "TIMEOUT", "idle_timeout_s", False, "Half"),
    "comments, then silence": ("pace 200000\n" + "send : alive\\n\\n\n" * 8 + "hang", "TIMEOUT", "idle_timeout_s", False, ""),
}

def ask(wire, steps, address=None, patience=60):
    """Serve the steps (a scenario's answers), ask, and return the lines that were printed and the requests.
    So many seconds of silence are borne: few where that is what is to be seen."""
    record, scenario = HOME + "/asked", HOME + "/scenario"
    open(record, "w").close()
    with open(scenario, "w") as file:
        file.write(f"wire {wire}\n{steps}\n")
    server = subprocess.Popen([BUILD + "/tests/net/loopback_server", "-c", "-d", "-r", record, scenario],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    address = address or "http://127.0.0.1:" + server.stdout.readline().strip()
    if wire.startswith("openai"):
        address += "/v1"
    with open(HOME + "/.ikigai/config.json", "w") as file:
        json.dump({"providers": {"far": {"type": wire, "base_url": address}},
                   "retry": {"base_ms": 1, "cap_ms": 2, "max": 2},
                   "http": {"idle_timeout_s": patience}}, file)
    program = subprocess.Popen([BUILD + "/ikigai", "exec", "--json", "-p", "far", "-m", "m", "hi"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    lines = []
    for line in program.stdout:
        lines.append(json.loads(line))
        if lines[-1]["type"] == "text":
            server.stdin.write("go text\n")
            server.stdin.flush()
    program.wait()
    server.stdin.close()
    server.wait()
    with open(record) as file:
        requests = [line for line in map(json.loads, file) if "body" in line]
    return lines, len(requests)

def of(lines, kind, member):
    return [line[member] for line in lines if line["type"] == kind]

def check(name, wire, row, address=None):
    steps, code, words, again, kept = row
    steps = steps.replace("TOO_LONG", TOO_LONG[wire])
    lines, requests = ask(wire, "answer always\n" + steps, address, 1 if code == "TIMEOUT" else 60)
    seen = (of(lines, "error", "code"), "".join(of(lines, "text", "text")), len(of(lines, "notice", "type")),
            lines[-1].get("stop_reason"), address is not None or requests == (3 if again else 1))
    if seen == ([code], kept, 2 if again else 0, "error", True) and \
       words in of(lines, "error", "message")[0]:
        return True
    print(f"{name}, {wire}: {requests} requests", *lines, sep="\n  ")
    return False

good = True
for wire in TOO_LONG:
    for name, row in TABLE.items():
        # What has no words of the format in it is the same in all.
        if wire == "openai-chat" or name[:3] in ("400", "401", "429", "503") or "chat" in row[0] or \
           "inside" in name:
            good = check(name, wire, row) and good
    refused = ("hang", "CONNECT", "connection refused", False, "")
    good = check("nobody there", wire, refused, "http://127.0.0.1:1") and good

# What Retry-After says is waited for, and not less.
for said in "1", None:
    began = time.monotonic()
    said = said or in_seconds(3)  # from now: the turn before may have taken longer
    lines, requests = ask("openai-chat", f"answer\nheader Retry-After: {said}\n{failed(429, 'limit')}\n"
                          "answer\nchat Now.\nfinish stop\ndone")
    if requests != 2 or lines[-1].get("stop_reason") != "end" or time.monotonic() - began < 1:
        print(f"Retry-After: {said}: {requests} requests", *lines, sep="\n  ")
        good = False
sys.exit(not good)
