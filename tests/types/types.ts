// The types of the requests that tests/unit/provider/request_kinds_test.c writes as constants.
import type { Anthropic } from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import type * as GenAI from '@google/genai';

export type { Anthropic, OpenAI };

// A type of Google's SDK as it is in JSON: enums are their words, which its documents write in
// small letters, too.
type Plain<T> = unknown extends T ? T
	: T extends string ? `${T}` | Lowercase<`${T}`>
	: T extends number | boolean | null | undefined ? T
	: T extends (infer Item)[] ? Plain<Item>[]
	: { [Name in keyof T]: Plain<T[Name]> };

// The body of generateContent; the SDK takes its members in other places.
export interface Google {
	contents: Plain<GenAI.Content>[];
	tools?: Plain<GenAI.Tool>[];
	toolConfig?: Plain<GenAI.ToolConfig>;
	systemInstruction?: Plain<GenAI.Content>;
	generationConfig?: Plain<GenAI.GenerationConfig>;
}
