#include "cli/doctor_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "commands/session_walk.h"
#include "json/scan.h"
#include "store/lock.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/redact.h"
#include "util/text.h"

/* A database file that was replaced is kept as FILE and this. */
#define DAMAGED ".damaged-"
/* A larger difference shows: sessions are sorted by time. */
#define CLOCK_MS 5000
#define TEXTS 4

struct doctor_store {
	struct ik_doctor_report *report;
	const struct ik_setup *setup;
	struct ik_loop *loop;
	struct ik_store *store;
	char *shown; /* the database's address, without a password */
	char *texts[TEXTS];
	int text_count;
};

static void say(const struct doctor_store *doctor, enum ik_doctor_finding finding, char *sentence)
{
	ik_doctor_say_free(doctor->report, finding, N_("database"), sentence);
}

/* Ask the store program; on failure *error says why. */
static enum ik_status ask(const struct doctor_store *doctor, const char *verb,
	ik_store_reader *reader, void *arg, struct ik_error *error)
{
	struct ik_awaited awaited = { .loop = doctor->loop, .reader = reader, .arg = arg };

	return ik_await(&awaited, ik_store_ask(doctor->store, verb, ik_await_answer, &awaited), error);
}

/* ---- files ---- */

/* Does a chat that is running write this journal? Its status bar says what is not stored. */
static bool is_written(const char *directory, const char *name)
{
	char *path = ik_path_join(directory, name);
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool written = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0;

	if (fd >= 0)
		(void)close(fd);
	free(path);
	return written;
}

/* How many journals of a directory nobody writes any more. */
static size_t count_left_behind(const char *directory)
{
	DIR *stream = opendir(directory);
	const struct dirent *entry;
	size_t count = 0;

	while (stream && (entry = readdir(stream)))
		count += entry->d_name[0] != '.' && !is_written(directory, entry->d_name);
	if (stream)
		(void)closedir(stream);
	return count;
}

static void say_damaged(const struct doctor_store *doctor, const char *directory, const char *name)
{
	char *path = ik_path_join(directory, name);

	say(doctor, IK_FINDING_NOTE,
		ik_format(_("%s is a damaged database that was put "
					"aside: look into it with ikigai --database FILE session list"),
			path));
	free(path);
}

/* Name databases that were replaced because they were damaged. */
static void say_what_was_damaged(const struct doctor_store *doctor)
{
	const char *path = doctor->setup->database;
	char *directory = ik_path_directory(path),
		 *prefix = ik_format("%s" DAMAGED, ik_path_base(path));
	DIR *stream = opendir(directory);
	const struct dirent *entry;

	while (stream && (entry = readdir(stream))) {
		if (ik_text_starts(entry->d_name, prefix) && !ik_text_ends(entry->d_name, "-wal") &&
			!ik_text_ends(entry->d_name, "-shm"))
			say_damaged(doctor, directory, entry->d_name);
	}
	if (stream)
		(void)closedir(stream);
	free(directory);
	free(prefix);
}

/* Tell what earlier chats could not store. */
static void say_what_waits(const struct doctor_store *doctor)
{
	char *journals = ik_places_file(&doctor->setup->places, "journal");
	DIR *stream = journals ? opendir(journals) : NULL;
	const struct dirent *entry;

	while (stream && (entry = readdir(stream))) {
		char *directory = ik_path_join(journals, entry->d_name);
		size_t count = entry->d_name[0] == '.' ? 0 : count_left_behind(directory);

		if (count > 0)
			say(doctor, IK_FINDING_NOTE,
				ik_format(ngettext("%zu journal in %s has events that are not in a database yet",
							  "%zu journals in %s have events that are not in a database yet",
							  count),
					count, directory));
		free(directory);
	}
	if (stream)
		(void)closedir(stream);
	free(journals);
}

/* ---- databases ---- */

static int64_t number_of(struct ik_json_span line, const char *name)
{
	int64_t number = 0;

	(void)ik_json_integer(ik_json_member(line, name), &number);
	return number;
}

