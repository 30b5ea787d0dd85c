/*
 * registry: the tools that were found, and the files that failed to be one.
 *
 * A registry is made by one scan and never changes. It is reference-counted, so that running calls
 * keep the one they started with.  Entries are sorted by name (strcmp); tools that may be offered
 * are found by name.
 *
 * May include: util, json, tool/source.h.
 */
#ifndef IK_TOOL_REGISTRY_H
#define IK_TOOL_REGISTRY_H

#include "json/scan.h"
#include "util/identity.h"

#include <stddef.h>
#include <stdint.h>

/* Where a tool comes from; later ones override earlier ones (spec 5.1). */
enum ik_tool_source { IK_SOURCE_SYSTEM, IK_SOURCE_KODELET, IK_SOURCE_USER, IK_SOURCE_PROJECT };
enum ik_tool_protocol { IK_PROTOCOL_NATIVE, IK_PROTOCOL_KODELET };
enum { IK_PROTOCOL_COUNT = 2 };
enum ik_tool_state {
	IK_TOOL_OK,
	IK_TOOL_SKILL, /* no tool: instructions that the model or the user may ask for */
	IK_TOOL_FAILED,
	IK_TOOL_SHADOWED,
	IK_TOOL_DISABLED,
	IK_TOOL_UNTRUSTED
};

/* Announced the tool and runs its calls (tool/source.h). */
struct ik_source;

const char *ik_tool_source_name(enum ik_tool_source source);       /* "system", ... */
const char *ik_tool_protocol_name(enum ik_tool_protocol protocol); /* "native", ... */
const char *ik_tool_state_name(enum ik_tool_state state);          /* "ok", ... */

/* The code of a tool that did not answer in time. */
#define IK_CODE_SCHEMA_TIMEOUT "SCHEMA_TIMEOUT"

struct ik_tool {
	char *name;       /* as offered; of a failed one, its file's name */
	const char *kind; /* what its source calls tools of this kind: "native", "mcp"; static */
	char *path;       /* the executable, or what its source calls the place; unique */
	char *description;
	char *schema; /* JSON text exactly as the tool printed it, or NULL */
	size_t schema_length;
	char *parameters; /* canonical JSON Schema, compact text, or NULL */
	size_t parameters_length;
	char *returns;              /* JSON text or NULL */
	char *writes;               /* JSON text, the names of parameters (tool/writes.h); or NULL */
	char *display;              /* JSON text, how calls are shown (tool/display.h); or NULL */
	char *hint;                 /* of a skill: its arguments, in words; or NULL */
	bool user_only, model_only; /* of a skill: who alone may ask for it */
	enum ik_tool_source source;
	size_t precedence; /* over tools of the same name whose number is lower */
	enum ik_tool_protocol protocol;
	enum ik_tool_state state;
	const char *code; /* "SCHEMA_TIMEOUT", "SHADOWED", ...; NULL when state is OK. Static. */
	char *reason;     /* to follow the name: "NAME: exited with ..."; NULL when state is OK. Of a
	                     skill: what is odd about it, or NULL */
	bool read_only;   /* by its own account */
	int timeout_s;    /* from the schema; 0: not given */
	bool pinned;      /* it came with a project: run it only while its file has this identity,
	                     whose contents the user trusts */
	bool changed;     /* UNTRUSTED: other contents of this file were trusted */
	struct ik_identity identity; /* of its file when it was examined; all zero: unknown */
	struct ik_source *owner;     /* a reference; NULL: the tool cannot be called */
};

/*
 * Does the tool only read, as far as a policy may rely on it? The tool itself says so; that the
 * user trusts a project's tool to run does not make it truthful. NULL: no.
 */
bool ik_tool_reads_only(const struct ik_tool *tool);

/* Is it a tool or a skill that is offered? */
bool ik_tool_is_offered(const struct ik_tool *tool);

/* Release the strings and the reference, and zero the struct. */
void ik_tool_clear(struct ik_tool *tool);

/* Record why a tool is not offered: code is static, reason becomes the tool's. */
void ik_tool_reject(struct ik_tool *tool, enum ik_tool_state state, const char *code, char *reason);

/* NOT_STARTED, IN_PROGRESS, COMPLETE, FAILED (no directory could be read). */
enum ik_scan_state { IK_SCAN_NOT_STARTED, IK_SCAN_IN_PROGRESS, IK_SCAN_COMPLETE, IK_SCAN_FAILED };

struct ik_registry;

/* Return an empty registry with one reference. */
struct ik_registry *ik_registry_new(void);
struct ik_registry *ik_registry_ref(struct ik_registry *registry);
struct ik_registry *ik_registry_unref(struct ik_registry *registry); /* returns NULL */

/* Add a tool while the registry is being made (the struct is copied, its strings become the
 * registry's). */
void ik_registry_add(struct ik_registry *registry, const struct ik_tool *tool);
/* Record a directory that exists but could not be read. */
void ik_registry_add_problem(struct ik_registry *registry, const char *sentence);
/* Sort the entries. Of the OK tools of one name, the one of the highest precedence stays OK (of
 * several such, the one whose path is last); the others become shadowed, with a reason that names its
 * path. */
void ik_registry_finish(struct ik_registry *registry, enum ik_scan_state state);

enum ik_scan_state ik_registry_state(const struct ik_registry *registry);
size_t ik_registry_count(const struct ik_registry *registry);    /* all entries */
size_t ik_registry_ok_count(const struct ik_registry *registry); /* those offered */
size_t ik_registry_failed_count(const struct ik_registry *registry);
const struct ik_tool *ik_registry_at(const struct ik_registry *registry, size_t index);
const struct ik_tool *ik_registry_find(const struct ik_registry *registry,
	const char *name); /* OK ones */
/* Return how the calls of a tool are shown (tool/display.h): of an OK one that says so, else no
 * value. */
struct ik_json_span ik_registry_display(const struct ik_registry *registry, const char *name);
/* Return the skill of that name, which begins with "/"; NULL: it is unknown, or not to be used. */
const struct ik_tool *ik_registry_skill(const struct ik_registry *registry, const char *name);
size_t ik_registry_problem_count(const struct ik_registry *registry);
const char *ik_registry_problem(const struct ik_registry *registry, size_t index);

#endif
