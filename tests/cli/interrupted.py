"""interrupted.py IKIGAI: each verb of `ikigai session` that takes long shows on a terminal how far it is,
ends with Ctrl-C, and does the rest when it is called again."""
import glob
import os
import pty
import select
import shutil
import sqlite3
import subprocess
import sys

IKIGAI, SESSIONS, EVENTS = sys.argv[1], 600, 50
HOME = os.environ["HOME"]
ALL = SESSIONS * EVENTS


def run(arguments, database, output=None):
    """In a terminal, with Ctrl-C once the progress shows; status, and what it wrote there."""
    pid, terminal = pty.fork()
    if pid == 0:
        if output:
            os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
        os.execv(IKIGAI, [IKIGAI, "--database", database, "session", *arguments])
    written, interrupted = b"", False
    while True:
        select.select([terminal], [], [])
        try:
            written += os.read(terminal, 65536)
        except OSError:
            break
        if b" left" in written and not interrupted:
            interrupted = True
            os.write(terminal, b"\x03")
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert status == (130 if interrupted else 0), (arguments, status, written)
    assert not interrupted or b"Interrupted" in written, (arguments, written)
    return interrupted


def rest(arguments, database, output=None):
    with open(output or os.devnull, "wb") as file:
        subprocess.run([IKIGAI, "--database", database, "session", *arguments], check=True, stdout=file,
                       stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)


def count(database):
    with sqlite3.connect(database) as db:
        return db.execute("SELECT count(*) FROM events").fetchone()[0]


def main():
    lines, database = f"{HOME}/many.jsonl", f"{HOME}/many.db"
    subprocess.run([sys.executable, os.path.join(os.path.dirname(__file__), "many_sessions.py"), lines,
                    str(SESSIONS), str(EVENTS)], check=True)
    if run(["import", lines], database):
        assert count(database) < ALL
    rest(["import", lines], database)
    assert count(database) == ALL

    out = f"{HOME}/out.jsonl"
    run(["export", "--all"], database, out)
    rest(["export", "--all"], database, out)
    with open(out, "rb") as file:
        assert len(file.readlines()) == ALL

    copy = f"{HOME}/copy.db"
    if not run(["backup", copy], database):
        os.remove(copy)
    assert not glob.glob(copy + "*")
    rest(["backup", copy], database)
    assert count(copy) == ALL

    rest(["list"], copy) # from here on it has a write-ahead log
    with open(copy, "r+b") as file: # the index of their ids, and pages of events
        file.seek(4096 * 4)
        file.write(bytes(4096 * 4))
    before = shutil.copy(copy, f"{HOME}/before.db")
    if run(["recover"], copy):
        with open(copy, "rb") as one, open(before, "rb") as other:
            assert one.read() == other.read()
        assert not glob.glob(copy + ".*")
        rest(["recover"], copy)
    assert ALL - 200 < count(copy) <= ALL and glob.glob(copy + ".damaged-*")

    run(["delete", "--older-than", "1", "--yes"], database)
    rest(["delete", "--older-than", "1", "--yes"], database)
    assert count(database) == 0


main()
