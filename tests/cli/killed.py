"""killed.py: the program killed at each line that it prints of a long turn, and resumed.

The loopback server refuses what no service would take, so a session that goes on has sent
what each service accepts; in each format, and after a change to another one.
"""
import json, os, subprocess, sys

BUILD, HOME = os.environ["BUILD"], os.environ["HOME"]
WIRES = "openai-chat", "openai-responses", "anthropic", "google"
TURN = """wire {wire}
answer always
when go on
chat Yes.
finish stop
done
answer always
when "n\\":3
thinking Now I know.
chat It is
chat  done.
finish stop
usage 30 5
done
answer always
when {key}one.call
thinking Once more.
call 0 two.call echo {{"n":3}}
finish tool_calls
done
answer always
thinking I should look.
chat Let me
chat  look.
call 0 one.call echo
arguments 0 {{"n":1}}
call 1 one.other echo {{"n":2}}
finish tool_calls
usage 10 5
done
"""

def serve(wire):
    path = f"{HOME}/scenario.{wire}"
    with open(path, "w") as file:
        # Google has no ids: the call is told by its arguments.
        file.write(TURN.format(wire=wire, key="").replace("when one.call", "when \"n\\\":2"))
    server = subprocess.Popen([BUILD + "/tests/net/loopback_server", "-d", path],
                              stdout=subprocess.PIPE, text=True)
    return server, f"http://127.0.0.1:{server.stdout.readline().strip()}" + ("/v1" if wire[0] == "o" else "")

def run(wire, *arguments, kill_at=None):
    """The lines that were printed, up to the one at which the program was killed."""
    program = subprocess.Popen([BUILD + "/ikigai", "exec", "--json", "-p", wire, "-m", "gemini-3", *arguments],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    lines = []
    for line in program.stdout:
        lines.append(json.loads(line))
        if len(lines) == kill_at:
            program.kill()
            break
    program.stdout.close()
    program.wait()
    return lines

servers = {wire: serve(wire) for wire in WIRES}
with open(HOME + "/.ikigai/config.json", "w") as file:
    json.dump({"retry": {"max": 0}, "providers": {
        wire: {"type": wire, "base_url": address, "thinking": "high", "context_window": 100000}
        for wire, (_, address) in servers.items()}}, file)
good = True
for number, wire in enumerate(WIRES):
    whole = run(wire, "first")
    if whole[-1].get("stop_reason") != "end" or sum(line["type"] == "tool_result" for line in whole) != 3:
        print(wire, *whole, sep="\n  ")
        good = False
    for cut in range(1, len(whole)):
        killed = run(wire, "first", kill_at=cut)
        session = killed[0]["id"]
        for asked in wire, WIRES[(number + 1 + cut % 3) % 4]:
            lines = run(asked, "--resume=" + session, "go on")
            errors = [line for line in lines if line["type"] == "error"]
            # The question is stored before anything is told of the turn.
            if errors or not lines or lines[-1].get("stop_reason") != "end":
                print(f"{wire}, killed at {cut}, {asked}:", *lines, sep="\n  ")
                good = False
sys.exit(not good)
