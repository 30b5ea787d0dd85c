#!/usr/bin/env python3
"""accents.py FILE.pot > FILE.po: a translation that puts accents on all vowels.

What a screen shows without them did not come through gettext.  Formats, names
of keys in braces and escapes stay as they are, and so do the widths.
"""
import re
import sys

ACCENTS = str.maketrans("aeiouAEIOU", "áéíóúÁÉÍÓÚ")
KEPT = re.compile(r"(%[-+ #0]*[0-9*]*(?:\.[0-9*]+)?(?:hh|h|ll|l|z|j|t)?[a-zA-Z%]|\\.|\{[a-z-]+\})")


def accented(lines):
    return ["".join(part if KEPT.fullmatch(part) else part.translate(ACCENTS)
                    for part in KEPT.split(line)) for line in lines]


def put(keyword, lines):
    print("\n".join([keyword + " " + lines[0]] + lines[1:]))


def main():
    entries = open(sys.argv[1], encoding="utf-8").read().strip().split("\n\n")
    print('msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
          '"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n')
    for entry in entries[1:]:
        texts = {}
        for line in entry.split("\n"):
            keyword = re.match(r"(msgid_plural|msgid|msgstr)\b", line)
            if keyword:
                current = texts.setdefault(keyword.group(1), [])
            if not line.startswith("#"):
                current.append(line[line.index('"'):])
        put("msgid", texts["msgid"])
        if "msgid_plural" in texts:
            put("msgid_plural", texts["msgid_plural"])
            put("msgstr[0]", accented(texts["msgid"]))
            put("msgstr[1]", accented(texts["msgid_plural"]))
        else:
            put("msgstr", accented(texts["msgid"]))
        print()


main()
