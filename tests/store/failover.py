#!/usr/bin/env python3
"""failover.py [SCENARIO...]: chats and `ikigai exec` at work while their server is in trouble.

Chats are typed into, and runs of `ikigai exec` follow one another, before, during and after the
trouble. Then all that was said is in the database: once, in its order, and nothing waits any more.
Measured is how long after the server was available (psql can write again at the same address)
everything is stored that was said until then: 2 s at most, or with a silent host the time that
finding this out takes.

IK_TEST_FAILOVER=all is five chats, sixteen runs at a time, long troubles and the strict limit;
otherwise a sample of that, with a limit for busy machines.  Prints TAP.
"""
import contextlib
import fcntl
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

BUILD = os.environ.get("IK_TOP_BUILDDIR", ".")
ALL = os.environ.get("IK_TEST_FAILOVER") == "all"
CHATS, RUNS = (5, 16) if ALL else (2, 4)
BEFORE, TROUBLE, AFTER = (4, 6, 3) if ALL else (1, 2, 1)
LIMIT = 2 if ALL else 15
# A server that is silent, while a statement is at work or a host is connected to, is given up after this.
CONNECT_TIMEOUT = 2
# pgbouncer connects again this long after it failed (server_login_retry in server.sh).
PGBOUNCER_RETRY = 1
# While a cluster finds a leader, hundreds of runs end and leave their journals.
BACKLOG = 3
SECONDS = 90


class Skipped(Exception):
    """Something is missing here."""


# ---- the server ----

def control(*words):
    subprocess.run([os.environ["IK_TEST_POSTGRES_CONTROL"], *words], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def sql(statement, address):
    """What psql prints."""
    return subprocess.run(["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-d", address, "-c", statement],
                          check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=SECONDS).stdout.strip()


class Proxy:
    """A port that passes on to the server's socket, or does something worse."""

    def __init__(self, path):
        self.path = path
        self.swallows = False
        self.pairs = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                ours, _ = self.listener.accept()
            except OSError:
                return
            theirs = socket.socket(socket.AF_UNIX)
            try:
                theirs.connect(self.path)
            except OSError:
                ours.close()
                continue
            self.pairs.append((ours, theirs))
            for one, other in ((ours, theirs), (theirs, ours)):
                threading.Thread(target=self.copy, args=(one, other), daemon=True).start()

    def copy(self, one, other):
        swallowed = False # what has lost some bytes is of no use any more
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                swallowed = swallowed or self.swallows
                if not swallowed:
                    other.sendall(data)
        if not swallowed:
            for end in (one, other):
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def close(self):
        self.listener.close()
        for pair in self.pairs:
            for end in pair:
                end.close()


class SilentPort:
    """A port whose backlog is full: the kernel drops each packet that wants to connect."""

    def __init__(self):
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(0)
        self.port = self.listener.getsockname()[1]
        self.fillers = []
        for _ in range(4):
            filler = socket.socket()
            filler.setblocking(False)
            filler.connect_ex(("127.0.0.1", self.port))
            self.fillers.append(filler)

    def close(self):
        for filler in [self.listener, *self.fillers]:
            filler.close()


# ---- those at work ----

class Chat:
    """A chat in a terminal whose picture nobody looks at."""

    def __init__(self, place, number):
        self.number, self.said = number, 0
        self.fd, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self.process = subprocess.Popen(place.command(), stdin=theirs, stdout=theirs, stderr=theirs,
                                        env=place.environment | {"TERM": "xterm-256color"},
                                        cwd=place.project, start_new_session=True)
        os.close(theirs)
        self.seen = b""
        threading.Thread(target=self.drain, daemon=True).start()

    def drain(self):
        with contextlib.suppress(OSError):
            while data := os.read(self.fd, 65536):
                self.seen = (self.seen + data)[-100000:]

    def type(self, text):
        os.write(self.fd, text.encode())

    def say(self):
        self.said += 1
        self.type(self.prompt(self.said) + "\r")

    def prompt(self, number):
        """The practice model calls glob."""
        return f"list chat-{self.number} {number}"

    def prompts(self):
        return {self.prompt(number) for number in range(1, self.said + 1)}

    def close(self):
        self.type("\x04")
        try:
            self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f"chat {self.number} does not end: {self.seen[-1000:]}") from None
        finally:
            os.close(self.fd)


