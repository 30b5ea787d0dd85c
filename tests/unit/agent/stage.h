/*
 * stage: a session with all that is real around it: a loopback provider that
 * answers by script, a directory of shell tools, a database, the loop.
 */
#ifndef STAGE_H
#define STAGE_H

#include "agent/session/session.h"
#include "net/http.h"
#include "tests/unit/loop/raw_server.h"
#include "tool/discovery.h"

/* An answer of the provider. Chunks follow each other in turns of the loop. */
struct stage_reply {
	int status;               /* 0: 200 */
	const char *content_type; /* NULL: text/event-stream */
	const char *chunks[24];   /* NULL-terminated; STAGE_HOLD, STAGE_BREAK */
};
#define STAGE_HOLD "hold"     /* send nothing more, keep the connection */
#define STAGE_BREAK "break"   /* reset it */

/* Pieces of OpenAI's chat format. */
#define SSE(json) "data: " json "\n\n"
#define TEXT(text) SSE("{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" text "\"}}]}")
#define CALL(slot, id, name, arguments) \
	SSE("{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":" slot ",\"id\":\"" id \
	"\",\"type\":\"function\",\"function\":{\"name\":\"" name "\",\"arguments\":\"" arguments \
	"\"}}]}}]}")
#define STOP(reason) \
	SSE("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" reason "\"}]}") SSE("[DONE]")

struct stage {
	char directory[64];
	char *database;
	struct ik_loop *loop;
	struct ik_http *http;
	struct raw_server *server;
	struct ik_store *store;
	struct ik_discovery *discovery;
	struct ik_session *session;

	const struct stage_reply *replies; /* the next to give */
	char head[200];                    /* of the present reply, */
	const char *pieces[26];            /* and all of it */
	char *requests[16]; /* bodies, as they came */
	size_t request_count;

	struct ik_buf log;  /* events as words, one a line */
	enum ik_event_kind stop_kind;
	const char *stop_text;
	bool stopped;
	void (*on_event)(const struct ik_event *event); /* may be NULL */
	ik_event_sink *sink;

	/* Before stage_open(). */
	int max_tool_turns, concurrency, compact_at;
	int64_t idle_timeout_ms, context_window;
	struct ik_hook_runner *hooks;
	bool without_tools_at_first;
};

extern struct stage stage;

void stage_set_up(void);
/* A tool: a shell script after the lines that answer --schema. */
void stage_tool(const char *name, const char *script);
/* One that says that it changes nothing. */
void stage_read_only_tool(const char *name, const char *script);
/* Scan, and make a session that talks to the server. */
/* Open the store; stage_set_up() does. */
void stage_open_store(void);
void stage_open(const struct stage_reply *replies);
void stage_make_session(void);
void stage_set_model(int port);
/* The session talks to a model like this one. */
void stage_use_model(const struct ik_model *like);
/* Let the loop turn until such an event is told. */
void stage_run_until(enum ik_event_kind kind);

/* Run until what was told so far contains text: no matter in how many turns of the loop. */
void stage_run_until_told(const char *text);
void stage_submit(const char *text);
void stage_tear_down(void);

/* Kinds and contents of what is stored of the session, one a line, without the system prompt
 * that each begins with. New memory. */
char *stage_stored(const char *session);
/* What the journals have; new memory. */
char *stage_journaled(void);

/* Check all that was told; all that is stored of a session; that part is somewhere
 * in text; that the parts, with NULL after the last, are there one after the other. */
void expect_log(const char *wanted);
void expect_stored(const char *session, const char *wanted);
void expect_in(const char *text, const char *part);
void expect_order(const char *text, const char *const *parts);

#endif
