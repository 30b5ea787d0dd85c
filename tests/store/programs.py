#!/usr/bin/env python3
"""programs.py sqlite | postgres [TEST...]: a store program, spoken to as its clients do.

Its journals are written by hand.  Prints TAP.  The same tests hold for every store program, but for
those that say whose they are.
"""
import base64
import contextlib
import fcntl
import json
import os
import random
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import uuid

BUILD = os.environ.get("IK_TOP_BUILDDIR", ".")
SOURCES = os.environ.get("IK_TOP_SRCDIR", os.path.join(os.path.dirname(__file__), "../.."))
# Long enough for a sanitizer's build on a busy machine.
SECONDS = 60
KILLS = int(os.environ.get("IK_TEST_KILLS", "20"))
DAMAGES = int(os.environ.get("IK_TEST_DAMAGES", "20"))
# The library that writes down what a database is asked, and where; empty: none.
STATEMENTS = os.environ.get("IK_TEST_STATEMENTS_LIBRARY", "")
ASKED = os.path.join(tempfile.mkdtemp(), "statements")


class Refused(Exception):
    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]


class Client:
    """One end of a store program."""

    def __init__(self, command):
        self.journals = command[-1]
        ours, theirs = socket.socketpair()
        written = {"LD_PRELOAD": STATEMENTS, "IK_TEST_STATEMENTS": ASKED} if STATEMENTS else {}
        self.process = subprocess.Popen(command, stdin=theirs, stdout=theirs, env={**os.environ, **written})
        theirs.close()
        ours.settimeout(SECONDS)
        self.socket = ours
        self.lines = ours.makefile("r", encoding="utf-8")
        self.number = 0
        self.told = []

    def send(self, verb, **members):
        self.number += 1
        self.write({"id": self.number, "do": verb, **members})
        return self.number

    def write(self, request):
        self.socket.sendall(json.dumps(request).encode() + b"\n")

    def answer(self, number):
        """The lines of an answer, the last one included."""
        lines = []
        while True:
            text = self.lines.readline()
            if not text:
                raise EOFError("the program has ended")
            line = json.loads(text)
            if "id" not in line:
                if "progress" not in line: # which only slow work tells
                    self.told.append(line)
                continue
            assert line["id"] == number, (line, number)
            if "error" in line:
                raise Refused(line["error"])
            lines.append(line)
            if line.get("done"):
                return lines

    def ask(self, verb, **members):
        return self.answer(self.send(verb, **members))

    def take(self):
        """Store all journals, those of living writers included."""
        for name in sorted(os.listdir(self.journals)):
            with contextlib.suppress(FileNotFoundError), \
                    open(os.path.join(self.journals, name), encoding="utf-8") as file:
                self.ask("take", writer=json.loads(file.readline())["writer"])

    def take_of(self, journal):
        """Store what this journal's writer has written; what is said of the journal."""
        lines = self.ask("take", writer=journal.writer)
        return next((line for line in lines if line.get("journal") == journal.name), None)

    def close(self):
        self.lines.close()
        self.socket.close()
        return self.process.wait(SECONDS)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.lines.close()
        self.socket.close()
        self.process.wait()


class Journal:
    """A journal as the chat writes one."""

    def __init__(self, journals, session, after=0, **members):
        self.session = session
        self.writer = new_id()
        self.name = f"{session}.{self.writer}"
        self.path = os.path.join(journals, self.name)
        self.file = open(self.path, "ab", buffering=0)
        fcntl.flock(self.file, fcntl.LOCK_EX)
        self.put({"journal": 1, "session": session, "writer": self.writer,
                  "created_ms": 1000, "after": after, "directory": "/work", **members})

    def put(self, record):
        self.raw(json.dumps(record, ensure_ascii=False).encode() + b"\n")

    def raw(self, text):
        self.file.write(text)

    def event(self, content, kind="user", **members):
        id = new_id()
        self.put({"event": {"id": id, "kind": kind, "time": 2000, "content": content, **members}})
        return id

    def closed(self):
        self.put({"closed": True})
        self.file.close()

    def died(self):
        self.file.close()


