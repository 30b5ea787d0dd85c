#include "core/model_question.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/text.h"

struct ik_model_question *ik_model_question_new(struct ik_session *session, const char *line,
	const char *wanted)
{
	struct ik_model_question *question = ik_alloc(sizeof(*question));

	question->session = session;
	question->line = ik_strdup(line);
	question->wanted = wanted ? ik_strdup(wanted) : NULL;
	return question;
}

struct ik_model_question *ik_model_question_free(struct ik_model_question *question)
{
	if (!question)
		return NULL;
	ik_model_list_close(question->list);
	free(question->line);
	free(question->wanted);
	free(question);
	return NULL;
}

struct ik_model_question *ik_model_question_of_others(struct ik_model_question *question,
	const struct ik_session *session)
{
	return question && question->session == session ? ik_model_question_free(question) : question;
}
