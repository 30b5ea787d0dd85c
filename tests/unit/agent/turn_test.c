#include "turn_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "util/limits.h"

struct row {
	const char *what;
	int concurrency, max_tool_turns;
	const char *script;
	const char *log;
};

static const struct row rows[] = {
	{ "a reply", 4, 50, "T u:hi x:Hel x:lo s:end .",
		"+user:hi started request +assistant:Hello done:end" },
	{ "a reply with usage", 4, 50, "T u:hi x:a g:10:1 g:10:2 s:end .",
		"+user:hi started request +assistant:a +usage done:end" },
	{ "thinking stands before text", 4, 50, "T u:hi k:hm k:m x:a s:end .",
		"+user:hi started request +thinking +assistant:a done:end" },
	{ "the rest of what was cut is asked for", 4, 50, "T u:hi x:a s:length . x:b s:end .",
		"+user:hi started request +assistant:a +go-on request +assistant:b done:end" },
	{ "truncated again and again", 4, 50,
		"T u:hi x:a s:length . x:b s:length . x:c s:length . x:d s:length .",
		"+user:hi started request +assistant:a +go-on request +assistant:b +go-on request "
		"+assistant:c +go-on request +assistant:d done:length" },
	{ "another model gets the request", 4, 50, "T u:hi R:CONNECT k:a L x:b .",
		"+user:hi started request retry:CONNECT +notice +assistant:b done:end" },
	{ "yields what is good", 4, 50, "O:on T u:hi x:let c0:A:x . d:A k:hm x:=1 .",
		"+user:hi started request +assistant:let +call:A tool:A run: +result:A request +thinking "
		"+assistant:=1 done:end yields:=1" },
	{ "yields what is put right, and the next turn anew", 4, 50,
		"O:on T u:hi x:1 . c0:A:x . d:A x:=1 . u:go x:2 . x:=2 .",
		"+user:hi started request +assistant:1 +notice +go-on request +call:A tool:A run: "
		"+result:A "
		"request +assistant:=1 done:end yields:=1 "
		"+user:go started request +assistant:2 +notice +go-on request +assistant:=2 done:end "
		"yields:=2" },
	{ "yields nothing of two that are wrong", 4, 50, "O:on T u:hi x:1 . x:2 . O:off u:go x:3 .",
		"+user:hi started request +assistant:1 +notice +go-on request +assistant:2 "
		"+error:BAD_RESPONSE done:error "
		"+user:go started request +assistant:3 done:end" },
	{ "yields a reply that was cut", 4, 50, "O:on T u:hi x:=1 s:length . x:2 .",
		"+user:hi started request +assistant:=1 +go-on request +assistant:2 done:end yields:=12" },
	{ "yields nothing of a turn that ends otherwise", 4, 50, "O:on T u:hi x:=1 s:refused .",
		"+user:hi started request +assistant:=1 +notice done:refused" },
	{ "a search, and a pause", 4, 50, "T u:hi w: w:sun s:paused . w:moon x:Hot. s:end .",
		"+user:hi started request +search request +search +assistant:Hot. done:end" },
	{ "truncated without a word", 4, 50, "T u:hi k:a s:length .",
		"+user:hi started request +thinking +notice done:length" },
	{ "a call that was cut is not run", 4, 50,
		"T u:hi c0:A:x a0:{} c1:B:y a1:{\"a s:length . d:A x:b s:end .",
		"+user:hi started request +call:A +call:B +result:B tool:A run:{} +result:A request "
		"+assistant:b done:end" },
	{ "only a call that was cut", 4, 50, "T u:hi c0:A:x s:length . x:b s:end .",
		"+user:hi started request +call:A +result:A request +assistant:b done:end" },
	{ "refused", 4, 50, "T u:hi s:refused .", "+user:hi started request +notice done:refused" },
	{ "refused with text", 4, 50, "T u:hi x:no s:refused .",
		"+user:hi started request +assistant:no +notice done:refused" },
	{ "calls of a refused reply don't run", 4, 50, "T u:hi c0:A:x a0:{} s:refused .",
		"+user:hi started request +call:A +result:A +notice done:refused" },
	{ "empty reply", 4, 50, "T u:hi s:end .", "+user:hi started request +notice done:end" },
	{ "only thinking", 4, 50, "T u:hi k:hm s:end .",
		"+user:hi started request +thinking +notice done:end" },
	{ "what a provider wants back stands with what it belongs to", 4, 50,
		"T u:hi k:hm ok:1 k:ha ok:2 ok:3 x:a ox:4 c0:A:x c1:B:y a0:{} o0:5 s:calls . d:A d:B x:b .",
		"+user:hi started request +thinking opaque:1 +thinking opaque:2 +thinking opaque:3 "
		"+assistant:a opaque:4 +call:A opaque:5 +call:B tool:A run:{} tool:B run: "
		"+result:A +result:B request +assistant:b done:end" },
	{ "data of what is not there is nothing", 4, 50, "T u:hi k:m ox:4 o7:5 x:a s:end .",
		"+user:hi started request +thinking +assistant:a done:end" },
	{ "data alone are no beginning", 4, 50, "T u:hi ok:1 R:CONNECT x:a s:end .",
		"+user:hi started request retry:CONNECT +assistant:a done:end" },
	{ "empty pieces are nothing", 4, 50, "T u:hi x: k: s:end .",
		"+user:hi started request +notice done:end" },
	{ "tool calls announced, none came", 4, 50, "T u:hi x:a s:calls .",
		"+user:hi started request +assistant:a done:end" },

	{ "the message waits for the tools", 4, 50, "u:hi T x:a s:end .",
		"+user:hi started waiting request +assistant:a done:end" },
	{ "cancelled while it waits", 4, 50, "u:hi C T", "+user:hi started waiting done:cancelled" },
	{ "tools that go away matter to the next message", 4, 50,
		"T u:a t x:b s:end . u:c T x:d s:end .",
		"+user:a started request +assistant:b done:end "
		"+user:c started waiting request +assistant:d done:end" },
	{ "history first", 4, 50, "T h u:hi H x:a s:end .",
		"queued:1 waiting queued:0 +user:hi started request +assistant:a done:end" },
	{ "history, then tools", 4, 50, "h u:hi H T x:a s:end .",
		"queued:1 waiting queued:0 +user:hi started waiting request +assistant:a done:end" },

	{ "one call", 4, 50, "T u:hi c0:A:glob a0:{} s:calls . d:A x:ok s:end .",
		"+user:hi started request +call:A tool:A run:{} +result:A request +assistant:ok done:end" },
	{ "arguments in pieces", 4, 50, "T u:hi c0:A:glob a0:{\"p\" a0::1 a0:} s:calls . d:A x:ok .",
		"+user:hi started request +call:A tool:A run:{\"p\":1} +result:A request "
		"+assistant:ok done:end" },
	{ "calls interleaved", 4, 50,
		"T u:hi c0:A:glob c1:B:grep a1:{\"b\" a0:{\"a\" a1::2} a0::1} s:calls . d:A d:B x:ok .",
		"+user:hi started request +call:A +call:B tool:A run:{\"a\":1} tool:B run:{\"b\":2} "
		"+result:A +result:B request +assistant:ok done:end" },
	{ "text before and after a call", 4, 50, "T u:hi x:a c0:A:glob x:b x:c s:calls . d:A x:ok .",
		"+user:hi started request +assistant:a +call:A +assistant:bc tool:A run: "
		"+result:A request +assistant:ok done:end" },
	{ "answers out of order are stored as they come", 4, 50,
		"T u:hi c0:A:x c1:B:x c2:C:y s:calls . d:C d:A d:B x:ok .",
		"+user:hi started request +call:A +call:B +call:C tool:A run: tool:B run: tool:C run: "
		"+result:C +result:A +result:B request +assistant:ok done:end" },
	{ "two at a time", 2, 50, "T u:hi c0:A:x c1:B:y c2:D:z s:calls . d:B d:D d:A x:ok .",
		"+user:hi started request +call:A +call:B +call:D tool:A run: tool:B run: +result:B "
		"tool:D run: +result:D +result:A request +assistant:ok done:end" },
	{ "one at a time", 1, 50, "T u:hi c0:A:x c1:B:y s:calls . d:A d:B x:ok .",
		"+user:hi started request +call:A +call:B tool:A run: +result:A tool:B run: +result:B "
		"request +assistant:ok done:end" },
	{ "no concurrency given is one", 0, 50, "T u:hi c0:A:x c1:B:y s:calls . d:A d:B x:ok .",
		"+user:hi started request +call:A +call:B tool:A run: +result:A tool:B run: +result:B "
		"request +assistant:ok done:end" },
	{ "what changes something runs alone, in the order of the calls", 4, 50,
		"T u:hi c0:A:w c1:B:w c2:D:w s:calls . d:A d:B d:D x:ok .",
		"+user:hi started request +call:A +call:B +call:D tool:A run: +result:A tool:B run: "
		"+result:B tool:D run: +result:D request +assistant:ok done:end" },
	{ "only read-only neighbours run together", 4, 50,
		"T u:hi c0:A:x c1:B:y c2:D:w c3:E:x c4:F:y s:calls . d:B d:A d:D d:E d:F x:ok .",
		"+user:hi started request +call:A +call:B +call:D +call:E +call:F tool:A run: tool:B run: "
		"+result:B +result:A tool:D run: +result:D tool:E run: tool:F run: +result:E +result:F "
		"request +assistant:ok done:end" },
	{ "a call that changes something holds back those after it", 4, 50,
		"T u:hi c0:A:w c1:B:x c2:D:w s:calls . D:A d:B d:D x:ok .",
		"+user:hi started request +call:A +call:B +call:D tool:A run: +result:A tool:B run: "
		"+result:B tool:D run: +result:D request +assistant:ok done:end" },
	{ "a question comes up when its turn has come", 4, 50,
		"T u:hi c0:A:w c1:B:askw c2:D:w . d:A y:B d:B d:D x:ok .",
		"+user:hi started request +call:A +call:B +call:D tool:A run: +result:A asking:B asked:B "
		"tool:B run: +result:B tool:D run: +result:D request +assistant:ok done:end" },
	{ "a denied call lets the next one go", 4, 50,
		"T u:hi c0:A:denyw c1:B:w c2:D:askw c3:E:denyw . d:B n:D x:ok .",
		"+user:hi started request +call:A +call:B +call:D +call:E +result:A tool:B run: +result:B "
		"asking:D asked:D +result:D +result:E request +assistant:ok done:end" },
	{ "rules are asked when a call's turn has come", 4, 50,
		"T u:hi c0:A:w c1:B:askw . J:deny d:A x:ok .",
		"+user:hi started request +call:A +call:B tool:A run: +result:A +result:B request "
		"+assistant:ok done:end" },
	{ "cancelled before the turn of most calls", 4, 50, "T u:hi c0:A:w c1:B:askw c2:D:x . C D:A",
		"+user:hi started request +call:A +call:B +call:D tool:A run: +result:B +result:D cancel "
		"+result:A done:cancelled" },
	{ "a failed tool goes on", 4, 50, "T u:hi c0:A:x s:calls . D:A x:ok .",
		"+user:hi started request +call:A tool:A run: +result:A request +assistant:ok done:end" },
	{ "calls run whatever the stop reason", 4, 50, "T u:hi c0:A:x s:end . d:A x:ok .",
		"+user:hi started request +call:A tool:A run: +result:A request +assistant:ok done:end" },
	{ "a slot used twice is one call", 4, 50, "T u:hi c0:A:x c0:B:y a0:{} . d:A x:ok .",
		"+user:hi started request +call:A tool:A run:{} +result:A request +assistant:ok done:end" },
	{ "arguments of no call are nothing", 4, 50, "T u:hi a3:{} x:ok .",
		"+user:hi started request +assistant:ok done:end" },
	{ "calls without ids get some", 4, 50, "T u:hi c0::x c1::y . d:call_1 d:call_2 x:ok .",
		"+user:hi started request +call:call_1 +call:call_2 tool:call_1 run: tool:call_2 run: "
		"+result:call_1 +result:call_2 request +assistant:ok done:end" },
	{ "an id used again gets another", 4, 50, "T u:hi c0:A:x . d:A c0:A:x . d:call_1 x:ok .",
		"+user:hi started request +call:A tool:A run: +result:A request +call:call_1 tool:call_1 "
		"run: +result:call_1 request +assistant:ok done:end" },
	{ "a made id is not one that came", 4, 50,
		"T u:hi c0:call_1:x c1::y . d:call_1 d:call_2 x:ok .",
		"+user:hi started request +call:call_1 +call:call_2 tool:call_1 run: tool:call_2 run: "
		"+result:call_1 +result:call_2 request +assistant:ok done:end" },

	{ "the last round may not call", 4, 1, "T u:hi c0:A:x . d:A x:ok s:end .",
		"+user:hi started request +call:A tool:A run: +result:A request- +assistant:ok "
		"done:limit" },
	{ "calls in it are denied", 4, 1, "T u:hi c0:A:x . d:A c0:B:x c1:D:x .",
		"+user:hi started request +call:A tool:A run: +result:A request- +call:B +call:D "
		"+result:B +result:D done:limit" },
	{ "two rounds", 4, 2, "T u:hi c0:A:x . d:A c0:B:y . d:B x:ok .",
		"+user:hi started request +call:A tool:A run: +result:A request +call:B tool:B run: "
		"+result:B request- +assistant:ok done:limit" },
	{ "the limit is the turn's, not the session's", 4, 1,
		"T u:hi c0:A:x . d:A x:ok . u:more x:ok .",
		"+user:hi started request +call:A tool:A run: +result:A request- +assistant:ok done:limit "
		"+user:more started request +assistant:ok done:end" },
	{ "truncated in the last round", 4, 1, "T u:hi c0:A:x . d:A x:ok s:length .",
		"+user:hi started request +call:A tool:A run: +result:A request- +assistant:ok "
		"done:length" },

	{ "a denied call goes back to the model", 4, 50, "T u:hi c0:A:deny . x:ok .",
		"+user:hi started request +call:A +result:A request +assistant:ok done:end" },
	{ "denied and allowed", 4, 50, "T u:hi c0:A:deny c1:B:x c2:D:deny . d:B x:ok .",
		"+user:hi started request +call:A +call:B +call:D +result:A tool:B run: +result:D "
		"+result:B "
		"request +assistant:ok done:end" },
	{ "the person allows", 4, 50, "T u:hi c0:A:ask . y:A d:A x:ok .",
		"+user:hi started request +call:A asking:A asked:A tool:A run: +result:A request "
		"+assistant:ok done:end" },
	{ "the person denies", 4, 50, "T u:hi c0:A:ask . n:A x:ok .",
		"+user:hi started request +call:A asking:A asked:A +result:A request +assistant:ok "
		"done:end" },
	{ "other calls go on", 4, 50, "T u:hi c0:A:ask c1:B:x . d:B y:A d:A x:ok .",
		"+user:hi started request +call:A +call:B asking:A tool:B run: +result:B asked:A tool:A "
		"run: "
		"+result:A request +assistant:ok done:end" },
	{ "a question takes no place among those that run", 1, 50,
		"T u:hi c0:A:ask c1:B:x c2:D:x . d:B y:A d:D d:A x:ok .",
		"+user:hi started request +call:A +call:B +call:D asking:A tool:B run: +result:B tool:D "
		"run: "
		"asked:A +result:D tool:A run: +result:A request +assistant:ok done:end" },
	{ "answers in another order", 4, 50,
		"T u:hi c0:A:ask c1:B:ask c2:D:ask . n:D y:B d:B y:A d:A x:ok .",
		"+user:hi started request +call:A +call:B +call:D asking:A asking:B asking:D asked:D "
		"+result:D asked:B tool:B run: +result:B asked:A tool:A run: +result:A request "
		"+assistant:ok done:end" },
	{ "an answer counts once", 4, 50, "T u:hi c0:A:ask . y:A n:A y:A d:A n:A x:ok .",
		"+user:hi started request +call:A asking:A asked:A tool:A run: +result:A request "
		"+assistant:ok done:end" },
	{ "cancelled while the person is asked", 4, 50, "T u:hi c0:A:ask c1:B:ask . C y:A n:B",
		"+user:hi started request +call:A +call:B asking:A asking:B asked:A +result:A asked:B "
		"+result:B done:cancelled" },
	{ "cancelled while one is asked about and one runs", 4, 50,
		"T u:hi c0:A:ask c1:B:x . C y:A D:B",
		"+user:hi started request +call:A +call:B asking:A tool:B run: asked:A +result:A cancel "
		"+result:B done:cancelled" },
	{ "cancelled after an answer", 1, 50, "T u:hi c0:A:x c1:B:ask . y:B C D:A",
		"+user:hi started request +call:A +call:B tool:A run: asking:B asked:B +result:B cancel "
		"+result:A done:cancelled" },
	{ "a message waits for the answer", 4, 50, "T u:hi c0:A:ask . u:more C G x:ok .",
		"+user:hi started request +call:A asking:A queued:1 asked:A +result:A held:1 "
		"done:cancelled queued:0 +user:more started request +assistant:ok done:end" },
	{ "rules that allow answer for the person", 4, 50,
		"T u:hi c0:A:ask c1:B:ask . J:allow d:A d:B x:ok .",
		"+user:hi started request +call:A +call:B asking:A asking:B asked:A asked:B tool:A run: "
		"tool:B run: +result:A +result:B request +assistant:ok done:end" },
	{ "rules that deny, too", 4, 50, "T u:hi c0:A:ask . J:deny x:ok .",
		"+user:hi started request +call:A asking:A asked:A +result:A request +assistant:ok "
		"done:end" },
	{ "rules that still ask change nothing", 4, 50, "T u:hi c0:A:ask . J:ask J:ask y:A d:A x:ok .",
		"+user:hi started request +call:A asking:A asked:A tool:A run: +result:A request "
		"+assistant:ok done:end" },
	{ "what waits for its turn is judged again", 1, 50,
		"T u:hi J:allow c0:A:x c1:B:ask c2:D:ask . J:deny d:A x:ok .",
		"+user:hi started request +call:A +call:B +call:D tool:A run: +result:B +result:D "
		"+result:A "
		"request +assistant:ok done:end" },
	{ "what the person allowed is not", 1, 50, "T u:hi c0:A:x c1:B:ask . y:B J:deny d:A d:B x:ok .",
		"+user:hi started request +call:A +call:B tool:A run: asking:B asked:B +result:A tool:B "
		"run: "
		"+result:B request +assistant:ok done:end" },
	{ "what waits for its turn is judged again with other tools", 1, 50,
		"T u:hi J:allow c0:A:x c1:B:ask . j:deny T d:A x:ok .",
		"+user:hi started request +call:A +call:B tool:A run: +result:B +result:A request "
		"+assistant:ok done:end" },
	{ "what runs is not", 4, 50, "T u:hi J:allow c0:A:ask . J:deny d:A x:ok .",
		"+user:hi started request +call:A tool:A run: +result:A request +assistant:ok done:end" },
	{ "allowed, then asked about", 1, 50,
		"T u:hi J:allow c0:A:x c1:B:ask . J:ask d:A y:B d:B x:ok .",
		"+user:hi started request +call:A +call:B tool:A run: asking:B +result:A asked:B tool:B "
		"run: "
		"+result:B request +assistant:ok done:end" },
	{ "a ruling comes later", 4, 50, "T u:hi c0:A:wait c1:B:x . d:B V:A d:A x:ok .",
		"+user:hi started request +call:A +call:B tool:B run: +result:B tool:A run: +result:A "
		"request "
		"+assistant:ok done:end" },
	{ "what changes something waits for it", 4, 50, "T u:hi c0:A:wait c1:B:xw . V:A d:A d:B x:ok .",
		"+user:hi started request +call:A +call:B tool:A run: +result:A tool:B run: +result:B "
		"request "
		"+assistant:ok done:end" },
	{ "a ruling counts once", 4, 50, "T u:hi c0:A:wait . J:ask V:A V:A d:A V:A x:ok . X:more",
		"+user:hi started request +call:A tool:A run: +result:A request +assistant:ok done:end" },
	{ "cancelled before the ruling", 4, 50, "T u:hi c0:A:wait . C V:A",
		"+user:hi started request +call:A +result:A done:cancelled" },
	{ "the turn may end", 4, 50, "E:on T u:hi x:ok . u:more X: x:ok . X:",
		"+user:hi started request +assistant:ok end? queued:1 done:end queued:0 +user:more started "
		"request +assistant:ok end? done:end" },
	{ "it may not yet", 4, 50, "E:on T u:hi x:ok . X:why x:ok . X: X:why",
		"+user:hi started request +assistant:ok end? +go-on request +assistant:ok end-again? "
		"done:end" },
	{ "for ever it may not either", 4, 50,
		"E:on T u:hi x:a . X:1 x:a . X:2 x:a . X:3 x:a . X:4 x:a . X:5 x:a .",
		"+user:hi started request +assistant:a end? +go-on request +assistant:a end-again? +go-on "
		"request +assistant:a end-again? +go-on request +assistant:a end-again? +go-on request "
		"+assistant:a end-again? +go-on request +assistant:a done:end" },
	{ "cancelled before it may end", 4, 50, "E:on T u:hi x:ok . u:more C X:why G x:ok . X:",
		"+user:hi started request +assistant:ok end? queued:1 held:1 done:end queued:0 +user:more "
		"started request +assistant:ok end? done:end" },
	{ "a refused message is a turn, or a word in one", 4, 50, "T Z:no u:hi Z:no x:ok .",
		"started +notice done:refused +user:hi started request +notice +assistant:ok done:end" },
	{ "nothing to judge", 4, 50, "J:deny T u:hi J:allow x:ok . J:ask",
		"+user:hi started request +assistant:ok done:end" },

	{ "the fifth time running", 4, 50,
		"T u:hi c0:A:x . d:A c0:B:x . d:B c0:D:x . d:D c0:E:x . d:E c0:F:x .",
		"+user:hi started request +call:A tool:A run: +result:A request +call:B tool:B run: "
		"+result:B request +call:D tool:D run: +result:D request +call:E tool:E run: +result:E "
		"request +call:F +result:F +notice done:repeated" },
	{ "other arguments are another call", 4, 50,
		"T u:hi c0:A:x . d:A c0:B:x . d:B c0:D:x . d:D c0:E:x . d:E c0:F:x a0:{} . d:F x:ok .",
		"+user:hi started request +call:A tool:A run: +result:A request +call:B tool:B run: "
		"+result:B request +call:D tool:D run: +result:D request +call:E tool:E run: +result:E "
		"request +call:F tool:F run:{} +result:F request +assistant:ok done:end" },
	{ "five in one reply", 4, 50, "T u:hi c0:A:x c1:B:x c2:D:x c3:E:x c4:F:x .",
		"+user:hi started request +call:A +call:B +call:D +call:E +call:F "
		"+result:A +result:B +result:D +result:E +result:F +notice done:repeated" },
	{ "the count begins anew with a turn", 4, 50,
		"T u:hi c0:A:x c1:B:x c2:D:x c3:E:x . d:A d:B d:D d:E x:ok . u:go c0:F:x . d:F x:ok .",
		"+user:hi started request +call:A +call:B +call:D +call:E tool:A run: tool:B run: "
		"tool:D run: tool:E run: +result:A +result:B +result:D +result:E request +assistant:ok "
		"done:end +user:go started request +call:F tool:F run: +result:F request +assistant:ok "
		"done:end" },

	{ "failed before a word", 4, 50, "T u:hi F:AUTH",
		"+user:hi started request +error:AUTH done:error" },
	{ "tried again", 4, 50, "T u:hi R:RATE_LIMIT x:ok .",
		"+user:hi started request retry:RATE_LIMIT +assistant:ok done:end" },
	{ "tried too often", 4, 50, "T u:hi R:CONNECT R:CONNECT F:CONNECT",
		"+user:hi started request retry:CONNECT retry:CONNECT +error:CONNECT done:error" },
	{ "tried again when it has failed", 4, 50, "T u:hi F:AUTH G F:AUTH G x:ok . G",
		"+user:hi started request +error:AUTH done:error started request +error:AUTH done:error "
		"started request +assistant:ok done:end" },
	{ "tried again after a call", 4, 50, "T u:hi c0:A:x . d:A F:CONNECT G x:ok .",
		"+user:hi started request +call:A tool:A run: +result:A request +error:CONNECT done:error "
		"started request +assistant:ok done:end" },
	{ "the rest of what broke off", 4, 50, "T u:hi x:half F:CONNECT G x:whole .",
		"+user:hi started request +assistant!:half +error:CONNECT done:error "
		"started +go-on request +assistant:whole done:end" },
	{ "what is cancelled is not tried again", 4, 50, "T u:hi C G",
		"+user:hi started request abort done:cancelled" },
	{ "broken in mid-text", 4, 50, "T u:hi x:half F:CONNECT",
		"+user:hi started request +assistant!:half +error:CONNECT done:error" },
	{ "broken in a call", 4, 50, "T u:hi x:a c0:A:x a0:{\"b F:CONNECT",
		"+user:hi started request +assistant!:a +call:A +result:A +error:CONNECT done:error" },
	{ "what came before another try does not count", 4, 50, "T u:hi g:1:0 ok:1 R:CONNECT x:ok .",
		"+user:hi started request retry:CONNECT +assistant:ok done:end" },
	{ "broken in thinking", 4, 50, "T u:hi k:hm F:CONNECT",
		"+user:hi started request +thinking +error:CONNECT done:error" },

	{ "cancel before a word", 4, 50, "T u:hi C", "+user:hi started request abort done:cancelled" },
	{ "cancel in text", 4, 50, "T u:hi x:ha C x:lf .",
		"+user:hi started request abort +assistant!:ha done:cancelled" },
	{ "cancel in a call", 4, 50, "T u:hi x:a c0:A:x a0:{ C",
		"+user:hi started request abort +assistant!:a +call:A +result:A done:cancelled" },
	{ "only the last text is marked", 4, 50, "T u:hi x:a c0:A:x x:b C",
		"+user:hi started request abort +assistant:a +call:A +assistant!:b +result:A "
		"done:cancelled" },
	{ "cancel of tools waits for them", 4, 50, "T u:hi c0:A:x c1:B:y . C D:B D:A",
		"+user:hi started request +call:A +call:B tool:A run: tool:B run: cancel +result:B "
		"+result:A "
		"done:cancelled" },
	{ "those that had not begun do not begin", 1, 50, "T u:hi c0:A:x c1:B:y . C D:A",
		"+user:hi started request +call:A +call:B tool:A run: +result:B cancel +result:A "
		"done:cancelled" },
	{ "a second cancel does not wait", 4, 50, "T u:hi c0:A:x c1:B:y . C D:B C D:A",
		"+user:hi started request +call:A +call:B tool:A run: tool:B run: cancel +result:B close "
		"+result:A done:cancelled" },
	{ "cancel while waiting to try again", 4, 50, "T u:hi R:CONNECT C",
		"+user:hi started request retry:CONNECT abort done:cancelled" },
	{ "cancel of nothing", 4, 50, "C T C", "" },
	{ "what is late is nothing", 4, 50, "T . x:a d:A R:CONNECT g:1:1 u:hi x:ok . x:more . F:AUTH",
		"+user:hi started request +assistant:ok done:end" },

	{ "the queue", 4, 50, "T u:a u:b u:c x:1 . x:2 . x:3 .",
		"+user:a started request queued:1 queued:2 +assistant:1 done:end "
		"queued:1 +user:b started request +assistant:2 done:end "
		"queued:0 +user:c started request +assistant:3 done:end" },
	{ "a cancel holds the queue", 4, 50, "T u:a u:b u:c C G x:2 . x:3 .",
		"+user:a started request queued:1 queued:2 abort held:2 done:cancelled "
		"queued:1 +user:b started request +assistant:2 done:end "
		"queued:0 +user:c started request +assistant:3 done:end" },
	{ "an error holds the queue", 4, 50, "T u:a u:b F:AUTH G x:2 .",
		"+user:a started request queued:1 +error:AUTH held:1 done:error "
		"queued:0 +user:b started request +assistant:2 done:end" },
	{ "what is held does not hold up what is said next", 4, 50, "T u:a u:b C u:c x:1 . G x:2 .",
		"+user:a started request queued:1 abort held:1 done:cancelled "
		"+user:c started request +assistant:1 done:end "
		"queued:0 +user:b started request +assistant:2 done:end" },
	{ "what is taken back is held no more", 4, 50, "T u:a u:b C B u:c u:d x:1 . x:2 .",
		"+user:a started request queued:1 abort held:1 done:cancelled queued:0 "
		"+user:c started request queued:1 +assistant:1 done:end "
		"queued:0 +user:d started request +assistant:2 done:end" },
	{ "queued while tools end", 4, 50, "T u:a c0:A:x . u:b C u:c D:A G x:2 . x:3 .",
		"+user:a started request +call:A tool:A run: queued:1 cancel queued:2 +result:A held:2 "
		"done:cancelled queued:1 +user:b started request +assistant:2 done:end "
		"queued:0 +user:c started request +assistant:3 done:end" },
};