def new_id():
    """In the order of time, as those of the program."""
    new_id.last = max(new_id.last + 1, time.time_ns() // 1000)
    number = new_id.last.to_bytes(8, "big")[2:] + os.urandom(10)
    return str(uuid.UUID(bytes=number))


new_id.last = 0


class Place:
    """A database and its journals in a directory of their own."""

    def __init__(self, kind):
        self.directory = tempfile.mkdtemp()
        self.journals = os.path.join(self.directory, "journal")
        os.mkdir(self.journals)
        self.kind = kind
        self.clients = []
        if kind == "sqlite":
            self.database = os.path.join(self.directory, "ikigai.db")
        else:
            name = "t" + os.path.basename(self.directory).lower().replace("_", "x")
            self.sql(f"CREATE DATABASE {name}", os.environ["IK_TEST_POSTGRES_ADMIN"])
            self.database = os.environ["IK_TEST_POSTGRES_ADMIN"].replace("postgres", name)

    def sql(self, statement, address=None):
        """What psql prints."""
        return subprocess.run(["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-d",
                               address or self.database, "-c", statement], check=True,
                              stdout=subprocess.PIPE, text=True).stdout.strip()

    def start(self):
        client = Client([os.path.join(BUILD, "libexec/stores/store-" + self.kind), self.database, self.journals])
        self.clients.append(client)
        return client

    def journal(self, session=None, **members):
        return Journal(self.journals, session or new_id(), **members)

    def stop(self):
        for client in self.clients:
            if client.process.poll() is None:
                client.kill()

    def close(self):
        self.stop()
        shutil.rmtree(self.directory)


def events(client, session, count=10000):
    """All of a session, oldest first."""
    lines = client.ask("page", session=session, count=count)[:-1]
    return [line["event"] for line in reversed(lines)]


def contents(client, session):
    return [event["content"] for event in events(client, session)]


def ids(client, **members):
    return [line["session"]["id"] for line in client.ask("list", **members)[:-1]]


def code_of(call, *arguments, **members):
    try:
        call(*arguments, **members)
    except Refused as refused:
        return refused.code
    return "OK"


# ---- the tests ----

def takes_each_event_once_and_as_it_is(place):
    client = place.start()
    journal = place.journal()
    first = journal.event("Hello \u00fc \u0000 \U0001f600", data={"big": 9007199254740993})
    second = journal.event("there", kind="assistant")
    for _ in range(3):
        last = client.take_of(journal)
        assert last["sequence"] == 2 and last["session"] == journal.session, last
    third = journal.event("again")
    client.take()
    stored = events(client, journal.session)
    assert [event["id"] for event in stored] == [first, second, third], stored
    assert [event["sequence"] for event in stored] == [1, 2, 3]
    assert stored[0]["content"] == "Hello \u00fc \u0000 \U0001f600"
    assert stored[0]["data"] == {"big": 9007199254740993}
    assert "data" not in stored[1] and stored[1]["kind"] == "assistant"
    session = client.ask("find", prefix=journal.session[:30])[0]["session"]
    assert session["title"].startswith("Hello") and session["directory"] == "/work", session
    assert session["event_count"] == 3 and session["created_ms"] == 1000, session


def removes_a_journal_only_when_its_writer_is_done(place):
    client = place.start()
    alive, closed, dead = place.journal(), place.journal(), place.journal()
    for journal in (alive, closed, dead):
        journal.event("one")
    closed.closed()
    dead.died()
    client.ask("take")
    assert ids(client, words=alive.session) == [], "a living writer's is not anybody's to store"
    assert os.listdir(place.journals) == [alive.name], os.listdir(place.journals)
    client.take_of(alive)
    alive.event("two")
    alive.died()
    assert client.take_of(alive)["place"] == -1
    assert os.listdir(place.journals) == []
    assert contents(client, alive.session) == ["one", "two"]
    assert contents(client, dead.session) == ["one"]


def stores_what_a_client_left_when_it_ends(place):
    client = place.start()
    client.ask("hello")
    journal = place.journal()
    journal.event("one")
    journal.died()
    assert client.close() == 0
    assert contents(place.start(), journal.session) == ["one"]


def waits_for_the_end_of_a_line(place):
    client = place.start()
    journal = place.journal()
    journal.event("one")
    line = json.dumps({"event": {"id": new_id(), "kind": "user", "time": 1, "content": "two"}})
    journal.raw(line[:20].encode())
    client.take_of(journal)
    assert contents(client, journal.session) == ["one"]
    journal.raw(line[20:].encode() + b"\n")
    client.take_of(journal)
    assert contents(client, journal.session) == ["one", "two"]
    journal.raw(b'{"event":{"id":"torn')
    journal.died()
    client.take_of(journal)
    assert contents(client, journal.session) == ["one", "two"]
    assert os.listdir(place.journals) == []


def passes_over_damaged_lines_and_counts_them(place):
    client = place.start()
    journal = place.journal()
    journal.event("one")
    journal.raw(b"\x00\xff garbage\n")
    journal.put({"event": {"id": "no id", "kind": "user"}})
    journal.put({"of": "a newer program"})
    journal.event("two")
    last = client.take_of(journal)
    assert last["damaged"] == 2, last
    assert contents(client, journal.session) == ["one", "two"]


def refuses_what_is_no_journal(place):
    client = place.start()
    name = f"{new_id()}.{new_id()}"
    path = os.path.join(place.journals, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("no journal\n")
    client.ask("take")
    good = place.journal()
    good.event("one")
    good.died()
    os.rename(path + ".damaged", path)
    client.ask("take")
    assert contents(client, good.session) == ["one"], "one bad journal holds up no other"
    assert os.listdir(place.journals) == [name + ".damaged"]
    assert [".damaged" in line["notice"] for line in client.told if "notice" in line] == [True, True], client.told
    os.symlink("/dev/zero", path)
    assert client.ask("take")[-1]["refused"]


def keeps_what_had_arrived_of_a_reply(place):
    client = place.start()
    journal = place.journal()
    journal.event("question")
    reply = new_id()
    journal.put({"begin": {"id": reply, "kind": "assistant", "time": 5, "content": "Once "}})
    client.take_of(journal)
    assert contents(client, journal.session) == ["question"], "it may still grow"
    journal.put({"more": reply, "text": "upon"})
    journal.put({"more": new_id(), "text": "a stranger's"})
    client.take_of(journal)
    journal.put({"more": reply, "text": " a time"})
    journal.died()
    client.kill()
    client = place.start()
    client.take()
    stored = events(client, journal.session)
    assert [event["content"] for event in stored] == ["question", "Once upon a time"], stored
    assert stored[1]["data"] == {"interrupted": True} and stored[1]["id"] == reply


def leaves_a_reply_to_the_journal_that_goes_on_with_it(place):
    """As when a disk is full: nothing of it may be stored by the first one."""
    client = place.start()
    full = place.journal()
    reply = new_id()
    full.event("question")
    full.put({"begin": {"id": reply, "kind": "assistant", "time": 5, "content": "On"}})
    spare = place.journal(full.session, after=1)
    spare.file.close()
    os.unlink(spare.path)
    with open(spare.path, "w", encoding="utf-8") as file:
        for record in ({"journal": 1, "session": full.session, "writer": full.writer, "created_ms": 1000,
                        "after": 1, "directory": "/work"},
                       {"event": {"id": reply, "kind": "assistant", "time": 5, "content": "Once."}}):
            file.write(json.dumps(record) + "\n")
    full.died()
    assert contents(client, full.session) == ["question", "Once."]
    client.take()
    assert contents(client, full.session) == ["question", "Once."]
    assert os.listdir(place.journals) == []


def stores_a_whole_reply_once(place):
    client = place.start()
    journal = place.journal()
    thought, reply = new_id(), new_id()
    journal.put({"begin": {"id": thought, "kind": "thinking", "time": 5, "content": "Hm"}})
    journal.put({"begin": {"id": reply, "kind": "assistant", "time": 5, "content": "On"}})
    client.take_of(journal)
    journal.put({"event": {"id": thought, "kind": "thinking", "time": 5, "content": "Hmm."}})
    client.take_of(journal)
    journal.put({"event": {"id": reply, "kind": "assistant", "time": 5, "content": "Once."}})
    journal.died()
    client.take_of(journal)
    assert contents(client, journal.session) == ["Hmm.", "Once."]


def writes_nothing_where_nothing_is_new(place):
    def written():
        if place.kind == "postgres":
            return place.sql("SELECT xmin, ctid, place FROM journals")
        with open(place.database + "-wal", "rb") as file:
            return file.read()

    client = place.start()
    journal = place.journal()
    journal.event("one")
    client.take_of(journal)
    before = written()
    assert client.take_of(journal)["sequence"] == 1
    assert written() == before
    reply = new_id()
    journal.put({"begin": {"id": reply, "kind": "assistant", "time": 5, "content": "On"}})
    journal.event("two")
    client.take_of(journal)
    before = written()
    journal.put({"more": reply, "text": "ce"})
    assert client.take_of(journal)["sequence"] == 2
    assert written() == before, "a reply that grows is in the journal only"


def stores_an_event_once_that_a_journal_has_twice(place):
    client = place.start()
    journal = place.journal()
    id = journal.event("one")
    journal.put({"event": {"id": id, "kind": "user", "time": 2000, "content": "one"}})
    journal.event("two")
    journal.put({"event": {"id": id, "kind": "user", "time": 2000, "content": "one"}})
    journal.died()
    client.take()
    assert contents(client, journal.session) == ["one", "two"] and os.listdir(place.journals) == []


def leaves_a_half_reply_behind_many_events(place):
    """One that nobody goes on with holds up nothing, and is stored in the end."""
    client = place.start()
    journal = place.journal()
    for number in range(1999):
        journal.event(str(number))
    reply = new_id()
    journal.put({"begin": {"id": reply, "kind": "assistant", "time": 5, "content": "half"}})
    for number in range(1500):
        journal.event(str(number))
    journal.died()
    client.take()
    assert contents(client, journal.session)[-2:] == ["1499", "half"]


def stores_many_journals_together(place):
    """One that a server refuses, for the number of a part, holds up no other."""
    client = place.start()
    journals = [place.journal() for _ in range(250)]
    bad = journals[120]
    for journal in journals:
        journal.event("one")
        if journal == bad:
            journal.put({"blob": new_id(), "part": 1 << 40, "base64": "eA=="})
        journal.event("two")
        journal.died()
    refused = [bad.name] if place.kind == "postgres" else []
    for _ in range(2):
        last = client.ask("take")[-1]
        assert os.listdir(place.journals) == refused and ("refused" in last) == bool(refused), last
    assert len(ids(client, count=1000)) == 250 - len(refused)
    for journal in journals:
        assert contents(client, journal.session) == ["one", "two"], "if only from the journal"


def holds_one_large_line_at_a_time(place):
    """However many journals are stored together."""
    for _ in range(60):
        journal = place.journal()
        journal.event("x" * 2000000)
        journal.died()
    client = place.start()
    client.ask("take")
    assert os.listdir(place.journals) == [] and len(ids(client, count=100)) == 60
    with open(f"/proc/{client.process.pid}/status", encoding="ascii") as file:
        peak = int(re.search(r"VmHWM:\s*(\d+)", file.read())[1])
    assert peak < 50000 or not STATEMENTS, f"{peak} KiB; a sanitizer's build keeps what is freed"


def sqlite_stores_nothing_that_another_program_has_removed(place):
    """It had the journal open when that was stored by the other one, and its session deleted."""
    client = place.start()
    client.ask("list")
    journal = place.journal()
    journal.event("one")
    journal.died()
    other = sqlite3.connect(place.database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    number = client.send("take")
    opened = f"/proc/{client.process.pid}/fd"
    while journal.path not in [os.path.realpath(os.path.join(opened, fd)) for fd in os.listdir(opened)]:
        time.sleep(0.01)
    os.unlink(journal.path)
    other.execute("ROLLBACK")
    other.close()
    client.answer(number)
    assert ids(client) == []


def makes_late_events_a_fork(place):
    client = place.start()
    first = place.journal()
    first.event("one")
    client.take_of(first)
    second = place.journal(first.session, after=1)
    second.event("two of the second")
    client.take_of(second)
    first.event("two of the first")
    last = client.take_of(first)
    fork = last["session"]
    assert fork != first.session, last
    first.event("three of the first")
    assert client.take_of(first)["session"] == fork
    assert contents(client, first.session) == ["one", "two of the second"]
    assert contents(client, fork) == ["one", "two of the first", "three of the first"]
    session = client.ask("find", prefix=fork)[0]["session"]
    assert session["parent"] == first.session and session["forked_at"] == 1, session


def reads_a_fork_with_what_it_shares(place):
    client = place.start()
    parent = place.journal()
    for number in range(1, 6):
        parent.event(f"parent {number}")
    client.take()
    child = place.journal(after=3, parent=parent.session, forked_at=3)
    child.event("child 4")
    client.take()
    expected = ["parent 1", "parent 2", "parent 3", "child 4"]
    assert contents(client, child.session) == expected
    lines = client.ask("page", session=child.session, before=4, count=2)[:-1]
    assert [line["event"]["content"] for line in lines] == ["parent 3", "parent 2"]
    assert [line["event"]["session"] for line in lines] == [parent.session] * 2
    client.ask("delete", session=parent.session)
    assert contents(client, child.session) == expected, "what a fork shares stays"
    found = client.ask("search", query="parent 2")[0]
    assert found["session"]["id"] == child.session and found["event"]["content"] == "parent 2"
    assert parent.session not in ids(client)
    client.ask("delete", session=child.session)
    assert events(client, parent.session) == [] and ids(client) == []


def lists_in_pages_and_by_choice(place):
    client = place.start()
    sessions = []
    for number in range(25):
        journal = place.journal(directory="/odd" if number % 2 else "/even")
        journal.put({"event": {"id": new_id(), "kind": "user", "time": 10000 + number // 5,
                               "content": f"title {number:02} 100% sure"}})
        journal.closed()
        sessions.append(journal.session)
    client.take()
    found, after = [], {}
    while True:
        lines = client.ask("list", count=4, **after)[:-1]
        if not lines:
            break
        found += [line["session"]["id"] for line in lines]
        last = lines[-1]["session"]
        after = {"session": last["id"], "updated_ms": last["updated_ms"]}
    assert sorted(found) == sorted(sessions) and len(found) == 25
    times = [client.ask("find", prefix=id)[0]["session"]["updated_ms"] for id in found]
    assert times == sorted(times, reverse=True), times
    assert len(ids(client, directory="/odd")) == 12
    assert ids(client, words="TITLE 07 100") == [sessions[7]]
    assert ids(client, words="100%") != [] and ids(client, words="100_") == []
    assert client.ask("list", directory="/even", count=1)[0]["session"]["id"] == sessions[24]
    assert client.ask("list", directory="/none", count=1)[:-1] == []
    assert code_of(client.ask, "find", prefix=sessions[0][:8]) in ("INVALID", "OK")
    assert code_of(client.ask, "find", prefix="zz") == "NOT_FOUND"
    assert code_of(client.ask, "find", prefix="") == "NOT_FOUND"


def follows_a_session(place):
    client = place.start()
    journal = place.journal()
    for number in range(5):
        journal.event(str(number))
    client.take()
    lines = client.ask("after", session=journal.session, sequence=2, count=2)[:-1]
    assert [line["event"]["content"] for line in lines] == ["2", "3"]


def knows_ids(place):
    client = place.start()
    journal = place.journal()
    event, other = journal.event("one"), new_id()
    client.take()
    ids = [other, event, journal.session]
    assert sorted(client.ask("known", ids=",".join(ids))[-1]["known"]) == sorted(ids[1:])
    assert client.ask("known", ids=other)[-1]["known"] == []


def keeps_large_texts(place):
    client = place.start()
    journal = place.journal()
    blob, parts = new_id(), [os.urandom(256 * 1024), b"\x00\xff end"]
    for number, part in enumerate(parts):
        journal.put({"blob": blob, "part": number, "base64": base64.b64encode(part).decode()})
    journal.put({"blob": blob, "part": 2, "base64": "not base 64"})
    result = {"tool_call_id": "c", "name": "bash", "output": "{}", "success": True,
              "duration_ms": 1, "blobs": {"stdout": {"id": blob, "bytes": 256 * 1024 + 6}}}
    journal.event("out", kind="tool_result", data=result)
    client.take()
    for number, part in enumerate(parts):
        line = client.ask("part", blob=blob, part=number)[-1]
        assert base64.b64decode(line["base64"]) == part
    assert code_of(client.ask, "part", blob=blob, part=2) == "NOT_FOUND"
    client.ask("delete", session=journal.session)
    assert code_of(client.ask, "part", blob=blob, part=0) == "NOT_FOUND"


def search(client, query, **members):
    lines = client.ask("search", query=query, **members)
    return [line["event"]["content"] for line in lines[:-1]], lines[-1]["row"]


def finds_words(place):
    client = place.start()
    journal = place.journal()
    for number in range(30):
        journal.event(f"number {number} of the lamplighter's long round")
    journal.event("\u5317\u4eac\u5927\u5b66 and na\u00efve caf\u00e9s")
    other = place.journal(directory="/other")
    other.event("a lamplighter elsewhere")
    client.take()
    assert search(client, "lamplighter elsewhere") == (["a lamplighter elsewhere"], None)
    found, row = search(client, "lamplighter", count=10)
    assert len(found) == 10 and found[0] == "a lamplighter elsewhere" and row, (found, row)
    rest = []
    while row is not None:
        more, row = search(client, "lamplighter", count=10, row=row)
        rest += more
    assert len(found + rest) == 31 and len(set(found + rest)) == 31
    assert search(client, '"long round" 7')[0] == ["number 7 of the lamplighter's long round"]
    assert search(client, "lamp*", directory="/other")[0] == ["a lamplighter elsewhere"]
    assert search(client, "cafes")[0] != [] or search(client, "caf\u00e9s")[0] != []
    assert search(client, "\u5927\u5b66")[0] != []
    assert search(client, "absent")[0] == []
    assert code_of(client.ask, "search", query="!?") == "INVALID"
    client.ask("delete", session=journal.session)
    assert search(client, "lamplighter") == (["a lamplighter elsewhere"], None)


def ends_a_request_that_is_cancelled(place):
    client = place.start()
    journal = place.journal()
    for number in range(20000):
        journal.event("x" * 200)
    client.take()
    number = client.send("page", session=journal.session, count=1000000)
    client.lines.readline()
    client.write({"id": number, "do": "cancel"})
    assert code_of(client.answer, number) == "CANCELLED"
    # One that has ended cannot be cancelled any more; the next one is not meant.
    client.write({"id": number, "do": "cancel"})
    assert client.ask("hello")[-1]["name"]


def answers_what_it_does_not_understand(place):
    client = place.start()
    assert code_of(client.ask, "make_coffee") == "INVALID"
    client.socket.sendall(b"no JSON\n")
    assert code_of(client.answer, 0) == "INVALID"
    assert client.ask("hello")[-1]["protocol"] == 1


def loses_nothing_however_it_is_killed(place):
    """Killed at random instants while two writers go on: each event is there once, in order."""
    journals = [place.journal() for _ in range(2)]
    written = {journal.session: [] for journal in journals}
    for _ in range(KILLS):
        client = place.start()
        for journal in journals:
            for _ in range(300):
                written[journal.session].append(journal.event("y" * random.randrange(2000)))
        for journal in journals:
            client.send("take", writer=journal.writer)
        time.sleep(random.random() * 0.03)
        client.kill()
    for journal in journals:
        journal.died()
    clients = [place.start(), place.start()]
    for client in clients: # at the same time
        client.send("take")
    for client in clients:
        client.answer(client.number)
    for session, expected in written.items():
        stored = events(clients[0], session)
        assert [event["id"] for event in stored] == expected, (len(stored), len(expected))
        assert [event["sequence"] for event in stored] == list(range(1, len(expected) + 1))
    assert os.listdir(place.journals) == []
    if place.kind == "sqlite":
        assert client.ask("check")[-1]["done"]


def sqlite_backs_up_while_it_is_in_use(place):
    client = place.start()
    journal = place.journal()
    journal.event("one")
    client.take()
    file = os.path.join(place.directory, "copy")
    client.ask("backup", file=file)
    assert code_of(client.ask, "backup", file=file) != "OK", "nothing is overwritten"
    client.kill()
    place.database = file
    assert contents(place.start(), journal.session) == ["one"]


def has_what_was_written_on_disk(place):
    client = place.start()
    journal = place.journal()
    journal.event("one")
    assert client.ask("sync", session=journal.session)[-1]["done"]
    assert code_of(client.ask, "sync", session="missing") == "NOT_FOUND"


def fixture(name):
    with open(os.path.join(SOURCES, "tests/fixtures/store", name), encoding="utf-8") as file:
        return file.read()


def form_of(where):
    if where.kind == "postgres":
        return int(where.sql("SELECT version FROM ikigai_form"))
    with contextlib.closing(sqlite3.connect(where.database)) as database:
        return database.execute("PRAGMA user_version").fetchone()[0]


def load(place, form):
    """Tables of a form, as a version of ikigai left them: the same sessions in each."""
    if place.kind == "postgres":
        place.sql(fixture(f"postgres-{form}.sql"))
        return
    with contextlib.closing(sqlite3.connect(place.database)) as database:
        database.executescript(fixture(f"sqlite-{form}.sql"))


def keep(place, form):
    """What load() reads, of the newest form: when that is new, IK_TEST_KEEP=1 has it kept."""
    if place.kind == "postgres":
        text = subprocess.run(["pg_dump", "--inserts", "--no-owner", "--no-acl", "-d",
                               place.database], check=True, stdout=subprocess.PIPE, text=True).stdout
        text = re.sub(r"(?m)^(--.*|SET .*|SELECT pg_catalog.set_config.*|\\.*|)\n", "", text)
    else:
        text = subprocess.run(["sqlite3", place.database, ".dump"], check=True, stdout=subprocess.PIPE,
                              text=True).stdout
        text += f"PRAGMA application_id = 1768647015;\nPRAGMA user_version = {form};\n"
    with open(os.path.join(SOURCES, f"tests/fixtures/store/{place.kind}-{form}.sql"), "w",
              encoding="utf-8") as file:
        file.write(f"-- Tables of form {form}, brought there from the oldest.\n" + text)


def brings_older_tables_up_to_date(place):
    """Those of each form."""
    kept = sorted(int(name.split("-")[1].removesuffix(".sql"))
                  for name in os.listdir(os.path.join(SOURCES, "tests/fixtures/store"))
                  if name.startswith(place.kind))
    for form in kept:
        other = Place(place.kind)
        try:
            load(other, form)
            # SQLite's first forms know no forks.
            has_what_was_kept(other.start(), other, place.kind == "postgres" or form > 2)
            newest = form_of(other)
        finally:
            other.close()
    if newest not in kept and os.environ.get("IK_TEST_KEEP"):
        load(place, kept[0])
        place.start().ask("list")
        place.stop()
        keep(place, newest)
    assert newest in kept, f"no fixture of form {newest}: IK_TEST_KEEP=1 makes one"


def refuses_newer_tables(place):
    client = place.start()
    journal = place.journal()
    journal.event("one")
    client.take()
    place.stop()
    form = form_of(place)

    def set_form(number):
        if place.kind == "postgres":
            place.sql(f"UPDATE ikigai_form SET version = {number}")
        else:
            with contextlib.closing(sqlite3.connect(place.database)) as database:
                database.execute(f"PRAGMA user_version = {number}")
                database.commit()

    set_form(form + 1)
    client = place.start()
    journal.event("two")
    for verb in ("list", "take"):
        try:
            client.ask(verb)
            assert False, verb
        except Refused as refused:
            assert refused.code == "DENIED" and "Update ikigai" in str(refused), refused
    place.stop()
    assert form_of(place) == form + 1
    set_form(form)
    client = place.start()
    client.take()
    assert contents(client, journal.session) == ["one", "two"], "it was in the journal"


def has_what_was_kept(client, place, has_fork):
    *forks, session = [line["session"] for line in client.ask("list")[:-1]]
    stored = events(client, session["id"])
    assert len(stored) == session["event_count"] == 13, session
    assert stored[1]["content"] == "list *.none" and stored[2]["data"]["function"]["name"] == "glob"
    assert len(forks) == has_fork
    for fork in forks:
        assert fork["parent"] == session["id"] and fork["event_count"] == 4, fork
        assert contents(client, fork["id"])[1:] == ["list *.none", "words of the fork", "large"]
        line = client.ask("part", blob="01a21ed0-0000-7000-8000-000000000004", part=0)[-1]
        assert base64.b64decode(line["base64"]) == b"large text"
        assert search(client, "words fork")[0] != []
    assert len(search(client, "none")[0]) == 3
    journal = place.journal(session["id"], after=13)
    journal.event("and more words")
    client.take()
    assert contents(client, session["id"])[-1] == "and more words"
    assert search(client, "more words")[0] == ["and more words"]
    client.ask("delete", session=session["id"])
    assert len(search(client, "none")[0]) == has_fork, "the fork has its prompt"
    for fork in forks:
        client.ask("delete", session=fork["id"])
    assert search(client, "none")[0] == [] and ids(client) == []
    assert code_of(client.ask, "part", blob="01a21ed0-0000-7000-8000-000000000004", part=0) == "NOT_FOUND"
    if place.kind == "sqlite":
        client.kill()
        with contextlib.closing(sqlite3.connect(place.database)) as database:
            database.execute("INSERT INTO search(search) VALUES('integrity-check')")
            assert database.execute("SELECT count(*) FROM search('none')").fetchone() == (0,)


def old_name(place, kind, other=False):
    """How earlier versions named files for a database."""
    if place.kind == "sqlite":
        text = place.database
    else:
        parts = dict(part.split("=") for part in place.database.split())
        text = " ".join(f"{name}='{parts[name]}'" for name in ("host", "port", "dbname", "user"))
    number = 0xcbf29ce484222325
    for byte in text.encode():
        number = (number ^ byte) * 0x100000001b3 % 2**64
    number ^= other
    if place.kind == "sqlite":
        return f"ikigai-{number:016x}.rescue-{new_id()}{kind}"
    return f"{number:016x}-{new_id()}{kind}"


def old_line(session, content, kind="user", known=0, **members):
    return {"session": session, "directory": "/work", "created_ms": 1000, "known": known, **members,
            "id": new_id(), "kind": kind, "time_ms": 2000, "content": content, "data": None}


def takes_in_what_earlier_versions_kept(place):
    """Each file once: also one whose journals were made before a kill."""
    spool = os.path.join(place.directory, "spool")
    os.mkdir(spool, mode=0o700)
    first, second, blob = new_id(), new_id(), new_id()
    lines = [{"ikigai_rescue": "x", "writer": new_id()}, old_line(first, "one"),
             old_line(second, "other"), old_line(first, "two"), old_line(first, "known", known=-1)]
    begun = [{"ikigai_rescue": "x", "begun": True}, old_line(first, "beg", "assistant", known=3)]
    begun.append({"more": begun[1]["id"], "content": "un"})

    def write(directory, name, records, torn=b""):
        with open(os.path.join(directory, name), "wb", opener=private) as file:
            for record in records:
                file.write(json.dumps(record).encode() + b"\n")
            file.write(torn)

    def private(path, flags):
        return os.open(path, flags, 0o600)

    name = old_name(place, ".jsonl")
    for _ in range(2):
        write(spool, name, lines, b'{"session":"torn')
        write(spool, old_name(place, ".jsonl"), begun)
        write(spool, old_name(place, ".blobs"), [{"blob": blob, "bytes": 9}], b"some text")
        client = place.start()
        client.ask("take")
        assert contents(client, first) == ["one", "two", "known", "begun"], contents(client, first)
        assert events(client, first)[-1]["data"] == {"interrupted": True}
        assert contents(client, second) == ["other"]
        assert base64.b64decode(client.ask("part", blob=blob, part=0)[-1]["base64"]) == b"some text"
        assert os.listdir(spool) == [] and os.listdir(place.journals) == []
        client.kill()
    foreign = old_name(place, ".jsonl", other=True)
    write(spool, foreign, lines)
    locked = old_name(place, ".jsonl")
    write(spool, locked, lines)
    if place.kind == "sqlite":
        # Tools may write beside the database: a session that has a prompt gets no other one.
        write(place.directory, f"ikigai.db.rescue-{new_id()}.jsonl",
              [old_line(first, "obey", "system", known=4)])
    with open(os.path.join(spool, locked), "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        client = place.start()
        client.ask("take")
        assert sorted(os.listdir(spool)) == sorted([foreign, locked])
    if place.kind == "sqlite":
        assert [event["kind"] for event in events(client, first)][-1] == "notice"


# ---- SQLite's own ----

def many_events(place, client, count=2000):
    """Sessions of 100 events, each of them a page or so of text."""
    sessions = []
    for start in range(0, count, 100):
        journal = place.journal()
        for number in range(start, start + 100):
            journal.event(f"number {number} " + "filler " * 60)
        journal.closed()
        sessions.append(journal.session)
    client.ask("take")
    return sessions


def damage(where, *queries):
    """Overwrite the pages that these name."""
    with contextlib.closing(sqlite3.connect(where.database)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size, = database.execute("PRAGMA page_size").fetchone()
        pages = [database.execute(query).fetchone()[0] for query in queries]
    for page in pages:
        with open(where.database, "r+b") as file:
            file.seek((page - 1) * size)
            file.write(os.urandom(size))


def aside(where):
    return [name for name in os.listdir(where.directory)
            if ".damaged-" in name and not name.endswith("-wal")]


def leaf_of(table, which=5):
    return ("SELECT rootpage + 0 FROM sqlite_schema WHERE name = 'none' UNION ALL SELECT pageno FROM"
            f" (SELECT pageno FROM dbstat WHERE name = '{table}' AND pagetype = 'leaf' ORDER BY path"
            f" LIMIT 1 OFFSET {which})")


def has_dbstat():
    with contextlib.closing(sqlite3.connect(":memory:")) as database:
        return database.execute("SELECT sqlite_compileoption_used('ENABLE_DBSTAT_VTAB')").fetchone()[0]


def sqlite_loses_what_is_on_a_bad_page(place):
    client = place.start()
    sessions = many_events(place, client)
    client.kill()
    damage(place, leaf_of("events", 20))
    client = place.start()
    lost = [session for session in sessions if code_of(events, client, session) != "OK"]
    assert 1 <= len(lost) <= 2, "others can be read, and nothing is put aside for it"
    assert code_of(client.ask, "check") == "INVALID" and aside(place) == []
    last = client.ask("recover")[-1]
    assert last["whole"] is False and 1980 <= last["events"] < 2000, last
    assert last["sessions"] == len(sessions) and len(aside(place)) == 1
    assert any(aside(place)[0] in line.get("notice", "") for line in client.told), client.told
    assert sum(len(events(client, session)) for session in sessions) == last["events"]
    assert client.ask("check")[-1]["done"] and search(client, "filler")[0] != []
    facts = client.ask("facts")[-1]
    assert facts["events"] == last["events"] and facts["unindexed"] == 0, facts
    assert facts["version"] == 7 and facts["bytes"] > 100000 and facts["sessions"] == 20, facts


def spoil(page):
    """A page as a bad disk may give it back."""
    size = len(page)
    at = random.randrange(size)
    end = min(size, at + random.randint(1, 512))
    flipped = bytearray(page)
    for _ in range(random.randint(1, 40)):
        flipped[random.randrange(size)] ^= 1 << random.randrange(8)
    return random.choice([bytes(size), random.randbytes(size), bytes(flipped),
                          page[:at] + random.randbytes(end - at) + page[end:]])


def sqlite_loses_nothing_but_what_is_on_bad_pages(place):
    client = place.start()
    for start in range(0, 3000, 10):
        journal = place.journal()
        for number in range(start, start + 10):
            journal.event(f"number {number} " * random.choice([1, 10, 30, 500]))
        journal.closed()
    client.ask("take")
    search(client, "number 7")
    client.kill()
    with contextlib.closing(sqlite3.connect(place.database)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        inner = [page for page, in database.execute("SELECT pageno FROM dbstat WHERE name = 'events'"
                                                    " AND pagetype = 'internal'")]
        # The newest event is in the log only.
        database.execute("INSERT INTO events SELECT substr(id, 1, 35) || 'x', session, 11, kind,"
                         " 'number 3000 ', data_json, time FROM events"
                         " WHERE sequence = 10 AND id NOT LIKE '%0' LIMIT 1")
        database.execute("UPDATE events SET id = replace(id, 'x', '0') WHERE sequence = 11")
        database.commit()
        files = {}
        for suffix in ("", "-wal"):
            with open(place.database + suffix, "rb") as file:
                files[suffix] = file.read()
    size, whole = 4096, files[""]
    for turn in range(DAMAGES):
        pages = [random.randint(1, len(whole) // size) for _ in range(5)] + [[1], inner, []][turn % 3]
        spoilt, may_be_lost = bytearray(whole), set()
        for page in pages:
            part = slice((page - 1) * size, page * size)
            may_be_lost |= set(re.findall(rb"number \d+ ", whole[part]))
            spoilt[part] = spoil(whole[part])
        for name in os.listdir(place.directory):
            if name.startswith("ikigai.db") and os.path.isfile(os.path.join(place.directory, name)):
                os.remove(os.path.join(place.directory, name))
        for suffix, content in (("", spoilt), ("-wal", files["-wal"])):
            with open(place.database + suffix, "wb") as file:
                file.write(content)
        client = place.start()
        last = client.ask("recover")[-1]
        assert client.ask("check")[-1]["done"] and len(aside(place)) == 1
        read = {event["content"].encode() for session in ids(client, count=1000)
                for event in events(client, session)}
        there = {found for content in read for found in re.findall(rb"^number \d+ ", content)}
        lost = {b"number %d " % number for number in range(3001)} - there
        assert lost <= may_be_lost, (pages, sorted(lost - may_be_lost), last)
        client.kill()


def sqlite_recovers_nothing_that_was_deleted(place):
    client = place.start()
    sessions = many_events(place, client, 1000)
    for session in sessions[::2]:
        client.ask("delete", session=session)
    last = client.ask("recover")[-1]
    assert last["whole"] is True and last["events"] == 500, last
    assert sorted(ids(client)) == sorted(sessions[1::2])


def sqlite_stores_in_spite_of_damage(place):
    client = place.start()
    journal = place.journal()
    journal.event("one")
    client.take_of(journal)
    many_events(place, client)
    follower = place.start()
    assert contents(follower, journal.session) == ["one"]
    client.kill()
    damage(place, "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_events_1'")
    client = place.start()
    journal.event("two")
    assert client.take_of(journal)["sequence"] == 2
    assert contents(client, journal.session) == ["one", "two"] and len(aside(place)) == 1
    assert [" lost" in line["notice"] for line in client.told if "notice" in line] == [True], client.told
    assert contents(follower, journal.session) == ["one", "two"], "it sees the new file"
    assert client.ask("recover")[-1]["whole"] is True


def sqlite_is_recovered_by_one_of_many(place):
    client = place.start()
    many_events(place, client)
    client.kill()
    damage(place, "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_events_1'")
    clients = [place.start() for _ in range(4)]
    journals = [place.journal() for _ in clients]
    for client, journal in zip(clients, journals):
        journal.event("one")
        client.send("take", writer=journal.writer)
    for client, journal in zip(clients, journals):
        code = code_of(client.answer, client.number)
        end = time.monotonic() + SECONDS
        while code != "OK" and time.monotonic() < end: # the others are at it
            time.sleep(0.1)
            code = code_of(client.take_of, journal)
        assert code == "OK", code
    for journal in journals:
        assert contents(clients[0], journal.session) == ["one"]
    assert len(aside(place)) == 1 and client.ask("facts")[-1]["events"] == 2004


def sqlite_loses_nothing_that_is_stored_meanwhile(place):
    """Whether their file is replaced before, while or after others open it, read it or store in it."""
    journals, ended, wrong = [place.journal() for _ in range(4)], threading.Event(), []

    def store(journal):
        client = place.start()
        for number in range(50):
            journal.event(f"{number}")
            code = "UNAVAILABLE"
            while code == "UNAVAILABLE": # another one recovers it
                time.sleep(0.01)
                code = code_of(client.take_of, journal)
            if code != "OK":
                wrong.append(code)
            if number % 7 == 0:
                client.close()
                client = place.start()

    def recover():
        client = place.start()
        while not ended.is_set():
            code = code_of(client.ask, "recover")
            if code not in ("OK", "UNAVAILABLE"):
                wrong.append(code)
            time.sleep(random.uniform(0, 1))

    place.start().ask("list")
    threads = [threading.Thread(target=store, args=(journal,)) for journal in journals]
    others = [threading.Thread(target=recover) for _ in range(2)]
    for thread in threads + others:
        thread.start()
    for thread in threads:
        thread.join()
    ended.set()
    for thread in others:
        thread.join()
    assert wrong == [], wrong
    client = place.start()
    for journal in journals:
        assert contents(client, journal.session) == [f"{number}" for number in range(50)]
    assert client.ask("check")[-1]["done"] and len(ids(client)) == 4


def sqlite_waits_while_its_file_is_replaced(place):
    directory = os.open(place.directory, os.O_RDONLY)
    fcntl.flock(directory, fcntl.LOCK_EX)
    client = place.start()
    number = client.send("list")
    time.sleep(0.5)
    os.close(directory)
    client.answer(number)


def sqlite_makes_a_damaged_index_anew(place):
    client = place.start()
    many_events(place, client)
    assert search(client, "number 77")[0] != []
    client.kill()
    damage(place, *(leaf_of("search_data", which) for which in range(3, 30, 3)))
    client = place.start()
    assert code_of(client.ask, "facts") == "OK" and aside(place) == []
    # Some of it may have been found before.
    assert code_of(search, client, "filler", count=3000) in ("OK", "INVALID")
    assert len(search(client, "filler", count=3000)[0]) == 2000
    assert len(aside(place)) == 1 and client.ask("check")[-1]["done"]
    assert ["Nothing is lost" in line["notice"] for line in client.told if "notice" in line] == [True], client.told


def sqlite_loses_nothing_when_a_recovery_is_killed(place):
    client = place.start()
    many_events(place, client)
    client.kill()
    damage(place, "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_events_1'")
    client = place.start()
    journal = place.journal()
    for number in range(KILLS):
        client.send("recover")
        time.sleep(random.uniform(0, 0.3))
        client.kill()
        client = place.start()
        # It is in the log only when the next recovery begins.
        journal.event(f"{number}")
        client.take_of(journal)
    assert client.ask("recover")[-1]["whole"] is True and client.ask("check")[-1]["done"]
    assert contents(client, journal.session) == [f"{number}" for number in range(KILLS)]
    assert client.ask("facts")[-1]["events"] == 2000 + KILLS
    assert [name for name in os.listdir(place.directory) if "new-" in name] == []


def sqlite_recovers_the_file_that_a_link_leads_to(place):
    """With what is in its log, which is beside that file, not beside the link."""
    client = place.start()
    client.ask("list")
    link = place.database
    place.database = os.path.join(place.directory, "file.db")
    for name in os.listdir(place.directory):
        os.rename(os.path.join(place.directory, name),
                  os.path.join(place.directory, name.replace("ikigai.db", "file.db")))
    os.symlink("file.db", link)
    client = place.start()
    many_events(place, client)
    client.kill()
    damage(place, "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_events_1'")
    with contextlib.closing(sqlite3.connect(link, isolation_level=None)) as database:
        database.execute("UPDATE sessions SET title = 'in the log'")
        place.database = link
        client = place.start()
        assert client.ask("recover")[-1]["whole"] is True and client.ask("check")[-1]["done"]
    assert {line["session"]["title"] for line in client.ask("list")[:-1]} == {"in the log"}
    assert os.path.islink(link) and len(aside(place)) == 1, os.listdir(place.directory)


def sqlite_goes_to_the_file_that_has_its_name(place):
    client = place.start()
    journal = place.journal()
    journal.event("one")
    client.take()
    for name in os.listdir(place.directory):
        if name.startswith("ikigai.db"):
            os.rename(os.path.join(place.directory, name), os.path.join(place.directory, "x" + name))
    journal.event("two")
    client.take()
    assert contents(client, journal.session) == ["one", "two"], "what the journal still has"


def sqlite_refuses_what_is_not_its_own(place):
    with contextlib.closing(sqlite3.connect(place.database)) as database:
        database.execute("CREATE TABLE other(x)")
    assert code_of(place.start().ask, "hello") == "DENIED"
    os.remove(place.database)
    place.start().ask("hello")
    place.clients[-1].kill()
    with contextlib.closing(sqlite3.connect(place.database)) as database:
        database.execute("CREATE VIEW trap AS SELECT 1")
    assert code_of(place.start().ask, "hello") == "DENIED"
    place.stop()
    for name in os.listdir(place.directory):
        if name.startswith("ikigai.db"):
            os.remove(os.path.join(place.directory, name))
    with open(place.database, "wb") as file:
        file.write(b"x" * 8192)
    assert code_of(place.start().ask, "hello") == "INVALID"
    assert os.stat(place.database).st_size == 8192, "what is damaged is left as it is"


def sqlite_reads_where_nothing_can_be_written(place):
    """With a log that is left, what is not indexed, and tables of an older form."""
    disk = os.path.join(place.directory, "disk")
    os.mkdir(disk)
    if subprocess.run(["mount", "-t", "tmpfs", "none", disk], stderr=subprocess.DEVNULL,
                      check=False).returncode != 0:
        return # only root may
    try:
        place.database = os.path.join(disk, "ikigai.db")
        client = place.start()
        journal = place.journal()
        journal.event("one lamp")
        client.take()
        client.kill()
        # As backups may have it: with a log that has no index, and without a log.
        copies = [os.path.join(disk, name) for name in ("left.db", "whole.db")]
        for copy in copies:
            for suffix in ("", "-wal"):
                shutil.copy(place.database + suffix, copy + suffix)
        with contextlib.closing(sqlite3.connect(copies[1])) as database:
            database.execute("PRAGMA wal_checkpoint")
        old = os.path.join(disk, "old.db")
        with contextlib.closing(sqlite3.connect(old)) as database:
            database.executescript(fixture("sqlite-5.sql"))
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        client = place.start()
        assert contents(client, journal.session) == ["one lamp"] == search(client, "lamp")[0]
        journal.event("two")
        assert code_of(client.take) == "IO"
        place.stop()
        for copy in copies:
            assert not os.path.exists(copy + "-shm")
            place.database = copy
            assert contents(place.start(), journal.session) == ["one lamp"], copy
            place.stop()
        place.database = os.path.join(disk, "ikigai.db")
        client = place.start()
        assert contents(client, journal.session) == ["one lamp"]
        subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
        client.take()
        assert contents(client, journal.session) == ["one lamp", "two"]
        journal.event("three")
        client.kill()
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        place.database = old
        client = place.start()
        assert search(client, "fork words")[0] == ["words of the fork"]
        assert code_of(client.take) == "IO"
        assert code_of(client.ask, "delete", session=ids(client)[0]) == "IO"
        assert os.listdir(place.journals) == [journal.name]
        place.stop()
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def sqlite_is_readable_by_its_owner_only(place):
    place.start().ask("hello")
    assert os.stat(place.database).st_mode & 0o77 == 0


# ---- PostgreSQL's own ----

def postgres_keeps_what_is_no_text_of_its_own(place):
    client = place.start()
    journal = place.journal()
    contents_of = ["a\u0000b", "\\ \" ' {}, NULL", "\U0001f600"]
    for content in contents_of:
        journal.event(content, data={"text": content, "large": 1})
    big = new_id()
    journal.raw(('{"event":{"id":"%s","kind":"user","time":1,"content":"big",'
                 '"data":{"n":1e400000,"a":1, "a":2}}}\n' % big).encode())
    client.take_of(journal)
    assert contents(client, journal.session) == contents_of + ["big"]
    assert place.sql(f"SELECT count(*) FROM events WHERE id = '{big}'") == "1"


def postgres_is_quick_with_what_is_no_text_of_its_own(place):
    client = place.start()
    journal = place.journal()
    for content in ("\u0000" * 500000, "a\u0000" * 250000):
        start = time.monotonic()
        journal.event(content)
        client.take_of(journal)
        assert time.monotonic() - start < 15, "in proportion to its length"
    assert len(contents(client, journal.session)) == 2


def postgres_knows_who_said_what(place):
    client = place.start()
    journal = place.journal()
    journal.event("one")
    client.take()
    session = client.ask("list", owner="ikigai")[0]["session"]
    assert session["id"] == journal.session and session["owner"] == "ikigai"
    assert ids(client, owner="somebody") == []
    assert client.ask("hello")[-1]["user"] == "ikigai"
    assert ids(client, mine=True) == [journal.session]
    place.sql("UPDATE sessions SET owner = 'somebody'")
    assert ids(client, mine=True) == [] and search(client, "one", mine=True)[0] == []
    assert search(client, "one")[0] == ["one"] and len(ids(client)) == 1
    assert place.sql("SELECT DISTINCT owner FROM events") == "ikigai"


def postgres_indexes_what_was_deleted_with_sql_and_comes_again(place):
    client = place.start()
    first = place.journal()
    again = place.journal(first.session)
    first.event("said once")
    client.take()
    assert search(client, "once")[0] == ["said once"]
    place.sql("DELETE FROM events; DELETE FROM sessions; DELETE FROM journals")
    again.event("said anew")
    client.take_of(again)
    assert search(client, "anew")[0] == ["said anew"] and search(client, "once")[0] == []


def postgres_indexes_a_few_large_sessions_without_reading_all_of_them(place):
    def scans():
        time.sleep(1) # until they are counted
        return int(place.sql("SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'search'"))

    place.start().ask("list")
    place.sql("""INSERT INTO sessions(id, directory, created_ms, updated_ms, event_count, last_sequence, searched)
        SELECT md5(i::text)::uuid, '/', 1, 1, 1, 2001, CASE WHEN i > 16 THEN 2001 ELSE 2000 END
        FROM generate_series(1, 40) i;
        INSERT INTO search SELECT md5(i::text)::uuid, s, 1, 'word' FROM generate_series(1, 40) i,
        generate_series(1, 2001) s; ANALYZE""")
    before = scans()
    client = place.start()
    client.ask("search", query="other", count=1)
    client.close()
    assert place.sql("SELECT count(*) FROM search") == str(40 * 2001 - 16), "those past the marks are gone"
    assert place.sql("SELECT count(*) FROM sessions WHERE searched < last_sequence") == "0"
    assert scans() - before <= 1, "the count above"


def postgres_says_what_it_is(place):
    assert place.start().ask("facts")[-1] | {"bytes": 0, "clock_ms": 0, "server": ""} == {
        "id": 1, "done": True, "server": "", "role": "ikigai", "encoding": "UTF8", "read_only": False,
        "can_create": True, "has_form": False, "has_others": False, "can_use": False, "events": 0,
        "sessions": 0, "bytes": 0, "clock_ms": 0, "encrypted": True, "owns": False, "version": 0,
        "wanted": 6, "locks_held": 0}
    client = place.start()
    journal = place.journal()
    lease(client, journal, "take")
    line, last = client.ask("facts")
    assert line["session"]["id"] == journal.session
    assert line["session"]["lock"] | {"since_ms": 0} == {"host": "here", "user": "ada", "pid": 42, "since_ms": 0,
                                                         "place": journal.writer}
    assert last["locks_held"] == 1 and last["can_use"] and last["owner"] == "ikigai", last
    assert last["version"] == 6 and abs(last["clock_ms"] - time.time() * 1000) < 60000
    place.sql("ALTER TABLE sessions RENAME TO s; DROP TABLE ikigai_form; CREATE TABLE sessions(x int)")
    assert client.ask("facts")[-1]["has_others"] is True


def postgres_connects_again(place):
    client = place.start()
    journal = place.journal()
    journal.event("one")
    client.take()
    place.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
              " WHERE datname = current_database() AND pid <> pg_backend_pid()")
    journal.event("two")
    assert code_of(client.take) in ("OK", "UNAVAILABLE")
    client.take()
    assert contents(client, journal.session) == ["one", "two"]


def control(*words):
    subprocess.run([os.environ["IK_TEST_POSTGRES_CONTROL"], *words], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def postgres_gives_up_a_server_that_is_frozen(place):
    place.database += " connect_timeout=2"
    client = place.start()
    journal = place.journal()
    journal.event("one")
    client.take()
    control("freeze")
    try:
        journal.event("two")
        started = time.monotonic()
        assert code_of(client.take) == "UNAVAILABLE"
        assert time.monotonic() - started < 8, "it is given up after connect_timeout"
        other = place.start()
        assert code_of(other.ask, "list") == "UNAVAILABLE"
        started = time.monotonic()
        assert code_of(other.ask, "list") == "UNAVAILABLE"
        assert time.monotonic() - started < 1, "it is known that it is away"
    finally:
        control("thaw")
    time.sleep(1.1)
    client.take()
    assert contents(client, journal.session) == ["one", "two"]


def postgres_follows_a_standby_that_is_promoted(place):
    sockets = os.environ["IK_TEST_POSTGRES_SOCKETS"]
    client = place.start()
    client.ask("hello")
    control("standby")
    try:
        port = os.environ["IK_TEST_POSTGRES_PORT"]
        place.database = place.database.replace(f"host={sockets}", f"host={sockets},{sockets}/standby"
                                                ).replace(f"port={port}", f"port={port},{port}")
        client = place.start()
        journal = place.journal()
        journal.event("one")
        client.take()
        time.sleep(0.5) # what the standby does not have yet would be lost
        control("immediate")
        journal.event("two")
        assert code_of(client.take) == "UNAVAILABLE", "a standby cannot be written"
        control("promote")
        started = time.monotonic()
        while code_of(client.take) != "OK":
            assert time.monotonic() - started < SECONDS / 2
            time.sleep(0.1)
        assert contents(client, journal.session) == ["one", "two"]
        client.kill()
    finally:
        control("start")


def postgres_stores_once_whatever_happens_to_connections(place):
    client = place.start()
    journal = place.journal()
    written = []
    for _ in range(KILLS):
        written += [journal.event("z" * random.randrange(3000)) for _ in range(100)]
        number = client.send("take", writer=journal.writer)
        time.sleep(random.random() * 0.03)
        place.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                  " WHERE datname = current_database() AND pid <> pg_backend_pid()")
        assert code_of(client.answer, number) in ("OK", "UNAVAILABLE")
    while code_of(client.take) != "OK":
        time.sleep(0.1)
    stored = events(client, journal.session)
    assert [event["id"] for event in stored] == written
    assert [event["sequence"] for event in stored] == list(range(1, len(written) + 1))


def far_away(place, seconds):
    """A listener whose one connection passes everything on to the server, but late."""
    def copy(one, other):
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                time.sleep(seconds)
                other.sendall(data)

    def accept():
        near, far = listener.accept()[0], socket.socket(socket.AF_UNIX)
        far.connect(f"{sockets}/.s.PGSQL.{port}")
        threading.Thread(target=copy, args=(far, near), daemon=True).start()
        copy(near, far)

    sockets, port = os.environ["IK_TEST_POSTGRES_SOCKETS"], os.environ["IK_TEST_POSTGRES_PORT"]
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=accept, daemon=True).start()
    place.database = place.database.replace(f"host={sockets}", "host=127.0.0.1").replace(
        f"port={port}", f"port={listener.getsockname()[1]}")
    return listener


def postgres_lets_others_store_while_it_does_so_slowly(place):
    """The other one waits for no more than some of the journals at a time."""
    near = place.database + " connect_timeout=4"
    place.start().ask("list")
    writer = new_id()
    for _ in range(100):
        journal = place.journal(writer=writer)
        journal.event("one")
        journal.died()
    with far_away(place, 0.04):
        slow = place.start()
        number = slow.send("take", writer=writer)
        place.database = near
        while place.sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") == "0":
            time.sleep(0.1)
        assert code_of(place.start().ask, "take") == "OK"
        slow.answer(number)
    assert len(ids(place.start(), count=200)) == 100


def postgres_goes_on_when_it_may_again(place):
    client = place.start()
    journal = place.journal()
    journal.event("one")
    client.take()
    name = f"eve_{new_id()[-12:]}"
    place.sql(f"CREATE ROLE {name} LOGIN; GRANT SELECT, UPDATE ON ALL TABLES IN SCHEMA public TO {name};"
              f" GRANT DELETE ON journals TO {name}")
    place.database = place.database.replace("user=ikigai", f"user={name}")
    client = place.start()
    journal.event("two")
    assert code_of(client.take) == "IO"
    place.database = place.database.replace(f"user={name}", "user=ikigai")
    place.sql(f"GRANT INSERT ON ALL TABLES IN SCHEMA public TO {name}")
    client.take()
    assert contents(client, journal.session) == ["one", "two"]


def postgres_goes_to_the_next_host(place):
    closed = socket.socket()
    closed.bind(("127.0.0.1", 0)) # does not listen: connections are refused
    sockets, port = os.environ["IK_TEST_POSTGRES_SOCKETS"], os.environ["IK_TEST_POSTGRES_PORT"]
    address = place.database.replace(f"host={sockets}", f"host=127.0.0.1,{sockets}")
    place.database = address.replace(f"port={port}", f"port={closed.getsockname()[1]},{port}")
    started = time.monotonic()
    assert place.start().ask("hello")[-1]["name"] == "postgres"
    assert time.monotonic() - started < SECONDS / 2
    closed.listen(0) # accepts, and says nothing
    place.database += " connect_timeout=2"
    assert place.start().ask("hello")[-1]["name"] == "postgres"
    closed.close()


def lease(client, journal, step, place=None):
    """Each process is in a place of its own, unless one is named."""
    return client.ask("lease", session=journal.session, step=step, process=journal.writer,
                      host="here", user="ada", pid=42, place=place or journal.writer)[-1]


def has_lease(*arguments):
    """Who takes it either has it, or is told who else has."""
    return "holder" not in lease(*arguments)


def postgres_has_one_holder_of_a_session(place):
    first, second = place.start(), place.start()
    one, two = place.journal(), place.journal()
    two.session = one.session
    assert has_lease(first, one, "take")
    state = lease(second, two, "take")
    assert state["holder"] | {"since_ms": 0} == {"host": "here", "user": "ada", "pid": 42, "since_ms": 0}
    assert "asker" not in state
    left = place.sql("SELECT extract(epoch FROM expires - now()) FROM locks")
    assert 80 < float(left) <= 90, left
    assert not has_lease(second, two, "ask")
    assert lease(first, one, "take")["asker"]["pid"] == 42
    lease(first, one, "refuse")
    assert lease(second, two, "release")["refused"] is True
    assert lease(second, two, "release")["refused"] is False, "it is said once"
    lease(second, two, "ask")
    lease(second, two, "release")
    assert "asker" not in lease(first, one, "take")
    lease(second, two, "ask")
    lease(first, one, "release")
    assert has_lease(second, two, "ask") and not has_lease(first, one, "take")
    lease(second, two, "release")
    assert has_lease(first, one, "release")
    lease(first, one, "release")
    assert place.sql("SELECT count(*) FROM locks") == "0"
    assert code_of(lease, first, one, "dance") == "INVALID"


def postgres_lets_lock_files_decide_within_a_place(place):
    """Who has the lock file takes the row of its own place, which a dead process has left."""
    first, second = place.start(), place.start()
    one, two = place.journal(), place.journal()
    two.session = one.session
    for client, journal, step in (first, one, "take"), (second, two, "release"), (second, two, "take"):
        assert has_lease(client, journal, step, "here")
    assert place.sql("SELECT process FROM locks") == two.writer
    # Where there are no lock files, only the lease counts.
    assert "holder" in client_without_place(first, one)
    lease(second, two, "release", "here")
    assert "holder" not in client_without_place(first, one)
    assert not has_lease(second, two, "take", "here")
    # What an earlier version has left, which named places in another way, runs out.
    place.sql("UPDATE locks SET holder = gen_random_uuid(), process = gen_random_uuid(), started = 7,"
              " place = '6b3c5b7e-0b9d-4a53-9d4e-2f1d3c9b7a10 pid:[4026531836] time:[4026531834]'")
    assert not has_lease(second, two, "take", "here")
    place.sql("UPDATE locks SET expires = now()")
    assert has_lease(second, two, "take", "here")


def client_without_place(client, journal):
    return client.ask("lease", session=journal.session, step="take", process=journal.writer, pid=43)[-1]


def postgres_releases_what_a_dead_client_held(place):
    first, second = place.start(), place.start()
    journal = place.journal()
    journal.event("one")
    lease(first, journal, "take")
    lease(second, place.journal(journal.session), "release")
    journal.event("two")
    journal.died()
    first.close()
    state = lease(second, place.journal(journal.session), "take")
    assert "holder" not in state and state["newest"] == 2 and contents(second, journal.session) == ["one", "two"]


def policies():
    """What the manual has the owner of the tables run."""
    with open(os.path.join(SOURCES, "man/ikigai-postgresql.7"), encoding="utf-8") as file:
        text = file.read()
    return text[text.index("REVOKE UPDATE ON"):].split("\n.Ed")[0]


def postgres_lets_nobody_delete_what_is_anothers(place):
    ada, bob = (f"{name}_{new_id()[-12:]}" for name in ("ada", "bob"))
    place.start().ask("list")
    place.stop()
    place.sql(f"CREATE ROLE {ada} LOGIN; CREATE ROLE {bob} LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE"
              " ON ALL TABLES IN SCHEMA public TO PUBLIC; " + policies().replace("ikigai_team", "PUBLIC"))
    clients = []
    for name in (ada, bob):
        place.database = place.database.replace("user=ikigai", f"user={name}").replace(
            f"user={ada}", f"user={name}")
        clients.append(place.start())
    first, second = clients
    journal = place.journal()
    journal.event("one")
    first.take_of(journal)
    other = place.journal(journal.session, after=1)
    other.event("two of another")
    other.closed()
    second.take_of(other)
    assert contents(second, journal.session) == ["one", "two of another"], "it may be continued"
    assert search(second, "another")[0] != [], "and indexed"
    session = second.ask("find", prefix=journal.session)[0]["session"]
    assert session["owner"] == ada and session["event_count"] == 2, session
    assert code_of(second.ask, "delete", session=journal.session) == "IO"
    assert ids(first) == [journal.session]
    for statement in ("UPDATE events SET content = 'forged'", "DELETE FROM sessions", "DELETE FROM events",
                      "UPDATE sessions SET event_count = 0", f"UPDATE sessions SET owner = '{bob}'",
                      "DELETE FROM blobs", "UPDATE blobs SET bytes = ''",
                      "UPDATE events SET owner = session_user",
                      "UPDATE sessions SET parent = id, directory = '', id = gen_random_uuid()",
                      f"INSERT INTO events(id, session, sequence, kind, content, size, time, owner) VALUES"
                      f" (gen_random_uuid(), '{journal.session}', 9, 'user', 'as ada', 0, 0, '{ada}')"):
        with contextlib.suppress(subprocess.CalledProcessError):
            place.sql(statement)
    assert contents(first, journal.session) == ["one", "two of another"]
    assert (place.sql("SELECT owner, content FROM events ORDER BY sequence").splitlines() ==
            [f"{ada}|one", f"{bob}|two of another"])
    assert place.sql("SELECT owner FROM sessions") == ada
    first.ask("delete", session=journal.session)
    assert ids(first) == [] and events(first, journal.session) == []


def postgres_lets_nobody_write_beside_the_holder(place):
    client = place.start()
    ours, theirs = place.journal(), place.journal()
    ours.event("one")
    client.take()
    lease(client, ours, "take")
    late = place.journal(ours.session, after=1)
    late.event("without the lease")
    assert client.take_of(late)["session"] != ours.session
    ours.event("two")
    assert client.take_of(ours)["session"] == ours.session
    assert contents(client, ours.session) == ["one", "two"]


def postgres_holds_no_connection_at_rest(place):
    """It ends when nothing is asked, and what it holds is still held."""
    client, other = place.start(), place.start()
    journal = place.journal()
    lease(client, journal, "take")
    assert client.process.wait(SECONDS) == 0
    assert place.sql("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                     " AND application_name = 'ikigai'") == "0"
    assert not has_lease(other if other.process.poll() is None else place.start(),
                         place.journal(journal.session), "take")


def reads_what_is_only_in_journals(place):
    """Of the one who asks, and of those who are dead."""
    client = place.start()
    journal = place.journal()
    for number in range(4):
        journal.event(str(number))
    client.take()
    dead = place.journal(journal.session, after=4)
    reply = new_id()
    dead.event("4")
    dead.put({"begin": {"id": reply, "kind": "assistant", "time": 5, "content": "beg"}})
    dead.put({"more": reply, "text": "un"})
    dead.died()
    living = place.journal(journal.session, after=4)
    living.event("another's")
    ours = place.journal(journal.session, after=6)
    ours.event("6")
    lines = client.ask("page", session=journal.session, count=4, writer=ours.writer)
    found = [line["event"] for line in lines[:-1]]
    assert [event["content"] for event in found] == ["6", "begun", "4", "3"], found
    assert [event["sequence"] for event in found] == [7, 6, 5, 4] and lines[-1]["unstored"] == 2
    lines = client.ask("page", session=journal.session, count=2, before=6, writer=ours.writer)
    assert [line["event"]["content"] for line in lines[:-1]] == ["4", "3"]
    ours.closed()
    assert client.ask("page", session=journal.session, count=9, writer=ours.writer)[-1]["unstored"] == 2
    client.take_of(ours)
    assert contents(client, journal.session) == ["0", "1", "2", "3", "4", "begun", "6"]


def postgres_says_why_it_cannot(place):
    address = place.database
    place.database = address.replace("dbname=", "dbname=no_")
    client = place.start()
    for _ in range(2):
        assert code_of(client.ask, "list") == "UNAVAILABLE"
    place.database = address
    place.sql("CREATE TABLE sessions(x int)")
    assert code_of(place.start().ask, "hello") == "DENIED"
    place.sql("DROP TABLE sessions")
    client = place.start()
    client.ask("hello")
    client.kill()
    place.sql("UPDATE ikigai_form SET version = 99")
    assert code_of(place.start().ask, "hello") == "DENIED"


def postgres_cancels_a_statement(place):
    client = place.start()
    client.ask("hello")
    place.sql("CREATE FUNCTION slow(text) RETURNS text LANGUAGE sql VOLATILE AS"
              " 'SELECT pg_sleep(300)::text'; ALTER TABLE sessions RENAME TO s;"
              " CREATE VIEW sessions AS SELECT id, slow(title) AS title, directory, created_ms,"
              " updated_ms, event_count, last_sequence, parent, forked_at, late, searched, owner FROM s;"
              f" INSERT INTO s(id, directory, created_ms, updated_ms, event_count)"
              f" VALUES ('{new_id()}', '', 1, 1, 1)")
    number = client.send("list")
    time.sleep(0.2)
    started = time.monotonic()
    client.write({"id": number, "do": "cancel"})
    assert code_of(client.answer, number) == "CANCELLED"
    assert time.monotonic() - started < SECONDS / 2


# ---- plans ----

# So many sessions, events of each and forks that nobody would read all of them for one answer.
FILL = {"sqlite": """
    WITH RECURSIVE n(s) AS (SELECT 1 UNION ALL SELECT s + 1 FROM n WHERE s < 3000)
    INSERT INTO sessions(id, directory, title, created_ms, updated_ms, event_count, last_sequence, parent)
    SELECT printf('01900000-0000-7000-8000-%012x', s), '/d' || (s % 100), 'title', s, s, 10, 10,
    CASE s % 10 WHEN 0 THEN printf('01900000-0000-7000-8000-%012x', s - 1) END FROM n;
    WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 10)
    INSERT INTO events(id, session, sequence, kind, content, time)
    SELECT substr(id, 1, 8) || printf('-%04x', n) || substr(id, 14), id, n, 'user', 'some words', n
    FROM sessions, i;
    INSERT INTO blobs(id, part, bytes) SELECT id, 0, 'x' FROM events;
    INSERT INTO journals(name, place, sequence, stored_as) SELECT id, 1, 1, id FROM sessions""",
        "postgres": """
    INSERT INTO sessions(id, directory, title, created_ms, updated_ms, event_count, last_sequence, parent)
    SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(s), 12, '0'))::uuid, '/d' || (s % 100), 'title', s, s,
    10, 10, CASE s % 10 WHEN 0 THEN ('01900000-0000-7000-8000-' || lpad(to_hex(s - 1), 12, '0'))::uuid END
    FROM generate_series(1, 30000) s;
    INSERT INTO events(id, session, sequence, kind, content, size, time)
    SELECT gen_random_uuid(), id, n, 'user', 'some words', 10, n FROM sessions, generate_series(1, 3) n;
    INSERT INTO blobs(id, part, bytes) SELECT id, 0, 'x' FROM events;
    INSERT INTO journals(name, place, sequence, stored_as) SELECT id::text, 1, 1, id FROM sessions;
    INSERT INTO locks(session, expires) SELECT id, now() FROM sessions;
    INSERT INTO search(session, sequence, time, words)
    SELECT session, sequence, time, 'some words'::tsvector FROM events;
    UPDATE sessions SET searched = last_sequence; ANALYZE"""}
# What reads a whole table, or an index of it: only what people ask for when they want to know that.
WHOLE = {"json_object('version'": "doctor: how much is stored",
         "current_setting('server_version')": "doctor: how much is stored",
         "count(*) OVER ()": "doctor: who has which session open",
         "SELECT count(*) FROM sessions WHERE event_count": "recovery: how much was copied",
         "SELECT (SELECT count(*) FROM events NOT INDEXED)": "recovery: how much can be read"}


# The types of parameters that the program names: unknown, bytea, bigint, text, uuid.
TYPES = {"0": "unknown", "17": "bytea", "20": "bigint", "25": "text", "2950": "uuid"}


def plan_of(place, statement, types):
    """Lines of its plan that say that a whole table is read."""
    if place.kind == "sqlite":
        db = sqlite3.connect(place.database)
        count = max([int(number) for number in re.findall(r"\?(\d+)", statement)] or [statement.count("?")])
        lines = [row[3] for row in db.execute("EXPLAIN QUERY PLAN " + statement, [None] * count)]
        # Rows in the order of an index are read up to the limit.
        scan = r"SCAN (TABLE )?(?!CONSTANT|\(|oldest|found|line|.*(VIRTUAL|USING INDEX|search_state|sqlite_|_schema))"
        return [line for line in lines if re.match(scan, line)]
    names = ", ".join(TYPES[number] for number in types.split())
    lines = place.sql(f"SET plan_cache_mode = force_generic_plan;"
                      f" PREPARE asked{f'({names})' if names else ''} AS {statement}; EXPLAIN EXECUTE asked"
                      + (f"({', '.join(['NULL'] * len(types.split()))})" if names else "")).splitlines()
    return [line for line in lines if "Seq Scan" in line and "ikigai_form" not in line]


def plans(kind):
    """No statement that the tests have caused reads a whole table."""
    place = Place(kind)
    try:
        place.start().ask("hello")
        if kind == "sqlite":
            with contextlib.closing(sqlite3.connect(place.database)) as db:
                db.executescript(FILL[kind])
        else:
            place.sql(FILL[kind])
        with open(ASKED, encoding="utf-8") as file:
            words = file.read().split("\0")
        asked = sorted(set(zip(words[0::2], words[1::2])))
        failures = []
        for statement, types in asked:
            if not statement.startswith(("SELECT", "WITH", "INSERT", "UPDATE", "DELETE")):
                continue
            whole = plan_of(place, statement, types)
            if whole and not any(part in statement for part in WHOLE):
                failures.append((whole, statement))
        return failures, len(asked)
    finally:
        place.close()


def main():
    kind, wanted = sys.argv[1], sys.argv[2:]
    others = tuple(name + "_" for name in ("sqlite", "postgres") if name != kind)
    tests = [value for value in globals().values()
             if getattr(value, "__code__", None) and value.__code__.co_argcount == 1 and
             value.__code__.co_varnames[0] == "place" and not value.__name__.startswith(others)]
    for test in tests:
        if wanted and test.__name__ not in wanted:
            continue
        if ("leaf_of" in test.__code__.co_names or "dbstat" in str(test.__code__.co_consts)) and \
                not has_dbstat():
            print(f"ok - {test.__name__} # SKIP this SQLite does not say which page is what")
            continue
        place = Place(kind)
        name = f"{kind}: {test.__name__.removeprefix(kind + '_').replace('_', ' ')}"
        try:
            test(place)
            print(f"ok - {name}", flush=True)
        except Exception as problem: # the rest is still to be seen
            print(f"not ok - {name}", flush=True)
            line = problem.__traceback__
            while line.tb_next:
                line = line.tb_next
            print(f"# line {line.tb_lineno}: {type(problem).__name__}: {problem}"[:2000])
        finally:
            place.close()
    if not wanted and STATEMENTS:
        failures, count = plans(kind)
        print(f"{'not ok' if failures else 'ok'} - {kind}: none of {count} statements reads a whole table")
        for whole, statement in failures:
            print(f"# {whole}: {statement}")


main()
