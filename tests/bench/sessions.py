"""Long sessions in the real chat, in a pseudo-terminal.

    sessions.py history IKIGAI URL MEGABYTES  a session of so much text, resumed; three messages
    sessions.py large IKIGAI URL MEGABYTES    a session with a result of so much text, resumed;
                                              searched, copied, exported, read in a pager
    sessions.py long COUNT                    stores a session of so many messages of 1,000 lines
    sessions.py turns IKIGAI URL COUNT        so many turns in one session; memory
    sessions.py first-byte IKIGAI RUNS        first byte of a reply on the wire to the screen

The first needs loop_turns.so in $IK_BENCH_PRELOAD, for the longest turn of the loop.  The n-th
reply of URL ends in the n-th letter seven times, so that no two look alike.
"""
import fcntl
import json
import os
import pty
import re
import select
import signal
import socket
import sqlite3
import statistics
import struct
import subprocess
import sys
import termios
import threading
import time
import uuid

LINE = 'A line of "text" with `code`, an ümlaut and a few words more.\n'


def marker(number):
    """The end of a reply; a terminal is sent all of it, whatever stood in its place."""
    return "abcdefghijklmnopqrstuvwxyz"[(number - 1) % 26] * 7


class Chat:
    """The program in a terminal of 60 rows and 200 columns."""

    def __init__(self, arguments, environment=None):
        self.text = b""
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.execve(arguments[0], arguments, dict(os.environ, **(environment or {})))
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 200, 0, 0))

    def read(self, seconds):
        end = time.monotonic() + seconds
        while True:
            ready, _, _ = select.select([self.terminal], [], [], max(0, end - time.monotonic()))
            if not ready:
                return
            self.text += os.read(self.terminal, 1 << 16)

    def wait(self, text):
        """Until it shows text behind what was asked for before."""
        end = time.monotonic() + 120
        while text.encode() not in self.text:
            if time.monotonic() > end:
                sys.exit(f"sessions.py: it never showed {text}")
            ready, _, _ = select.select([self.terminal], [], [], 1)
            if ready:
                self.text += os.read(self.terminal, 1 << 16)
        self.text = b""

    def type(self, keys):
        os.write(self.terminal, keys.encode())

    def cpu_ms(self):
        with open(f"/proc/{self.pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[0]) / 1e6

    def settle(self):
        """Until it does nothing more."""
        before = -1000.0
        while self.cpu_ms() - before > 3:
            before = self.cpu_ms()
            self.read(0.5)

    def pss_kb(self):
        with open(f"/proc/{self.pid}/smaps_rollup", encoding="ascii") as file:
            return int(re.search(r"^Pss:\s+(\d+)", file.read(), re.M).group(1))

    def end(self):
        os.kill(self.pid, signal.SIGTERM)
        try:
            while os.read(self.terminal, 1 << 16):
                pass
        except OSError:
            pass
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


def store_session(database, events):
    """Append a session of this directory with these events (kind, content, data); gives its id."""
    session, now = str(uuid.uuid4()), int(time.time() * 1000)
    with sqlite3.connect(database) as connection:
        connection.execute("INSERT INTO sessions(id, directory, title, created_ms, updated_ms, event_count,"
            " last_sequence) VALUES(?, ?, '', ?, ?, ?, ?)",
            (session, os.getcwd(), now, now, len(events), len(events)))
        connection.executemany("INSERT INTO events(id, session, sequence, kind, content, data_json, time)"
            " VALUES(?, ?, ?, ?, ?, ?, ?)", ((str(uuid.uuid4()), session, number, *event, now)
            for number, event in enumerate(events, 1)))
    connection.close()
    return session


def long(count):
    body = "\n".join(f"line {i} of a message, about as long as lines are" for i in range(1000))
    store_session(os.environ["HOME"] + "/.ikigai/ikigai.db",
        [("assistant" if number % 2 else "user", body, None) for number in range(int(count))])


def make_session(database, megabytes):
    """Questions, calls, results, answers."""
    rows, total = [], 0

    def add(kind, content, data=None):
        nonlocal total
        total += len(content.encode()) + len((data or "").encode())
        rows.append((kind, content, data))

    while total < megabytes * 1e6:
        call = f"call_{len(rows)}"
        function = {"name": "file_read", "arguments": '{"file_path":"x"}'}
        envelope = json.dumps({"tool_success": True, "result": {"output": LINE * 64}})
        add("user", LINE * 4)
        add("tool_call", "file_read(x)",
            json.dumps({"id": call, "type": "function", "function": function}))
        add("tool_result", LINE[:-1], json.dumps({"tool_call_id": call, "name": "file_read",
            "output": envelope, "success": True, "duration_ms": 3}))
        add("assistant", LINE * 32)
    return store_session(database, rows), len(rows), total


def longest_turn(chat, log):
    """Of the loop since the last time: CPU milliseconds."""
    with open(log, encoding="ascii") as file:
        lines = file.read().splitlines()
    open(log, "w", encoding="ascii").close()
    os.kill(chat.pid, signal.SIGUSR2)
    return float(lines[-1].split()[0]) if lines else 0.0


def history(ikigai, url, megabytes):
    log = os.path.abspath("turns")
    subprocess.run([ikigai, "exec", "-p", "practice", "hi"], stdout=subprocess.DEVNULL, check=True)
    database = os.environ["HOME"] + "/.ikigai/ikigai.db"
    session, count, total = make_session(database, float(megabytes))
    print(f"{count} events, {total / 1e6:.0f} MB of text")
    open(log, "w", encoding="ascii").close()
    chat = Chat([ikigai, f"--resume={session}", "--base-url", url, "-m", "bench"],
        {"LD_PRELOAD": os.environ["IK_BENCH_PRELOAD"], "IK_BENCH_TURNS": log})
    chat.wait("restored")
    chat.settle()
    print(f"resumed: longest turn of the loop {longest_turn(chat, log):.1f} ms, "
        f"{chat.pss_kb() / 1024:.0f} MB Pss, {chat.cpu_ms():.0f} ms CPU")
    for number in range(1, 4):
        cpu, begun = chat.cpu_ms(), time.monotonic()
        chat.type("say it\r")
        chat.wait(marker(number))
        wall = (time.monotonic() - begun) * 1000
        chat.settle()
        print(f"message {number}: longest turn of the loop {longest_turn(chat, log):.1f} ms, "
            f"{wall:.0f} ms to the reply, {chat.cpu_ms() - cpu:.0f} ms CPU, "
            f"{chat.pss_kb() / 1024:.0f} MB Pss")
    chat.end()


def make_large(database, megabytes):
    """One large result, with the word NEEDLE at its end."""
    text = LINE * int(megabytes * 1e6 / len(LINE.encode())) + "the NEEDLE is here\n"
    envelope = json.dumps({"tool_success": True, "result": {"output": text}})
    function = {"name": "bash", "arguments": '{"command":"cat x"}'}
    rows = [("user", "what is in it?", None),
        ("tool_call", "bash(cat x)", json.dumps({"id": "c1", "type": "function", "function": function})),
        ("tool_result", LINE[:-1], json.dumps({"tool_call_id": "c1", "name": "bash",
            "output": envelope, "success": True, "duration_ms": 3})),
        ("assistant", "Many lines.", None)]
    return store_session(database, rows), len(text.encode()), len(rows[2][2])


def large(ikigai, url, megabytes):
    log = os.path.abspath("turns")
    subprocess.run([ikigai, "exec", "-p", "practice", "hi"], stdout=subprocess.DEVNULL, check=True)
    database = os.environ["HOME"] + "/.ikigai/ikigai.db"
    session, total, stored = make_large(database, float(megabytes))
    print(f"a result of {total / 1e6:.0f} MB, {stored / 1e6:.0f} MB as it is stored")
    open(log, "w", encoding="ascii").close()
    chat = Chat([ikigai, f"--resume={session}", "--base-url", url, "-m", "bench"],
        {"LD_PRELOAD": os.environ["IK_BENCH_PRELOAD"], "IK_BENCH_TURNS": log, "PAGER": "wc",
        "TERM": "xterm-256color"})
    chat.wait("restored")
    chat.settle()

    def tell(what):
        chat.settle()
        print(f"  {what:40} longest turn {longest_turn(chat, log):7.1f} ms, "
            f"{chat.pss_kb() / 1024:.0f} MB Pss, {chat.cpu_ms():.0f} ms CPU", flush=True)

    tell("resumed")
    chat.type("\x13NEEDLE")
    chat.read(1)
    tell("searched")
    chat.type("\r\x1b")
    chat.read(1)
    chat.type("\x1bOR")
    tell("in the inspector")
    chat.type("y")
    tell("copied")
    chat.type("o")
    chat.read(2)
    tell("read in a pager")
    chat.type("\x1bOR")
    chat.read(1)
    chat.type("/export out.md\r")
    chat.read(1)
    tell("exported")
    chat.type("say it\r")
    chat.wait(marker(1))
    tell("sent to a model")
    chat.end()


def turns(ikigai, url, count):
    chat = Chat([ikigai, "--base-url", url, "-m", "bench"])
    chat.wait("F1")
    figures, took = {}, []
    half = (int(count) + 100) // 2
    for number in range(1, int(count) + 1):
        begun = chat.cpu_ms()
        chat.type("say it\r")
        chat.wait(marker(number))
        took.append(chat.cpu_ms() - begun)
        if number in (100, half, int(count)):
            chat.settle()
            figures[number] = chat.pss_kb()
    with sqlite3.connect(os.environ["HOME"] + "/.ikigai/ikigai.db") as connection:
        text = connection.execute("SELECT sum(length(content) + ifnull(length(data_json), 0)) FROM events"
            " WHERE session = (SELECT id FROM sessions ORDER BY updated_ms DESC LIMIT 1)").fetchone()[0]
    grown, of_text = figures[int(count)] - figures[100], text / 1024 * (int(count) - 100) / int(count)
    print(f"turns 1 to 100: {statistics.median(took[:100]):.2f} ms CPU each; the last 100: "
        f"{statistics.median(took[-100:]):.2f} ms")
    print(f"Pss at turn 100 {figures[100]} kB, at turn {count} {figures[int(count)]} kB: "
        f"{grown} kB more for {of_text:.0f} kB of text, {grown / of_text:.2f} x")
    # What is kept to a bound (spelled requests, pages of the database, rows) is full by now.
    later = figures[int(count)] - figures[half]
    print(f"from turn {half} on: {later} kB more, {2 * later / of_text:.2f} x of their text")
    chat.end()


def serve_first_byte(listener, sent, go):
    """Answer each request with its head, and, a moment later, one word and the end."""
    while True:
        client, _ = listener.accept()
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while b"say it" not in client.recv(1 << 20):
            pass
        client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        time.sleep(0.1)
        number = len(sent) + 1
        sent.append(time.monotonic())
        client.sendall(b'data: {"choices":[{"index":0,"delta":{"content":"%s"}}]}\n\n'
            % marker(number).encode())
        go.wait()
        go.clear()
        client.sendall(b"data: [DONE]\n\n")
        client.close()


def first_byte(ikigai, runs):
    listener = socket.create_server(("127.0.0.1", 0))
    sent, values, go = [], [], threading.Event()
    threading.Thread(target=serve_first_byte, args=(listener, sent, go), daemon=True).start()
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    chat = Chat([ikigai, "--base-url", url, "-m", "bench"])
    chat.wait("F1")
    for number in range(1, int(runs) + 1):
        chat.type("say it\r")
        chat.wait(marker(number))
        values.append((time.monotonic() - sent[-1]) * 1000)
        go.set()
        chat.settle()
    print(f"first byte to the screen: {statistics.median(values):.2f} ms "
        f"({len(values)} runs, {min(values):.2f} to {max(values):.2f})")
    chat.end()


if __name__ == "__main__":
    {"history": history, "large": large, "long": long, "turns": turns, "first-byte": first_byte}[sys.argv[1]](*sys.argv[2:])
