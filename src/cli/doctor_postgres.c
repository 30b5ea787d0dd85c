#include "cli/doctor_postgres.h"

#include <stdlib.h>

#include "store/lock.h"
#include "store/postgres/examine_postgres.h"
#include "store/spool.h"
#include "store/store.h"
#include "util/alloc.h"
#include "util/buf.h"
#include "util/limits.h"
#include "util/redact.h"
#include "util/text.h"

#define LIMIT_MS 10000
/* A larger difference shows: sessions are sorted by time. */
#define CLOCK_MS 5000

struct doctor_postgres_question {
	struct ik_doctor_report *report;
	const struct ik_setup *setup;
	struct ik_loop *loop;
	char *shown; /* the database's address, without a password */
	bool answered;
};

static void say(const struct doctor_postgres_question *question, enum ik_doctor_finding finding,
	char *sentence)
{
	ik_doctor_say_free(question->report, finding, N_("database"), sentence);
}

/* Report whether the database can be used, and return true if more checks make sense. */
static bool say_whether_usable(const struct doctor_postgres_question *question,
	const struct ik_postgres_facts *facts)
{
	const char *shown = question->shown;
	struct ik_error error;

	if (ik_postgres_facts_check(facts, shown, &error) != IK_OK)
		say(question, IK_FINDING_WRONG, ik_strdup(error.text));
	else if (facts->read_only)
		say(question, IK_FINDING_WRONG,
			ik_format(_("%s can only be read: it is a standby, or made so; "
						"name the primary, or several hosts with target_session_attrs=read-write"),
				shown));
	else if (!facts->has_form && !facts->can_create)
		say(question, IK_FINDING_WRONG,
			ik_format(_("%s has no tables yet, and the role %s may not make "
						"them; its owner runs: GRANT USAGE, CREATE ON SCHEMA public TO %s"),
				shown, facts->role, facts->role));
	else if (facts->has_form && !facts->can_use)
		say(question, IK_FINDING_WRONG,
			ik_format(_("%s: the role %s may not use the tables; their owner "
						"runs: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public "
						"TO %s"),
				shown, facts->role, facts->role));
	else if (facts->has_form && facts->version < facts->wanted && !facts->owns)
		say(question, IK_FINDING_WRONG,
			ik_format(_("%s: its tables are of version %lld, and this ikigai "
						"needs %lld; their owner, %s, runs once: ikigai session list"),
				shown, (long long)facts->version, (long long)facts->wanted, facts->owner));
	else if (!facts->has_form)
		say(question, IK_FINDING_OK,
			ik_format(_("%s: PostgreSQL %s; the tables will be made with the "
						"first session"),
				shown, facts->server));
	else {
		say(question, IK_FINDING_OK,
			ik_format(ngettext("%s: PostgreSQL %s, version %lld, about %lld "
							   "event",
						  "%s: PostgreSQL %s, version %lld, about %lld events",
						  (unsigned long)facts->events),
				shown, facts->server, (long long)facts->version, (long long)facts->events));
		return true;
	}
	return !facts->has_form && facts->can_create && !facts->read_only && !facts->has_others;
}

static void say_what_lacks(const struct doctor_postgres_question *question,
	const struct ik_postgres_facts *facts)
{
	if (!ik_text_equal(facts->encoding, "UTF8"))
		say(question, IK_FINDING_WRONG,
			ik_format(_("its encoding is %s: make a database with ENCODING "
						"'UTF8', which holds every text"),
				facts->encoding));
	if (!facts->encrypted)
		say(question, IK_FINDING_NOTE,
			ik_strdup(_("what is sent is not encrypted: add sslmode=verify-full "
						"to its address")));
	if (facts->pooled)
		say(question, IK_FINDING_NOTE,
			ik_strdup(_("a pooler stands between: what other terminals do "
						"is looked for every few seconds; with the server's own address it is told "
						"at once")));
	else
		say(question, IK_FINDING_OK,
			ik_strdup(_("what other terminals do is told at once (LISTEN)")));
	if (facts->ahead_ms > CLOCK_MS || facts->ahead_ms < -CLOCK_MS)
		say(question, IK_FINDING_NOTE,
			ik_format(_("its clock differs by %lld s from this machine's: "
						"sessions may stand in a wrong order; set both by NTP"),
				(long long)(facts->ahead_ms / 1000)));
}

