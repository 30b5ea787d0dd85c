#include "tool/source.h"

void ik_source_init(struct ik_source *source, const struct ik_source_ops *ops,
	enum ik_tool_source origin)
{
	source->ops = ops;
	source->origin = origin;
	source->references = 1;
}

struct ik_source *ik_source_ref(struct ik_source *source)
{
	source->references++;
	return source;
}

struct ik_source *ik_source_unref(struct ik_source *source)
{
	if (source && --source->references == 0)
		source->ops->free(source);
	return NULL;
}
