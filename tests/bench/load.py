"""Rows of events (bench_find rows) from standard input into an SQLite database of ours.

    load.py DATABASE [SESSIONS]   with so many sessions of one row's fields more, without events
"""
import sqlite3
import sys

connection = sqlite3.connect(sys.argv[1])
connection.execute("PRAGMA synchronous = OFF")
connection.execute("PRAGMA cache_size = -400000")
rows = (line.rstrip("\n").split("\t") for line in sys.stdin)
connection.executemany("INSERT INTO events(id, session, sequence, kind, content, time)"
    " VALUES(?, ?, ?, ?, ?, ?)", rows)
connection.execute("INSERT OR IGNORE INTO sessions(id, directory, title, created_ms, updated_ms,"
    " event_count, last_sequence) SELECT session, '/bench', 'session ' || min(time), min(time),"
    " max(time), count(*), max(sequence)"
    " FROM events GROUP BY session")
if len(sys.argv) > 2:
    connection.execute("""WITH RECURSIVE n(s) AS (SELECT 1 UNION ALL SELECT s + 1 FROM n WHERE s < ?)
        INSERT INTO sessions(id, directory, title, created_ms, updated_ms, event_count,
        last_sequence) SELECT printf('01910000-0000-7000-8000-%012x', s), '/bench/' || (s % 100),
        'What was said in session ' || s || ' first of all', s, s, 1, 1 FROM n""", (int(sys.argv[2]),))
connection.commit()
connection.close() # which takes the log in: left behind, it would be measured