/* The same where somebody is asked at the fifth time running. */
static const struct row asking_rows[] = {
	{ "asked to go on, then asked by the rules", 4, 50,
		"T u:hi J:allow c0:A:ask c1:B:ask c2:D:ask c3:E:ask . d:A d:B d:D d:E c0:F:ask c1:G:y . "
		"J:ask T y:F y:F d:F d:G x:ok .",
		"+user:hi started request +call:A +call:B +call:D +call:E tool:A run: tool:B run: "
		"tool:D run: tool:E run: +result:A +result:B +result:D +result:E request +call:F +call:G "
		"asking:F asked:F asking:F tool:G run: asked:F tool:F run: +result:F +result:G request "
		"+assistant:ok done:end" },
	{ "the count begins anew when it goes on", 4, 50,
		"T u:hi c0:A:x c1:B:x c2:D:x c3:E:x c4:F:x . y:F d:A d:B d:D d:E d:F c0:G:x . d:G x:ok .",
		"+user:hi started request +call:A +call:B +call:D +call:E +call:F asking:F asked:F tool:A "
		"run: "
		"tool:B run: tool:D run: tool:E run: +result:A tool:F run: +result:B +result:D +result:E "
		"+result:F request +call:G tool:G run: +result:G request +assistant:ok done:end" },
	{ "stopped by the person", 4, 50, "T u:hi c0:A:x c1:B:x c2:D:x c3:E:x c4:F:x . n:F u:go x:ok .",
		"+user:hi started request +call:A +call:B +call:D +call:E +call:F asking:F "
		"+result:A +result:B +result:D +result:E asked:F +result:F +notice done:repeated "
		"+user:go started request +assistant:ok done:end" },
	{ "cancelled while asked to go on", 4, 50, "T u:hi c0:A:x c1:B:x c2:D:x c3:E:x c4:F:x . C",
		"+user:hi started request +call:A +call:B +call:D +call:E +call:F asking:F "
		"+result:A +result:B +result:D +result:E asked:F +result:F done:cancelled" },
};

