#include "tui/size_text.h"

#include "util/limits.h"
#include "util/text.h"

void ik_size_text(struct ik_buf *out, size_t bytes)
{
	if (bytes < IK_KIB(1))
		ik_buf_printf(out, _("%zu bytes"), bytes);
	else if (bytes < IK_MIB(1))
		ik_buf_printf(out, _("%zu KB"), bytes / IK_KIB(1));
	else
		ik_buf_printf(out, _("%.1f MB"), (double)bytes / (double)IK_MIB(1));
}
