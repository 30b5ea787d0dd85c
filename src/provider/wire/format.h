/*
 * format: a wire format, which turns a request into bytes, and bytes into deltas; or a request into
 * deltas directly, for a model inside the program.
 *
 * Pure: no loop, no sockets. provider/formats.h has the table of formats.
 *
 * May include: util, json, conversation, provider.
 */
#ifndef IK_PROVIDER_WIRE_FORMAT_H
#define IK_PROVIDER_WIRE_FORMAT_H

#include "conversation/conversation.h"
#include "conversation/usage.h"
#include "provider/wire/delta.h"

/* Format types, as named in the configuration. */
#define IK_OPENAI_CHAT "openai-chat"
#define IK_ANTHROPIC "anthropic"
#define IK_GOOGLE "google"
#define IK_OPENAI_RESPONSES "openai-responses"

/* How long a provider is to keep what it has read, in its cache. */
enum ik_caching { IK_CACHING_SHORT, IK_CACHING_LONG, IK_CACHING_OFF };

/* How to reach a provider; strings are borrowed. */
struct ik_endpoint {
	const char *provider;     /* "openai", "practice", or a configured name */
	const char *base_url;     /* as in the provider's client libraries, without a trailing slash */
	const char *api_key;      /* NULL: none is sent */
	const char *key_variable; /* name of the variable that contains it, for messages */
	const char *const *headers; /* additional headers, NULL-terminated; may be NULL */
	const char *body;           /* additional members of requests: JSON text of an object, checked;
	                               may be NULL */
	enum ik_caching caching;
	bool web_search;   /* the provider may search the web, if the model can */
	bool strict_tools; /* enforce the tools' schemas where format and schema allow it */
};

/* How much a model thinks before it answers; UNSET: the model's default. */
enum ik_thinking {
	IK_THINKING_UNSET,
	IK_THINKING_OFF,
	IK_THINKING_MINIMAL,
	IK_THINKING_LOW,
	IK_THINKING_MEDIUM,
	IK_THINKING_HIGH,
	IK_THINKING_XHIGH,
	IK_THINKING_MAX
};

/* The members of a request that carry a level of thinking. */
enum ik_thinking_form {
	IK_THINKING_UNSAID,        /* no members: the model does not think, or refuses them */
	IK_THINKING_EFFORT,        /* OpenAI: an effort, by name */
	IK_THINKING_BUDGET,        /* Anthropic: tokens */
	IK_THINKING_ADAPTIVE,      /* Anthropic: the model decides, guided by an effort */
	IK_THINKING_GOOGLE_BUDGET, /* Google: tokens */
	IK_THINKING_GOOGLE_LEVEL   /* Google: a level, by name */
};

/* What a model accepts besides text. */
enum ik_input_bit { IK_ACCEPTS_IMAGES = 1, IK_ACCEPTS_PDF = 2 };

/* What is known about a model (provider/models.h); 0, false or "": unknown. */
struct ik_model_facts {
	int64_t context_window; /* tokens, input and output together */
	int64_t max_output;     /* tokens that can be requested */
	enum ik_thinking_form form;
	unsigned levels; /* a bit 1 << level for each level of thinking that it has */
	char off[16];    /* the provider's word for the level "off" */
	struct ik_price price;
	unsigned inputs;  /* bits of enum ik_input_bit */
	char search[24];  /* name of the provider's tool that searches the web */
	bool signatures;  /* Google: it refuses calls without the signature of their thinking */
	char retires[11]; /* the day on which the provider switches it off: "2026-11-30" */
};

/* Does the model accept files of this type ("image/png", "application/pdf")? */
bool ik_model_accepts(const struct ik_model_facts *facts, const char *media_type);

struct ik_tool_definition {
	const char *name;
	const char *description;
	struct ik_json_span parameters; /* canonical JSON Schema */
};