static void on_file_facts(void *arg, const struct ik_store_answer *answer)
{
	const struct doctor_store *doctor = arg;
	int64_t events = number_of(answer->last, "events");

	say(doctor, IK_FINDING_OK,
		ik_format(ngettext("%s: whole, version %lld, %lld event",
					  "%s: whole, version %lld, %lld events", (unsigned long)events),
			doctor->shown, (long long)number_of(answer->last, "version"), (long long)events));
}

static void check_file(struct doctor_store *doctor)
{
	const char *path = doctor->setup->database;
	struct ik_error error;

	if (access(path, F_OK) != 0 && errno == ENOENT)
		say(doctor, IK_FINDING_OK, ik_format(_("%s will be made with the first session"), path));
	else if (access(path, W_OK) != 0)
		say(doctor, IK_FINDING_WRONG,
			ik_format(_("%s cannot be written: %s"), path, strerror(errno)));
	else if (ask(doctor, "check", NULL, NULL, &error) != IK_OK ||
		ask(doctor, "facts", on_file_facts, doctor, &error) != IK_OK)
		say(doctor, IK_FINDING_WRONG, ik_strdup(error.text));
	say_what_was_damaged(doctor);
}

static bool flag_of(struct ik_json_span line, const char *name)
{
	bool flag = false;

	(void)ik_json_bool(ik_json_member(line, name), &flag);
	return flag;
}

/* A text of the answer, until the next call but three. */
static const char *text_of(struct doctor_store *doctor, struct ik_json_span line, const char *name)
{
	char **place = &doctor->texts[doctor->text_count++ % TEXTS];

	free(*place);
	*place = ik_json_text_new(ik_json_member(line, name));
	return *place ? *place : "";
}

/* Report whether the database can be used, and return true if more checks make sense. */
static bool say_whether_usable(struct doctor_store *doctor, struct ik_json_span facts)
{
	const char *shown = doctor->shown, *role = text_of(doctor, facts, "role");
	int64_t version = number_of(facts, "version"), wanted = number_of(facts, "wanted");
	int64_t events = number_of(facts, "events");
	bool has_form = flag_of(facts, "has_form"), can_create = flag_of(facts, "can_create");

	if (flag_of(facts, "has_others"))
		say(doctor, IK_FINDING_WRONG,
			ik_format(_("%s is the database of another program: it has a table \"sessions\" of its "
						"own."),
				shown));
	else if (flag_of(facts, "read_only"))
		say(doctor, IK_FINDING_WRONG,
			ik_format(_("%s can only be read: it is a standby, or made so; "
						"name the primary, or several hosts with target_session_attrs=read-write"),
				shown));
	else if (!has_form && !can_create)
		say(doctor, IK_FINDING_WRONG,
			ik_format(_("%s has no tables yet, and the role %s may not make "
						"them; its owner runs: GRANT USAGE, CREATE ON SCHEMA public TO %s"),
				shown, role, role));
	else if (has_form && !flag_of(facts, "can_use"))
		say(doctor, IK_FINDING_WRONG,
			ik_format(_("%s: the role %s may not use the tables; their owner "
						"runs: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public "
						"TO %s"),
				shown, role, role));
	else if (has_form && version < wanted && !flag_of(facts, "owns"))
		say(doctor, IK_FINDING_WRONG,
			ik_format(_("%s: its tables are of version %lld, and this ikigai "
						"needs %lld; their owner, %s, runs once: ikigai session list"),
				shown, (long long)version, (long long)wanted, text_of(doctor, facts, "owner")));
	else if (!has_form)
		say(doctor, IK_FINDING_OK,
			ik_format(_("%s: PostgreSQL %s; the tables will be made with the "
						"first session"),
				shown, text_of(doctor, facts, "server")));
	else {
		say(doctor, IK_FINDING_OK,
			ik_format(ngettext("%s: PostgreSQL %s, version %lld, about %lld "
							   "event",
						  "%s: PostgreSQL %s, version %lld, about %lld events",
						  (unsigned long)events),
				shown, text_of(doctor, facts, "server"), (long long)version, (long long)events));
		return true;
	}
	return !has_form && can_create;
}

