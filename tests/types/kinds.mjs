// Write all kinds of what a reply may consist of, by the providers' own types, each with an example:
//
//     mkdir /tmp/types && cd /tmp/types
//     npm install --ignore-scripts typescript@5 openai @anthropic-ai/sdk @google/genai
//     node .../tests/types/kinds.mjs . >.../tests/fixtures/reply_kinds.json
//
// tests/unit/provider/reply_kinds_test.c says what the decoders make of each. An example has the
// required members (all members in Google's format and the chat format, whose types require few),
// and of a union the first.
import { createRequire } from 'node:module';
import { writeFileSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const place = resolve(process.argv[2] ?? '.');
const require = createRequire(place + '/');
const ts = require('typescript');
const DEEPEST = 7;

// The types to list, under the names that the test uses.
const source = `
import type { Anthropic } from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import type * as G from '@google/genai';
export type All = {
	'anthropic event': Anthropic.RawMessageStreamEvent;
	'anthropic block': Anthropic.RawContentBlockStartEvent['content_block'];
	'anthropic delta': Anthropic.RawContentBlockDelta;
	'anthropic citation': Anthropic.TextCitation;
	'anthropic stop': Anthropic.StopReason;
	'openai-responses event': OpenAI.Responses.ResponseStreamEvent;
	'openai-responses item': OpenAI.Responses.ResponseOutputItem;
	'openai-responses content': OpenAI.Responses.ResponseOutputMessage['content'][number];
	'openai-responses annotation': OpenAI.Responses.ResponseOutputText['annotations'][number];
	'openai-responses action': OpenAI.Responses.ResponseFunctionWebSearch['action'];
	'openai-responses status': OpenAI.Responses.ResponseStatus;
	'openai-chat delta': OpenAI.Chat.ChatCompletionChunk.Choice.Delta;
	'openai-chat message': OpenAI.Chat.ChatCompletionMessage;
	'openai-chat stop': NonNullable<OpenAI.Chat.ChatCompletionChunk.Choice['finish_reason']>;
	'google part': G.Part;
	'google candidate': G.Candidate;
	'google chunk': Omit<G.GenerateContentResponse, 'sdkHttpResponse' | 'text' | 'data' |
		'functionCalls' | 'executableCode' | 'codeExecutionResult'>;
	'google stop': G.FinishReason;
	'google blocked': G.BlockedReason;
};`;

const file = place + '/kinds.ts';
writeFileSync(file, source);
const program = ts.createProgram([file], { strict: true, skipLibCheck: true, types: [],
	target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext });
const checker = program.getTypeChecker();
const errors = ts.getPreEmitDiagnostics(program);
if (errors.length)
	throw new Error(ts.formatDiagnostics(errors, { getCanonicalFileName: (name) => name,
		getCurrentDirectory: () => place, getNewLine: () => '\n' }));

const none = ts.TypeFlags.Null | ts.TypeFlags.Undefined | ts.TypeFlags.Void;
const members = (type) => (type.isUnion() ? type.types : [type]).filter((t) => !(t.flags & none));
const memberOf = (type, name) => {
	const symbol = checker.getPropertyOfType(type, name);
	return symbol && checker.getTypeOfSymbol(symbol);
};

function example(type, whole, depth = 0, name = '') {
	const one = members(type)[0];
	if (!one)
		return null;
	if (one.flags & ts.TypeFlags.BooleanLike)
		return true;
	if (one.isLiteral())
		return one.value;
	if (one.flags & ts.TypeFlags.StringLike)
		return /^ur[il]$/.test(name) ? 'https://x.example/' : 'x';
	if (one.flags & ts.TypeFlags.NumberLike)
		return 1;
	if (checker.isArrayType(one))
		return depth > DEEPEST ? [] : [example(checker.getTypeArguments(one)[0], whole, depth + 1)];
	if (!(one.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) || depth > DEEPEST)
		return {};
	return Object.fromEntries(checker.getPropertiesOfType(one)
		.filter((symbol) => !(symbol.flags & ts.SymbolFlags.Method) &&
			(whole && depth < 4 || !(symbol.flags & ts.SymbolFlags.Optional)))
		.map((symbol) => [symbol.name, example(checker.getTypeOfSymbol(symbol), whole, depth + 1, symbol.name)]));
}

const rows = [];
function add(union, kind, value) {
	if (!rows.some((row) => row.union === union && row.kind === kind))
		rows.push({ union, kind, value });
}

const all = checker.getDeclaredTypeOfSymbol(checker.getSymbolAtLocation(
	program.getSourceFile(file)).exports.get('All'));
for (const symbol of checker.getPropertiesOfType(all)) {
	const type = checker.getTypeOfSymbol(symbol);
	for (const one of members(type)) {
		const tag = one.isLiteral() ? one : memberOf(one, 'type');
		const whole = /^(google|openai-chat)/.test(symbol.name);
		if (tag && !/ (delta|message|part|candidate|chunk)$/.test(symbol.name.replace(/^anth.*/, '')))
			for (const word of members(tag))
				add(symbol.name, word.value, one.isLiteral() ? word.value
					: { ...example(one), type: word.value });
		else
			for (const member of checker.getPropertiesOfType(one))
				add(symbol.name, member.name, { [member.name]:
					example(checker.getTypeOfSymbol(member), whole) });
	}
}

const version = (name) => JSON.parse(readFileSync(`${place}/node_modules/${name}/package.json`)).version;
const line = (row) => JSON.stringify(row);
console.log('{"made": ' + JSON.stringify(Object.fromEntries(
	['openai', '@anthropic-ai/sdk', '@google/genai'].map((name) => [name, version(name)]))) +
	',\n"kinds": [\n' + rows.map(line).join(',\n') + '\n]}');