class Place:
    """A database, a home, and everybody who is at work there."""

    count = 0

    def __init__(self):
        self.directory = tempfile.mkdtemp()
        self.home, self.project = (os.path.join(self.directory, part) for part in ("home", "project"))
        os.mkdir(self.home)
        os.mkdir(self.project)
        self.environment = {name: value for name, value in os.environ.items()
                            if name in ("PATH", "LANG", "LC_ALL", "ASAN_OPTIONS", "UBSAN_OPTIONS")} | {
                                "HOME": self.home}
        self.sockets, self.port = (os.environ["IK_TEST_POSTGRES_" + part] for part in ("SOCKETS", "PORT"))
        Place.count += 1
        self.database = f"failover{os.getpid()}_{Place.count}"
        sql(f"CREATE DATABASE {self.database}", os.environ["IK_TEST_POSTGRES_ADMIN"])
        # At this one the test looks; ikigai is given the second, which may have several hosts.
        self.direct = self.at(self.sockets, self.port)
        self.address = self.direct
        self.limit = LIMIT
        self.chats, self.runs, self.threads = [], [], []
        self.away = 0 # seconds that it took until psql could write
        self.lock = threading.Lock()
        self.stopping = False
        self.closing = []

    def at(self, hosts, ports, words=""):
        return f"host={hosts} port={ports} user=ikigai dbname={self.database} {words}".strip()

    def through(self, *ports):
        """The address with these ports before the server's own socket."""
        self.address = self.at(",".join(["127.0.0.1"] * len(ports) + [self.sockets]),
                               ",".join([str(port) for port in ports] + [self.port]),
                               f"connect_timeout={CONNECT_TIMEOUT}")

    def own(self, thing):
        self.closing.append(thing)
        return thing

    def command(self, *words):
        return [os.path.join(BUILD, "ikigai"), "--database", self.address, "-p", "practice", *words]

    # -- at work --

    def work(self):
        """Begin: chats that are typed into every second, runs that follow one another."""
        sql("CREATE TABLE probe(at timestamptz)", self.direct)
        # The tables are there before all come at once.
        subprocess.run(self.command("session", "list"), env=self.environment, check=True,
                       stdout=subprocess.DEVNULL)
        self.chats = [Chat(self, number) for number in range(CHATS)]
        time.sleep(1)
        self.threads = [threading.Thread(target=self.talk, args=(chat,)) for chat in self.chats]
        self.threads += [threading.Thread(target=self.run, args=(number,)) for number in range(RUNS)]
        for thread in self.threads:
            thread.start()
        time.sleep(BEFORE)

    def talk(self, chat):
        while not self.stopping:
            chat.say()
            time.sleep(0.8)

    def run(self, worker):
        number = 0
        while not self.stopping:
            number += 1
            prompt = f"list run-{worker} {number}"
            begun = time.monotonic()
            ended = subprocess.run(self.command("exec", prompt), env=self.environment, cwd=self.project,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS)
            with self.lock:
                self.runs.append((prompt, ended.returncode, time.monotonic() - begun, ended.stdout))
            time.sleep(0.2) # two processors have more to do

    # -- what is stored --

    def said(self):
        return set().union(*(chat.prompts() for chat in self.chats), (run[0] for run in self.runs))

    def stored(self):
        """How often each prompt is stored."""
        rows = sql("SELECT content, count(*) FROM events WHERE kind = 'user' GROUP BY content", self.direct)
        return dict(row.rsplit("|", 1) for row in rows.splitlines())

    def available(self):
        """Wait until psql can write at ikigai's address; when that was."""
        limit = time.monotonic() + SECONDS
        while True:
            with contextlib.suppress(subprocess.SubprocessError):
                sql("INSERT INTO probe VALUES (now())", self.address + (
                    " target_session_attrs=read-write" if "," in self.address else ""))
                return time.monotonic()
            assert time.monotonic() < limit, "the server did not come back"
            time.sleep(0.05)

    def recovered(self, at):
        """Wait until everything is stored that was said before this time; how long after it that was."""
        with self.lock:
            wanted = self.said()
        limit = at + SECONDS
        while missing := wanted - self.stored().keys():
            assert time.monotonic() < limit, f"not stored after {SECONDS} s: {sorted(missing)[:9]}"
            time.sleep(0.05)
        return time.monotonic() - at

    def stop(self):
        time.sleep(AFTER)
        self.stopping = True
        for thread in self.threads:
            thread.join()
        self.recovered(time.monotonic())
        time.sleep(2) # a chat asks whether to leave while a turn runs
        for chat in self.chats:
            chat.close()
        # Whatever the last ones left.
        subprocess.run(self.command("session", "list"), env=self.environment, check=True,
                       stdout=subprocess.DEVNULL, timeout=SECONDS)

    def check(self):
        """Is everything there, once and in order, and does nothing wait?"""
        problems = []
        for prompt, status, seconds, output in self.runs:
            if status != 0:
                problems.append(f"{prompt} ended with {status}: {output[-300:]}")
        stored = self.stored()
        wanted = self.said()
        problems += [f"{prompt} is not stored" for prompt in sorted(wanted - stored.keys())]
        problems += [f"{prompt} is stored {count} times" for prompt, count in stored.items() if count != "1"]
        for number in range(CHATS):
            rows = sql("SELECT session, content FROM events WHERE kind = 'user' AND content LIKE"
                       f" 'list chat-{number} %' ORDER BY session, sequence", self.direct).splitlines()
            sessions = {row.split("|")[0] for row in rows}
            said = [int(row.split()[-1]) for row in rows]
            if len(sessions) != 1:
                problems.append(f"chat {number} is {len(sessions)} sessions")
            elif said != sorted(said):
                problems.append(f"chat {number} has another order: {said}")
        rows = sql("SELECT s.id FROM sessions s WHERE s.late OR s.event_count <> s.last_sequence OR"
                   " s.event_count <> (SELECT count(*) FROM events WHERE session = s.id) OR"
                   " s.event_count <> (SELECT max(sequence) FROM events WHERE session = s.id)", self.direct)
        problems += [f"{session} has gaps, or is a fork" for session in rows.splitlines()]
        rows = sql("SELECT session, count(*) FILTER (WHERE kind = 'user'), count(*) FILTER (WHERE kind ="
                   " 'assistant') FROM events GROUP BY session HAVING count(*) FILTER (WHERE kind = 'user')"
                   " > count(*) FILTER (WHERE kind = 'assistant') AND NOT bool_or(content LIKE 'list chat-%')",
                   self.direct)
        problems += [f"{row}: a reply is missing" for row in rows.splitlines()]
        for top, _, names in os.walk(os.path.join(self.home, ".ikigai/journal")):
            problems += [f"{name} is left" for name in names if not name.startswith(".")]
        assert not problems, "; ".join(problems[:12])

    def close(self):
        self.stopping = True
        for thread in self.threads:
            thread.join()
        for chat in self.chats:
            if chat.process.poll() is None:
                chat.process.kill()
        for thing in self.closing:
            thing.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    def measure(self, seconds=0):
        """The trouble is over now, or soon: all is stored in time."""
        begun = time.monotonic()
        available = self.available()
        self.away = available - begun
        took = self.recovered(available)
        limit = self.limit + seconds
        assert took <= limit, f"everything was stored {took:.1f} s after the server was there, not {limit} s"
        return took

    def finish(self, seconds=0):
        """The same, and in the end everything is right."""
        took = self.measure(seconds)
        self.stop()
        self.check()
        return took