static void say_what_lacks(struct doctor_store *doctor, struct ik_json_span facts)
{
	const char *encoding = text_of(doctor, facts, "encoding");
	int64_t ahead_ms = number_of(facts, "clock_ms") - ik_clock_wall_ms();

	if (!ik_text_equal(encoding, "UTF8"))
		say(doctor, IK_FINDING_WRONG,
			ik_format(_("its encoding is %s: make a database with ENCODING "
						"'UTF8', which holds every text"),
				encoding));
	if (!flag_of(facts, "encrypted"))
		say(doctor, IK_FINDING_NOTE,
			ik_strdup(_("what is sent is not encrypted: add sslmode=verify-full "
						"to its address")));
	if (flag_of(facts, "pooled"))
		say(doctor, IK_FINDING_NOTE,
			ik_strdup(_("a pooler stands between: what other terminals do "
						"is looked for every few seconds; with the server's own address it is told "
						"at once")));
	else
		say(doctor, IK_FINDING_OK,
			ik_strdup(_("what other terminals do is told at once (LISTEN)")));
	if (ahead_ms > CLOCK_MS || ahead_ms < -CLOCK_MS)
		say(doctor, IK_FINDING_NOTE,
			ik_format(_("its clock differs by %lld s from this machine's: "
						"sessions may stand in a wrong order; set both by NTP"),
				(long long)(ahead_ms / 1000)));
}

/* Report which sessions are open for writing, and where. */
static void say_who_writes(const struct doctor_store *doctor, const struct ik_store_answer *answer)
{
	int64_t held = number_of(answer->last, "locks_held");

	for (size_t i = 0; i < answer->count; i++) {
		const struct ik_session_info *info = &answer->sessions[i];
		struct ik_buf who;

		ik_buf_init(&who, IK_KIB(4));
		ik_holder_put(&who, &info->holder);
		/* Translators: %s are the id of a session and who has it open. */
		say(doctor, IK_FINDING_OK,
			ik_format(ik_holder_is_dead(&info->holder)
					? _("session %s was open in %s, which has died: the next who opens it has it")
					: _("session %s is open in %s"),
				info->id, who.data));
		ik_buf_done(&who);
	}
	if (held > (int64_t)answer->count)
		say(doctor, IK_FINDING_OK,
			ik_format(ngettext("%lld session is open in all", "%lld sessions are open in all",
						  (unsigned long)held),
				(long long)held));
}

static void on_server_facts(void *arg, const struct ik_store_answer *answer)
{
	struct doctor_store *doctor = arg;

	if (!say_whether_usable(doctor, answer->last))
		return;
	say_what_lacks(doctor, answer->last);
	say_who_writes(doctor, answer);
}

static void check_server(struct doctor_store *doctor)
{
	struct ik_error error;

	if (ask(doctor, "facts", on_server_facts, doctor, &error) == IK_OK)
		return;
	say(doctor, IK_FINDING_WRONG, ik_strdup(error.text));
	say(doctor, IK_FINDING_NOTE,
		ik_strdup(_("check the address, and that the server runs; the chat "
					"goes on without it and keeps what is said until it is back")));
}

void ik_doctor_check_store(struct ik_doctor_report *report, const struct ik_setup *setup,
	struct ik_loop *loop)
{
	struct doctor_store doctor = { .report = report, .setup = setup, .loop = loop };
	struct ik_error error;

	if (!setup->database) {
		ik_doctor_say(report, IK_FINDING_WRONG, N_("database"),
			_("there is no place for it; sessions are not kept"));
		return;
	}
	doctor.shown = ik_redact(setup->database);
	doctor.store = ik_setup_open_store(setup, loop, &error);
	if (!doctor.store)
		say(&doctor, IK_FINDING_WRONG, ik_strdup(error.text));
	else if (ik_postgres_is_uri(setup->database))
		check_server(&doctor);
	else
		check_file(&doctor);
	if (doctor.store)
		(void)ik_store_close(doctor.store, NULL, NULL);
	say_what_waits(&doctor);
	for (int i = 0; i < TEXTS; i++)
		free(doctor.texts[i]);
	free(doctor.shown);
}