/* Report which sessions are open for writing, and where. */
static void say_who_writes(const struct doctor_postgres_question *question,
	const struct ik_postgres_facts *facts)
{
	size_t i;

	for (i = 0; i < facts->locks_shown; i++) {
		const struct ik_postgres_lock *lock = &facts->locks[i];
		struct ik_buf who;

		ik_buf_init(&who, IK_KIB(4));
		ik_holder_put(&who, &lock->holder);
		/* Translators: %s are the id of a session and who has it open. */
		say(question, IK_FINDING_OK,
			ik_format(lock->dead
					? _("session %s was open in %s, which has died: the next who opens it has it")
					: _("session %s is open in %s"),
				lock->session, who.data));
		ik_buf_done(&who);
	}
	if (facts->locks_held > (int64_t)facts->locks_shown)
		say(question, IK_FINDING_OK,
			ik_format(ngettext("%lld session is open in all", "%lld sessions are open in all",
						  (unsigned long)facts->locks_held),
				(long long)facts->locks_held));
}

static void on_examined(void *arg, const struct ik_postgres_facts *facts,
	const struct ik_error *error)
{
	struct doctor_postgres_question *question = arg;

	question->answered = true;
	if (!facts) {
		say(question, IK_FINDING_WRONG, ik_strdup(error->text));
		say(question, IK_FINDING_NOTE,
			ik_strdup(_("check the address, and that the server runs; the chat "
						"goes on without it and keeps what is said until it is back")));
	} else if (say_whether_usable(question, facts)) {
		say_what_lacks(question, facts);
		say_who_writes(question, facts);
	}
	ik_loop_stop(question->loop);
}

/* Report events and large outputs that an earlier chat could not store. */
static void say_what_waits(const struct doctor_postgres_question *question)
{
	const struct ik_setup *setup = question->setup;
	char *spool = ik_places_file(&setup->places, "spool");
	struct ik_spooled spooled = { .ours = 0 };

	if (spool)
		spooled = ik_spool_look(spool, setup->database);
	if (spooled.ours > 0)
		say(question, IK_FINDING_NOTE,
			ik_format(ngettext("%zu event waits in %s until a chat reaches the "
							   "database",
						  "%zu events wait in %s until a chat reaches the database", spooled.ours),
				spooled.ours, spool));
	if (spooled.outputs > 0)
		say(question, IK_FINDING_NOTE,
			ik_format(ngettext("%zu large output waits in %s until a chat "
							   "reaches the database",
						  "%zu large outputs wait in %s until a chat reaches the database",
						  spooled.outputs),
				spooled.outputs, spool));
	if (spooled.others > 0)
		say(question, IK_FINDING_NOTE,
			ik_format(ngettext("%zu event in %s waits for another database: "
							   "%s",
						  "%zu events in %s wait for other databases, one of them: %s",
						  spooled.others),
				spooled.others, spool, spooled.database ? spooled.database : "?"));
	if (spooled.other_outputs > 0)
		say(question, IK_FINDING_NOTE,
			ik_format(ngettext("%zu large output in %s waits for another "
							   "database",
						  "%zu large outputs in %s wait for other databases",
						  spooled.other_outputs),
				spooled.other_outputs, spool));
	ik_spooled_done(&spooled);
	free(spool);
}

void ik_doctor_check_postgres(struct ik_doctor_report *report, const struct ik_setup *setup,
	struct ik_loop *loop)
{
	struct doctor_postgres_question question = { .report = report, .setup = setup, .loop = loop };
	struct ik_postgres_examine *examine;
	struct ik_error error;

	if (!setup->database || !ik_postgres_is_uri(setup->database))
		return;
	question.shown = ik_redact(setup->database);
	examine = ik_postgres_examine_start(loop, setup->database, LIMIT_MS, on_examined, &question);
	if (ik_loop_run(loop, &error) != IK_OK)
		say(&question, IK_FINDING_WRONG, ik_strdup(error.text));
	(void)ik_postgres_examine_close(examine);
	if (question.answered)
		say_what_waits(&question);
	free(question.shown);
}
