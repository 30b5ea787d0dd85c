"""agents.py IKIGAI RUNS: two agents with 100,000 events each in the real chat; from the key that
shows the other one until its screen is there, and the processor's time for that."""
import os
import statistics
import subprocess
import sys
import tempfile
import time

from sessions import Chat, store_session

EVENTS = 100000


def make_events():
    """So many, as long as such things are."""
    words = "and what a person may have said in it, or a model, as long as such things are; " * 3
    return [("user" if i % 2 else "assistant", f"event {i}, {words}", None)
            for i in range(1, EVENTS + 1)]


def main():
    ikigai, runs = sys.argv[1], int(sys.argv[2])
    with tempfile.TemporaryDirectory() as home:
        environment = {"HOME": home, "TERM": "xterm-256color", "LANGUAGE": "C"}
        subprocess.run([ikigai, "exec", "-p", "practice", "hello"], env=dict(os.environ, **environment),
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
        session = store_session(f"{home}/.ikigai/ikigai.db", make_events())
        chat = Chat([ikigai, "-p", "practice", f"--resume={session}"], environment)
        chat.wait("[Session restored")
        chat.settle()
        chat.type("/fork hello\r")
        chat.wait("Agent 2 has ended its turn.")
        chat.settle()
        walls, costs = [], []
        for run in range(runs):
            chat.text = b""
            began, cost = time.monotonic(), chat.cpu_ms()
            chat.type("\x1b[21~")
            while b"[%d]" % (2 - run % 2) not in chat.text:
                chat.read(0.0005)
            walls.append((time.monotonic() - began) * 1e3)
            chat.read(0.1)
            costs.append(chat.cpu_ms() - cost)
        chat.end()
    print(f"switching between two agents of {EVENTS} events: {statistics.median(walls):.2f} ms from the "
          f"key to the status bar, at most {max(walls):.2f}; {statistics.median(costs):.2f} ms of CPU")


main()
