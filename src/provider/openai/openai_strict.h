/*
 * openai_strict: schemas and arguments in OpenAI's strict mode.
 *
 * In strict mode a model cannot write anything but what the schema says.  The
 * price: every object is closed, every property is required, so what may be
 * left out is written as null, and of JSON Schema only a part is taken.
 *
 * Source: OpenAI's guide "Structured model outputs", "Supported schemas".
 * Its limits differ between hosts; the smallest ones are kept here.
 *
 * Private to src/provider; pure.  May include: util, json.
 */
#ifndef IK_PROVIDER_OPENAI_OPENAI_STRICT_H
#define IK_PROVIDER_OPENAI_OPENAI_STRICT_H

#include "json/scan.h"

/*
 * Append a canonical schema as strict mode takes it: every object closed, all
 * properties required, optional ones nullable, what only explains left out
 * where it would be refused. False, and nothing appended, for a schema that
 * means something that strict mode cannot say (an open object, a length, allOf
 * and so on): it goes out as it is, not strict.
 */
bool ik_openai_put_strict_schema(struct ik_buf *out, struct ik_json_span schema);

/*
 * Append arguments that were written under the strict form of schema, without
 * the nulls that stand for "left out". False, and nothing appended, when there
 * is nothing to take out (or schema has no strict form): use them as they are.
 */
bool ik_openai_put_without_nulls(struct ik_buf *out, struct ik_json_span schema,
	struct ik_json_span arguments);

#endif