/* Run the scripts of a table. */
static void check_rows(const struct row *table, size_t count, bool ask_repeated)
{
	for (size_t i = 0; i < count; i++) {
		struct driver *driver = driver_new(table[i].concurrency, table[i].max_tool_turns,
			ask_repeated);

		driver_script(driver, table[i].script);
		cr_expect_str_eq(driver->log.data, table[i].log, "%s:\n  got  %s\n  want %s", table[i].what,
			driver->log.data, table[i].log);
		driver_free(driver);
	}
}

Test(turn, does_not_pause_for_ever)
{
	struct driver *driver = driver_new(4, 50, false);
	int pauses = 0;

	driver_script(driver, "T u:hi");
	for (; pauses < 100 && !driver->turns_done; pauses++)
		driver_script(driver, "w:sun s:paused .");
	cr_assert_eq(pauses, 21);
	cr_assert(strstr(driver->log.data, "+notice done:end"), "%s", driver->log.data);
	driver_free(driver);
}

Test(turn, table)
{
	check_rows(rows, sizeof(rows) / sizeof(rows[0]), false);
	check_rows(asking_rows, sizeof(asking_rows) / sizeof(asking_rows[0]), true);
}

Test(turn, envelopes_of_what_was_not_run)
{
	struct driver *driver = driver_new(1, 1, false);

	driver_script(driver, "T u:hi c0:A:glob c1:B:grep . C D:A u:on c0:D:x . d:D c0:E:bash .");
	cr_assert(strstr(driver->calls[1].envelope, "\"TOOL_CANCELLED\""));
	cr_assert(strstr(driver->calls[1].envelope, "Tool 'grep' was cancelled"));
	cr_assert(strstr(driver->calls[2].envelope, "\"limit_reached\":true"));
	cr_assert(strstr(driver->calls[2].envelope,
		"Tool call limit reached (1). Stopping tool loop."));
	cr_assert(strstr(driver->calls[2].envelope, "\"result\":{}"));
	cr_assert(strstr(driver->calls[3].envelope, "\"TOOL_DENIED\""));
	driver_free(driver);
}

