"""many_sessions.py FILE SESSIONS EVENTS: so many sessions of so many events each, as `ikigai
session export` writes them, one after the other."""
import json
import sys

path, sessions, events = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with open(path, "w") as out:
    for session in range(sessions):
        for event in range(events):
            print(json.dumps({
                "id": "fedcba98-7654-7321-8000-%06x%06x" % (session, event),
                "session": "01234567-89ab-7cde-8000-%012x" % session, "sequence": event + 1,
                "kind": "user", "content": "words %d" % event, "data": None,
                "time": "2026-01-31T12:00:00.123Z"}), file=out)