/* What a provider has refused, and is left out of requests since. */
struct ik_refused {
	int64_t opaque_ms; /* wall clock: opaque data (thinking, signatures) of messages that are not
	                      newer; 0: none */
	bool thoughts;     /* the wish to see the model's thinking */
	bool schema;       /* the schema of the reply, or the members that carry it */
};

/* A request for one round, independent of the provider. Borrows everything. */
struct ik_request {
	const char *model;
	const struct ik_model_facts *facts; /* about it */
	const struct ik_endpoint *endpoint; /* where it is sent; a provider's own host and compatible
	                                       servers expect different members. NULL: a compatible
	                                       server */
	const char *system_prompt;          /* NULL or "": none; sent unchanged */
	const struct ik_conversation *conversation;
	const struct ik_tool_definition *tools;
	size_t tool_count;
	const char *cache_key; /* the same for all requests that may begin alike; NULL: none */
	struct ik_json_span output_schema; /* what the reply has to satisfy, as a server's own mode; the
	                                      system prompt has it in any case. No value: nothing */
	bool forbid_calls;                 /* tool choice "none"; the tools are still listed */
	bool value_only; /* the reply is a value for a program: no list of sources, so no search */
	int64_t max_output_tokens; /* 0: the provider's default */
	enum ik_thinking thinking;
	struct ik_refused refused;
};

/* Is the endpoint's host in domain? endpoint may be NULL. */
bool ik_endpoint_is_in(const struct ik_endpoint *endpoint, const char *domain);

/* Is it OpenAI's own host, not a compatible server? */
bool ik_endpoint_is_openai(const struct ik_endpoint *endpoint);

/* Return the name of the provider's tool that searches the web, if the request is to offer it; else
 * NULL. */
const char *ik_request_search(const struct ik_request *request);

/* Pause between two steps of a script, in milliseconds, so that words arrive at a readable pace. */
#define IK_SCRIPT_PACE_MS 12

/* The complete reply of a model inside the program, delivered as if it were streamed; the caller
 * has the timer. Owns copies of all strings. Empty when zeroed. */
struct ik_script {
	struct ik_delta *deltas;
	size_t count;
	size_t told;
};

void ik_script_add(struct ik_script *script, const struct ik_delta *delta);

/* Deliver the next few deltas, more at a time if there are many. Return false after the last. */
bool ik_script_step(struct ik_script *script, ik_delta_sink *sink, void *arg);

void ik_script_done(struct ik_script *script);

struct ik_stream_decoder;
struct ik_wire_writer;
struct ik_count_name;
struct ik_stop_name;

struct ik_wire_format {
	const char *type; /* "openai-chat" */

	/* Paths to append to the base URL for a request and for the list of models (provider/models.h);
	 * MODEL is replaced by the model's name. */
	const char *path, *models_path;
	const char *key_header; /* what precedes the key in its header */
	const char *header;     /* another header of each request, or NULL */
	bool binds;             /* thinking is bound to the request it was made for */

	/* Append the object that describes a tool to the model; endpoint may be NULL. */
	void (*put_tool)(struct ik_buf *out, const struct ik_endpoint *endpoint,
		const struct ik_tool_definition *tool);

	/* Append a call's arguments for the tool, if the model had to write them differently in this
	 * format (in strict mode, null for omitted ones). Return false and append nothing if they can
	 * be used unchanged. NULL: they always can. */
	bool (*put_arguments)(struct ik_buf *out, const struct ik_endpoint *endpoint,
		const struct ik_tool_definition *tool, struct ik_json_span arguments);

	/* Append the body of a streamed request to writer->out (provider/wire/wire.h). What stays the
	 * same from round to round comes first, so that providers can cache it. */
	void (*put_request)(struct ik_wire_writer *writer);

	/* Decoding a reply (provider/wire/decoder.h): a function that handles one JSON text of its
	 * stream; the size of its state, which is zeroed at first; tables, each ended by a row without
	 * a name. */
	void (*take)(struct ik_stream_decoder *decoder, struct ik_json_span value);
	size_t state_size;
	void (*state_done)(void *state); /* may be NULL */
	const struct ik_count_name *counts;
	const struct ik_stop_name *stops; /* other reasons mean the normal end */