Test(turn, names_are_such_as_providers_take)
{
	static const char *const names[][2] = {
		{ "glob", "glob" },
		{ "", "unnamed" },
		{ "a.b/c", "a_b_c" },
		{ "ä", "__" },
		{ "2do", "_2do" },
		{ "-x", "_-x" },
		{ "a123456789012345678901234567890123456789012345678901234567890123456789",
			"a123456789012345678901234567890123456789012345678901234567890123" },
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct driver *driver = driver_new(4, 50, false);
		char word[128];

		driver_script(driver, "T u:hi");
		snprintf(word, sizeof(word), "c0:A:%s", names[i][0]);
		driver_word(driver, word);
		driver_script(driver, ". d:A x:ok .");
		cr_expect_str_eq(driver->calls[0].name, names[i][1]);
		driver_free(driver);
	}
}

Test(turn, ids_of_the_history_are_known)
{
	struct driver *driver = driver_new(4, 50, false);

	ik_turn_know_call(driver->turn, "A");
	ik_turn_know_call(driver->turn, "call_1");
	driver_script(driver, "T u:hi c0:A:x c1::y .");
	cr_assert_str_eq(driver->calls[0].id, "call_2");
	cr_assert_str_eq(driver->calls[1].id, "call_3");
	driver_free(driver);
}