@contextlib.contextmanager
def a_standby(place):
    """That lacks nothing the primary has confirmed, as the manual says."""
    control("standby")
    try:
        sql("ALTER SYSTEM SET synchronous_standby_names = '*'", place.direct)
        sql("ALTER SYSTEM SET synchronous_commit = remote_apply", place.direct)
        sql("SELECT pg_reload_conf()", place.direct)
        place.address = place.at(f"{place.sockets},{place.sockets}/standby", f"{place.port},{place.port}",
                                 f"connect_timeout={CONNECT_TIMEOUT}")
        yield
    finally:
        place.stopping = True
        control("start")
        place.direct = place.at(place.sockets, place.port)
        sql("ALTER SYSTEM RESET ALL", place.direct)
        sql("SELECT pg_reload_conf()", place.direct)


# ---- the troubles: each measures, and leaves the server as it was ----

def the_server_restarts(place):
    place.work()
    control("immediate")
    time.sleep(TROUBLE)
    control("start")
    return place.finish()


def the_primary_is_killed_and_a_standby_promoted(place):
    with a_standby(place):
        place.work()
        control("immediate")
        time.sleep(TROUBLE)
        control("promote")
        place.direct = place.at(place.sockets + "/standby", place.port)
        return place.finish()


def the_primary_freezes_and_a_standby_is_promoted(place):
    with a_standby(place):
        place.work()
        control("freeze")
        time.sleep(TROUBLE)
        control("promote")
        place.direct = place.at(place.sockets + "/standby", place.port)
        return place.finish(CONNECT_TIMEOUT)