	/* NULL: there is a server. Otherwise the model is inside the program: write its complete reply
	 * to ret_script, which is empty, up to IK_DELTA_STOP. Apart from this only put_tool is used. */
	void (*answer)(const struct ik_request *request, struct ik_script *ret_script);
};

/* Return the level called name ("off", "minimal", "low", "medium", "high", "xhigh", "max"); UNSET for
 * NULL and other names. */
enum ik_thinking ik_thinking_level(const char *name);
/* Return the name of a level that is not UNSET. */
const char *ik_thinking_name(enum ik_thinking level);

/* Return the URL of a request, or (model NULL) of the list of models, in new memory. */
char *ik_wire_url(const struct ik_wire_format *format, const struct ik_endpoint *endpoint,
	const char *model);

/* Return the headers, NULL-terminated, in new memory. White space around the key (as from a file)
 * is removed; without a key, its header is left out. */
char **ik_wire_headers(const struct ik_wire_format *format, const struct ik_endpoint *endpoint);
void ik_wire_headers_free(char **headers);

/* Write a hash of what thinking in the reply to a request is bound to, if the format binds it: the
 * model, and what precedes the conversation. With another one the provider may refuse it, so it is
 * not sent back then. Otherwise write "". */
#define IK_BINDING 17
void ik_request_binding(const struct ik_wire_format *format, const struct ik_request *request,
	char ret_bound[IK_BINDING]);

/* Append the body of a streamed request. */
enum ik_status ik_request_serialize(const struct ik_wire_format *format,
	const struct ik_request *request, struct ik_buf *out, struct ik_error *error) IK_MUST_USE;

/* A failed request or reply, and who is to read of it. */
struct ik_failure {
	int status; /* of the response; 0: none, or it failed within the stream */
	enum ik_error_code code;
	bool retryable;
	int64_t retry_after_ms; /* the wait that the server asks for; -1: none */
	bool wrong_address;     /* it does not answer like a provider */
	bool other_format;      /* the model has to be asked in OpenAI's other format, Responses */
	const char *near;       /* its models with a name close to one that it lacks; NULL: unknown */
	bool unattended;        /* no user can type commands */
};

/*
 * Describe a failed response. Quote the message of an error body in any provider's form, or the first
 * words of HTML or other text. No known secret (util/redact.h) appears in the sentence. Sets what the
 * response says of ret_failure; near and unattended are false.
 */
void ik_provider_error(const struct ik_endpoint *endpoint, int status, const char *body,
	size_t length, struct ik_buf *out_sentence, struct ik_failure *ret_failure);

/* Return how long it takes, in milliseconds, until a limit is no longer used up, by two headers of a
 * response: what remains, and when that is reset ("6m0s", seconds, or a time); -1 if it is not, or a
 * header is NULL. */
int64_t ik_provider_reset_ms(const char *remaining, const char *reset);

/*
 * What a failed response refuses, without which the request may be sent again: opaque data of earlier
 * replies, which providers bind to a model, to the account, and some to the system prompt and the
 * tools; or to show thinking, which OpenAI does for verified organisations only, and no provider for
 * a model that doesn't think; or the schema of the reply.
 */
enum ik_refusal { IK_REFUSES_OTHER, IK_REFUSES_OPAQUE, IK_REFUSES_THOUGHTS, IK_REFUSES_SCHEMA };
enum ik_refusal ik_provider_refusal(int status, const char *body, size_t length);

/* Append what to do about a failure, beginning with a blank; nothing if there is no advice. For status
 * 401 or 403, name the key's variable. */
void ik_provider_advise(const struct ik_endpoint *endpoint, const struct ik_failure *failure,
	struct ik_buf *out);

/* Return the paragraph of the system prompt that explains the envelope. */
const char *ik_envelope_paragraph(void);

#endif