/* A reply that never ends is ended. */
Test(turn, a_reply_has_a_ceiling)
{
	struct driver *driver = driver_new(4, 50, false);
	size_t length = IK_MIB(1), i;
	char *word = malloc(length + 3);

	memset(word, 'a', length + 2);
	memcpy(word, "x:", 2);
	word[length + 2] = '\0';
	driver_script(driver, "T u:hi");
	for (i = 0; i < IK_LIMIT_REPLY / length + 1; i++)
		driver_word(driver, word);
	cr_assert_eq(ik_turn_state(driver->turn), IK_TURN_IDLE);
	cr_assert(strstr(driver->log.data, "+error:BAD_RESPONSE done:error"));
	free(word);
	driver_free(driver);
}

Test(turn, more_calls_than_a_reply_has)
{
	struct driver *driver = driver_new(4, 50, false);
	char word[64];
	int i;

	driver_script(driver, "T u:hi");
	for (i = 0; i < 1100; i++) {
		snprintf(word, sizeof(word), "c%d:i%d:x", i, i);
		driver_word(driver, word);
	}
	cr_assert_eq(ik_turn_state(driver->turn), IK_TURN_IDLE);
	cr_assert_eq(driver->call_count, 1024);
	driver_free(driver);
}

/* ---- promises at every moment ---- */

