"""acp.py: an editor that speaks the Agent Client Protocol, for tests of `ikigai acp`.

    editor = Editor("-p", "practice")         starts it and says hello
    session = editor.open(cwd)                session/new; the id
    answer = editor.prompt(session, "hi")     the answer; what was told before it is in editor.updates
    editor.answers["session/request_permission"] = lambda params: {...}

Each message that comes is checked against the protocol's schema if ACP_SCHEMA names it.
"""
import json
import os
import subprocess
import time

SCHEMA = None
if os.environ.get("ACP_SCHEMA"):
    import jsonschema
    with open(os.environ["ACP_SCHEMA"], encoding="utf-8") as file:
        SCHEMA = json.load(file)


def check(kind, value):
    if SCHEMA:
        jsonschema.Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": SCHEMA["$defs"]}) \
            .validate(value)


RESULTS = {"initialize": "InitializeResponse", "session/new": "NewSessionResponse",
           "session/load": "LoadSessionResponse", "session/resume": "ResumeSessionResponse",
           "session/list": "ListSessionsResponse", "session/prompt": "PromptResponse",
           "session/set_mode": "SetSessionModeResponse", "session/close": "CloseSessionResponse",
           "session/delete": "DeleteSessionResponse",
           "session/set_config_option": "SetSessionConfigOptionResponse"}
REQUESTS = {"session/request_permission": "RequestPermissionRequest",
            "fs/read_text_file": "ReadTextFileRequest",
            "fs/write_text_file": "WriteTextFileRequest"}


class Editor:
    def __init__(self, *options, capabilities=None, **more):
        self.process = subprocess.Popen(
            [os.environ["BUILD"] + "/ikigai", "acp", *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, **more)
        self.number = 0
        self.sent = {}      # methods of requests, by number
        self.updates = []   # since the last answer that was waited for
        self.asked = []     # requests of the agent
        self.answers = {}   # what answers them: functions of their params; None: no answer
        self.early = {}     # answers nobody waited for yet
        if capabilities is not False:
            self.agent = self.ask("initialize", {
                "protocolVersion": 1, "clientInfo": {"name": "test", "version": "1"},
                "clientCapabilities": capabilities or {}})["result"]

    def write(self, message):
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def send(self, method, params):
        self.number += 1
        self.sent[self.number] = method
        self.write({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        return self.number

    def tell(self, method, params):
        self.write({"jsonrpc": "2.0", "method": method, "params": params})

    def receive(self):
        line = self.process.stdout.readline()
        if not line:
            return None
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        if message.get("method") == "session/update":
            check("SessionNotification", message["params"])
            self.updates.append(message["params"])
        elif "method" in message and "id" in message:
            check(REQUESTS[message["method"]], message["params"])
            self.asked.append(message)
            answer = self.answers.get(message["method"])
            if answer:
                self.reply(message, answer(message["params"]))
        elif "method" not in message:
            if "result" in message and message["id"] in self.sent:
                kind = RESULTS.get(self.sent[message["id"]])
                if kind:
                    check(kind, message["result"])
            self.early[message["id"]] = message
        return message

    def reply(self, request, result):
        if isinstance(result, dict) and "code" in result:
            self.write({"jsonrpc": "2.0", "id": request["id"], "error": result})
        else:
            self.write({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def answer(self, number):
        while number not in self.early:
            assert self.receive() is not None, "it has ended"
        return self.early.pop(number)

    def until(self, found):
        """Receive until found(message) is true; return that message."""
        while True:
            message = self.receive()
            assert message is not None, "it has ended"
            if found(message):
                return message

    def until_update(self, kind, session=None):
        return self.until(
            lambda m: m.get("method") == "session/update"
            and m["params"]["update"]["sessionUpdate"] == kind
            and session in (None, m["params"]["sessionId"]))["params"]["update"]

    def ask(self, method, params):
        self.updates = []
        return self.answer(self.send(method, params))

    def open(self, cwd, method="session/new", **more):
        answer = self.ask(method, {"cwd": cwd, "mcpServers": [], **more})
        assert "result" in answer, answer
        self.opened = answer["result"]
        return answer["result"].get("sessionId", more.get("sessionId"))

    def start(self, session, *blocks):
        self.updates = []
        return self.send("session/prompt", {"sessionId": session, "prompt": [
            {"type": "text", "text": block} if isinstance(block, str) else block
            for block in blocks]})

    def prompt(self, session, *blocks):
        return self.answer(self.start(session, *blocks))

    def stop(self, session, *blocks):
        answer = self.prompt(session, *blocks)
        assert "result" in answer, answer
        return answer["result"]["stopReason"]

    def kinds(self):
        return [entry["update"]["sessionUpdate"] for entry in self.updates]

    def of(self, kind):
        return [entry["update"] for entry in self.updates
                if entry["update"]["sessionUpdate"] == kind]

    def text(self, kind="agent_message_chunk"):
        return "".join(update["content"]["text"] for update in self.of(kind))

    def end(self):
        self.process.stdin.close()
        while self.receive():
            pass
        return self.process.wait(timeout=60)


def wait_for(true, seconds=20):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def select(option):
    return lambda params: {"outcome": {"outcome": "selected", "optionId": option}}
