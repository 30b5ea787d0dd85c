/*
 * protocol_member: what the announcements of all protocols have in common: the
 * members of one JSON object, read into a tool or refused with the reason.
 *
 * For tool/protocol*.c only.  Pure.  May include: util, json, tool/registry.h.
 */
#ifndef IK_TOOL_PROTOCOL_MEMBER_H
#define IK_TOOL_PROTOCOL_MEMBER_H

#include "tool/registry.h"

enum { IK_TOOL_NAME_MAXIMUM = 64 };

/* Record why an announcement was refused (reason is taken over); IK_INVALID. */
enum ik_status ik_member_refuse(struct ik_tool *tool, const char *code, char *reason);

/* The same of a member that has another type than wanted, or is missing. */
enum ik_status ik_member_refuse_type(struct ik_tool *tool, const char *member,
	struct ik_json_span value, const char *wanted);

/* What was printed for question as one object; ret_tool is emptied first. */
enum ik_status ik_member_object(struct ik_tool *ret_tool, const char *question, const char *text,
	size_t length, struct ik_json_span *ret_object) IK_MUST_USE;

/* The member "name", offered with that prefix; "description", which is not empty;
 * the schema of the arguments in either spelling, which may be missing. */
enum ik_status ik_member_name(struct ik_tool *tool, struct ik_json_span object,
	const char *prefix) IK_MUST_USE;
enum ik_status ik_member_description(struct ik_tool *tool, struct ik_json_span object) IK_MUST_USE;
enum ik_status ik_member_parameters(struct ik_tool *tool, struct ik_json_span object,
	const char *member) IK_MUST_USE;

/* All was in order: keep the object as it was written. */
void ik_member_accept(struct ik_tool *tool, struct ik_json_span object);

#endif