static const char *const long_turn[] = {
	"u:first",
	"T",
	"R:CONNECT",
	"k:hm",
	"x:Let",
	"x:us",
	"c0:A:glob",
	"a0:{\"p\":",
	"c1:B:grep",
	"a1:{}",
	"a0:1}",
	"g:10:5",
	"s:calls",
	".",
	"u:second",
	"d:B",
	"D:A",
	"x:And",
	"c0::bash",
	"a0:{",
	"a0:}",
	"c1:A:glob",
	"c2:D:glob",
	"c3:E:glob",
	"s:calls",
	".",
	"d:E",
	"d:call_1",
	"d:D",
	"d:call_2",
	"c0:K:w",
	"c1:L:x",
	"c2:M:askw",
	"c3:N:y",
	"c4:O:w",
	"s:calls",
	".",
	"d:K",
	"d:L",
	"y:M",
	"d:M",
	"D:N",
	"d:O",
	"c0:F:ask",
	"c1:G:deny",
	"c2:H:ask",
	"c3:I:ask_too",
	"s:calls",
	".",
	"n:F",
	"J:allow",
	"y:I",
	"d:H",
	"d:I",
	"R:RATE_LIMIT",
	"x:Done",
	"g:20:9",
	"s:end",
	".",
	"k:hm",
	"w:sun",
	"s:paused",
	"x:two",
	"s:length",
	".",
	"u:third",
	"x:half",
	"F:CONNECT",
};
#define LONG_TURN (sizeof(long_turn) / sizeof(long_turn[0]))