def the_first_host_refuses(place):
    closed = place.own(socket.socket())
    closed.bind(("127.0.0.1", 0))
    place.through(closed.getsockname()[1])
    return the_server_restarts(place)


def the_first_host_is_silent(place):
    place.through(place.own(SilentPort()).port)
    place.limit += CONNECT_TIMEOUT
    return the_server_restarts(place)


def the_first_host_swallows_packets(place):
    proxy = place.own(Proxy(f"{place.sockets}/.s.PGSQL.{place.port}"))
    place.through(proxy.port)
    place.work()
    proxy.swallows = True
    return place.finish(CONNECT_TIMEOUT)


def a_proxy_swallows_packets_for_a_while(place):
    proxy = place.own(Proxy(f"{place.sockets}/.s.PGSQL.{place.port}"))
    place.address = place.at("127.0.0.1", proxy.port, f"connect_timeout={CONNECT_TIMEOUT}")
    place.work()
    proxy.swallows = True
    time.sleep(TROUBLE)
    proxy.swallows = False
    return place.finish(CONNECT_TIMEOUT)


def storm(place, address):
    limit = time.monotonic() + TROUBLE
    while time.monotonic() < limit:
        with contextlib.suppress(subprocess.CalledProcessError):
            sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname ="
                f" '{place.database}' AND pid <> pg_backend_pid()", address)
        time.sleep(0.02)


def connections_are_terminated_in_a_storm(place):
    place.work()
    storm(place, place.direct)
    return place.finish()


def through_pgbouncer(place):
    if not shutil.which("pgbouncer"):
        raise Skipped("pgbouncer is not installed")
    control("pgbouncer")
    place.address = place.at(place.sockets, 6432)
    place.work()
    storm(place, place.direct)
    took = place.measure()
    control("immediate")
    time.sleep(TROUBLE)
    control("start")
    took = max(took, place.measure(PGBOUNCER_RETRY))
    place.stop()
    place.check()
    return took


def the_disk_is_full(place):
    disk = os.environ.get("IK_TEST_POSTGRES_DISK")
    if not disk:
        raise Skipped("only root can make a small disk")
    sql(f"CREATE TABLESPACE small LOCATION '{disk}'", place.direct)
    subprocess.run(place.command("session", "list"), env=place.environment, check=True,
                   stdout=subprocess.DEVNULL)
    sql("ALTER TABLE events SET TABLESPACE small", place.direct)
    sql("CREATE TABLE filler(t text) TABLESPACE small", place.direct)
    place.work()
    with contextlib.suppress(subprocess.CalledProcessError):
        while True:
            sql("INSERT INTO filler SELECT repeat(md5(n::text), 30) FROM generate_series(1, 40) n", place.direct)
    assert fills(place), "the disk is not full"
    time.sleep(TROUBLE)
    control("grow")
    return place.finish()


def fills(place):
    """Can no row be added?"""
    try:
        sql("CREATE TABLE more TABLESPACE small AS SELECT repeat(md5(n::text), 30) FROM generate_series(1, 99) n",
            place.direct)
        return False
    except subprocess.CalledProcessError:
        return True


