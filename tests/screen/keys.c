#include "keys.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

size_t key_bytes(const char *name, char bytes[32])
{
	static const struct { const char *name, *bytes; } keys[] = {
		{"Enter", "\r"}, {"Esc", "\033"}, {"Tab", "\t"}, {"Backspace", "\177"}, {"Space", " "},
		{"Up", "\033[A"}, {"Down", "\033[B"}, {"Right", "\033[C"}, {"Left", "\033[D"},
		{"Home", "\033[H"}, {"End", "\033[F"}, {"PgUp", "\033[5~"}, {"PgDn", "\033[6~"},
		{"Insert", "\033[2~"}, {"Delete", "\033[3~"}, {"Ctrl-Home", "\033[1;5H"},
		{"Ctrl-End", "\033[1;5F"}, {"Ctrl-Left", "\033[1;5D"}, {"Ctrl-Right", "\033[1;5C"},
		{"Alt-Up", "\033[1;3A"}, {"Alt-Down", "\033[1;3B"},
		{"Shift-Tab", "\033[Z"}, {"Alt-Enter", "\033\r"},
		{"F1", "\033OP"}, {"F2", "\033OQ"}, {"F3", "\033OR"}, {"F4", "\033OS"}, {"F5", "\033[15~"},
		{"F6", "\033[17~"}, {"F7", "\033[18~"}, {"F8", "\033[19~"}, {"F9", "\033[20~"},
		{"F10", "\033[21~"}, {"F11", "\033[23~"}, {"F12", "\033[24~"},
	};
	size_t i;

	for (i = 0; i < sizeof keys / sizeof keys[0]; i++)
		if (strcmp(name, keys[i].name) == 0)
			return (size_t)snprintf(bytes, 32, "%s", keys[i].bytes);
	if (strncmp(name, "Ctrl-", 5) == 0 && name[5] != '\0' && name[6] == '\0') {
		bytes[0] = (char)(name[5] & 0x1f);
		return 1;
	}
	if (strncmp(name, "Alt-", 4) == 0 && name[4] != '\0' && name[5] == '\0') {
		bytes[0] = '\033';
		bytes[1] = name[4];
		return 2;
	}
	if (name[0] != '\0' && name[1] == '\0') {
		bytes[0] = name[0];
		return 1;
	}
	return 0;
}

void put_escaped(struct ik_buf *bytes, const char *text)
{
	unsigned byte;

	for (; *text != '\0'; text++) {
		if (*text != '\\' || text[1] == '\0') {
			ik_buf_putc(bytes, *text);
			continue;
		}
		text++;
		if (*text == 'x' && sscanf(text + 1, "%2x", &byte) == 1) {
			ik_buf_putc(bytes, (char)byte);
			text += 2;
			continue;
		}
		ik_buf_putc(bytes, *text == 'e' ? '\033' : *text == 'r' ? '\r' : *text == 'n' ? '\n' :
			*text == 't' ? '\t' : *text);
	}
}