/* After the first count words, cancel (once or twice), let the tools end, and
 * talk on: the driver watches that every promise holds. */
static void cancel_after(size_t count, int cancels, int concurrency)
{
	struct driver *driver = driver_new(concurrency, 50, false);
	size_t i, turns, length;

	for (i = 0; i < count; i++)
		driver_word(driver, long_turn[i]);
	for (i = 0; i < (size_t)cancels; i++)
		driver_word(driver, "C");
	driver_finish_runs(driver);
	/* What was queued stays where it is. */
	cr_assert_eq(ik_turn_state(driver->turn), IK_TURN_IDLE);
	while (ik_turn_queued_at(driver->turn, 0, &length))
		driver_word(driver, "B");
	cr_assert(!driver->in_turn && !driver->request_out);
	for (i = 0; i < driver->call_count; i++)
		cr_assert(driver->calls[i].resulted);
	turns = driver->turns_done;
	driver_script(driver, "T u:again c0:Z:x . d:Z x:fine s:end .");
	cr_assert_eq(driver->turns_done, turns + 1, "after %zu words", count);
	cr_assert_eq(driver->turns_done, driver->users);
	driver_free(driver);
}

Test(turn, cancel_after_every_input)
{
	size_t count;

	for (count = 0; count <= LONG_TURN; count++) {
		cancel_after(count, 1, 4);
		cancel_after(count, 2, 4);
		cancel_after(count, 1, 1);
	}
}