def rights_are_revoked(place):
    name = f"eve_{os.getpid()}"
    subprocess.run(place.command("session", "list"), env=place.environment, check=True,
                   stdout=subprocess.DEVNULL)
    sql(f"CREATE ROLE {name} LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO"
        f" {name}; ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO {name}", place.direct)
    place.address = place.address.replace("user=ikigai", f"user={name}")
    place.work()
    sql(f"REVOKE INSERT ON ALL TABLES IN SCHEMA public FROM {name}", place.direct)
    time.sleep(TROUBLE)
    sql(f"GRANT INSERT ON ALL TABLES IN SCHEMA public TO {name}", place.direct)
    return place.finish()


# ---- a cluster ----

class Cluster:
    """Three servers of Patroni and an etcd, as ikigai-postgresql(7) recommends them."""

    def __init__(self, place):
        for program in ("patroni", "etcd"):
            if not shutil.which(program):
                raise Skipped(f"{program} is not installed")
        self.user = os.stat(place.sockets).st_uid
        self.directory = tempfile.mkdtemp(prefix="ikigai-cluster.", dir="/tmp")
        os.chown(self.directory, self.user, -1)
        self.processes = {}
        self.etcd, peers, *ports = free_ports(2 + 6)
        self.start("etcd", ["etcd", "--data-dir", f"{self.directory}/etcd",
                            "--listen-client-urls", f"http://127.0.0.1:{self.etcd}",
                            "--advertise-client-urls", f"http://127.0.0.1:{self.etcd}",
                            "--listen-peer-urls", f"http://127.0.0.1:{peers}",
                            "--initial-advertise-peer-urls", f"http://127.0.0.1:{peers}",
                            "--initial-cluster", f"default=http://127.0.0.1:{peers}"])
        self.ports = dict(zip(("one", "two", "three"), ports))
        for name, api in zip(self.ports, ports[3:]):
            self.configure(name, api)
        for name in self.ports:
            self.start_node(name)
        place.direct = place.address = (
            f"host={','.join(['127.0.0.1'] * 3)} port={','.join(map(str, self.ports.values()))}"
            f" user=ikigai dbname=postgres target_session_attrs=read-write connect_timeout={CONNECT_TIMEOUT}")
        self.wait_for_standbys()

    def configure(self, name, api):
        """Write a node's file; JSON is YAML, too."""
        port = self.ports[name]
        settings = {
            "scope": "ikigai", "name": name,
            "restapi": {"listen": f"127.0.0.1:{api}", "connect_address": f"127.0.0.1:{api}"},
            "etcd3": {"host": f"127.0.0.1:{self.etcd}"},
            "bootstrap": {
                "dcs": {"ttl": 20, "loop_wait": 2, "retry_timeout": 5, "synchronous_mode": True,
                        "postgresql": {"use_pg_rewind": True, "parameters": {
                            "synchronous_commit": "remote_apply", "wal_log_hints": "on"}}},
                "initdb": [{"encoding": "UTF8"}, {"locale": "C"}]},
            "postgresql": {
                "listen": f"127.0.0.1:{port}", "connect_address": f"127.0.0.1:{port}",
                "data_dir": f"{self.directory}/{name}",
                "bin_dir": os.environ["IK_TEST_POSTGRES_BIN"],
                "pg_hba": ["local all all trust", "host all all 127.0.0.1/32 trust",
                           "host replication all 127.0.0.1/32 trust"],
                "authentication": {"superuser": {"username": "ikigai"}, "replication": {"username": "copier"},
                                   "rewind": {"username": "ikigai"}},
                "pgpass": f"{self.directory}/{name}.pgpass",
                "parameters": {"unix_socket_directories": self.directory}},
        }
        with open(f"{self.directory}/{name}.yml", "w", encoding="utf-8") as file:
            json.dump(settings, file)

    def start(self, name, command):
        with open(f"{self.directory}/{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.directory,
                env={"HOME": self.directory, "PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
                start_new_session=True, **({"user": self.user, "extra_groups": []} if os.getuid() == 0 else {}))

    def start_node(self, name):
        self.start(name, ["patroni", f"{self.directory}/{name}.yml"])

    def leader(self):
        port = sql("SHOW port", self.address())
        return next(name for name in self.ports if str(self.ports[name]) == port)

    def address(self):
        return (f"host={','.join(['127.0.0.1'] * 3)} port={','.join(map(str, self.ports.values()))}"
                " user=ikigai dbname=postgres target_session_attrs=read-write connect_timeout=2")

    def wait_for_standbys(self, count=2):
        """Until so many follow, one of them synchronously."""
        limit = time.monotonic() + 2 * SECONDS
        while True:
            with contextlib.suppress(subprocess.SubprocessError):
                if sql("SELECT count(*) >= %d AND bool_or(sync_state <> 'async') FROM pg_stat_replication" % count,
                       self.address()) == "t":
                    return
            assert time.monotonic() < limit, "the cluster does not come up"
            time.sleep(0.2)

    def switch_over(self):
        leader = self.leader()
        subprocess.run(["patronictl", "-c", f"{self.directory}/{leader}.yml", "switchover", "ikigai",
                        "--leader", leader, "--force"], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=SECONDS,
                       env={"HOME": self.directory, "PATH": os.environ["PATH"], "LANG": "C.UTF-8"})

    def signal(self, name, number):
        """Send a signal to all of a node: Patroni first, so that it starts nothing again."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.processes[name].pid, number)
        with contextlib.suppress(OSError):
            with open(f"{self.directory}/{name}/postmaster.pid", encoding="utf-8") as file:
                first = file.readline().strip()
            children = subprocess.run(["pgrep", "-P", first], stdout=subprocess.PIPE, text=True, check=False)
            for process in [first, *children.stdout.split()]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(process), number)

    def close(self):
        for name in self.ports:
            self.signal(name, signal.SIGKILL)
        self.processes["etcd"].kill()
        for process in self.processes.values():
            process.wait()
        time.sleep(0.5)
        shutil.rmtree(self.directory, ignore_errors=True)


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def patroni_switches_over(place):
    cluster = place.own(Cluster(place))
    place.work()
    cluster.switch_over()
    return place.finish()


def patroni_loses_its_leader(place):
    cluster = place.own(Cluster(place))
    place.work()
    cluster.signal(cluster.leader(), signal.SIGKILL)
    return place.finish(BACKLOG)


def patronis_leader_freezes(place):
    cluster = place.own(Cluster(place))
    place.work()
    cluster.signal(cluster.leader(), signal.SIGSTOP)
    return place.finish(CONNECT_TIMEOUT + BACKLOG)


SCENARIOS = [the_server_restarts, the_primary_is_killed_and_a_standby_promoted,
             the_primary_freezes_and_a_standby_is_promoted, the_first_host_refuses,
             the_first_host_is_silent, the_first_host_swallows_packets,
             a_proxy_swallows_packets_for_a_while, connections_are_terminated_in_a_storm,
             through_pgbouncer, the_disk_is_full, rights_are_revoked, patroni_switches_over,
             patroni_loses_its_leader, patronis_leader_freezes]


# Those that wait for what is silent, or start a cluster.
LONG = [the_primary_freezes_and_a_standby_is_promoted, the_first_host_swallows_packets,
        a_proxy_swallows_packets_for_a_while, patroni_switches_over, patroni_loses_its_leader,
        patronis_leader_freezes]


def main():
    for scenario in SCENARIOS:
        if sys.argv[1:] and scenario.__name__ not in sys.argv[1:]:
            continue
        name = "failover: " + scenario.__name__.replace("_", " ")
        if scenario in LONG and not ALL:
            print(f"ok - {name} # SKIP takes long: IK_TEST_FAILOVER=all")
            continue
        place = Place()
        try:
            took = scenario(place)
            print(f"ok - {name}\n# available after {place.away:.1f} s, all stored {took:.1f} s later; {sum(chat.said for chat in place.chats)}"
                  f" prompts in {CHATS} chats, {len(place.runs)} runs of exec, the longest"
                  f" {max(run[2] for run in place.runs):.1f} s", flush=True)
        except Skipped as reason:
            print(f"ok - {name} # SKIP {reason}", flush=True)
        except Exception as problem: # the rest is still to be seen
            print(f"not ok - {name}\n# {type(problem).__name__}: {problem}"[:3000].replace("\n", "\n# "), flush=True)
        finally:
            place.close()


main()
