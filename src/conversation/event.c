#include "conversation/event.h"

const char *ik_turn_stop_word(enum ik_turn_stop stop)
{
	static const char *const words[] = {
		[IK_TURN_STOP_END] = "end",
		[IK_TURN_STOP_LENGTH] = "length",
		[IK_TURN_STOP_REFUSED] = "refused",
		[IK_TURN_STOP_LIMIT] = "limit",
		[IK_TURN_STOP_REPEATED] = "repeated",
		[IK_TURN_STOP_CANCELLED] = "cancelled",
		[IK_TURN_STOP_ERROR] = "error",
	};

	return words[stop];
}

const char *ik_error_code_word(enum ik_error_code code)
{
	static const char *const words[] = {
		[IK_CODE_NONE] = "",
		[IK_CODE_AUTH] = "AUTH",
		[IK_CODE_RATE_LIMIT] = "RATE_LIMIT",
		[IK_CODE_CONTEXT] = "CONTEXT",
		[IK_CODE_PROVIDER] = "PROVIDER",
		[IK_CODE_BAD_RESPONSE] = "BAD_RESPONSE",
		[IK_CODE_CONNECT] = "CONNECT",
		[IK_CODE_TLS] = "TLS",
		[IK_CODE_TIMEOUT] = "TIMEOUT",
		[IK_CODE_CONFIG] = "CONFIG",
		[IK_CODE_STORE] = "STORE",
	};

	return words[code];
}