/* Any inputs in any order, late and stray ones too. */
Test(turn, keeps_its_promises_on_anything)
{
	static const char *const words[] = {
		"u:m",
		"T",
		"t",
		"H",
		"h",
		"x:a",
		"k:b",
		"c0:A:x",
		"c1::y",
		"c2:B:z",
		"a0:1",
		"a1:2",
		"g:1:2",
		"s:calls",
		"s:end",
		"s:length",
		".",
		"F:AUTH",
		"R:CONNECT",
		"C",
		"d:A",
		"d:call_1",
		"D:B",
		".",
		"x:a",
		"c0:A:x",
		"u:n",
		"T",
		"H",
		"c3:D:ask",
		"c4:E:ask",
		"c5:F:deny",
		"y:D",
		"n:D",
		"y:E",
		"n:E",
		"J:ask",
		"J:allow",
		"J:deny",
		"L",
		"O:on",
		"O:off",
		"x:=",
		"c6:G:w",
		"c7:H:askw",
		"c8:I:w",
		"d:G",
		"y:H",
		"d:H",
		"d:I",
	};
	uint32_t random = 2463534242u;
	int round, i;

	for (round = 0; round < 300; round++) {
		struct driver *driver = driver_new(1 + round % 3, 1 + round % 4, round % 2);

		for (i = 0; i < 200; i++) {
			const char *word;

			random ^= random << 13;
			random ^= random >> 17;
			random ^= random << 5;
			word = words[random % (sizeof(words) / sizeof(words[0]))];
			if (random % 5 == 0)
				driver_finish_runs(driver);
			driver_word(driver, word);
		}
		driver_free(driver);
	}
}
