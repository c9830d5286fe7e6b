import type { AssistantMode, PublishedVersion } from '@svc/contracts';
import { partsOf, platformText } from '../answers/formatting.js';
import type { ModelAnswer, ToolCall } from '../answers/model.js';
import { HAND_OVER, tellsInstructions } from '../answers/prompt.js';
import type { Checked } from './checks.service.js';
import type { Answer } from './turn.js';

/** Split answers would cost a number with a small cap several messages of its day. */
const TIER_OF_SPLIT_ANSWERS = 2;

/** Makes the answer of a turn of what the model has said. Where it has said nothing, or what nobody may read, a person gets the conversation. A draft is one message. */
export function answerOf(
  { text: markdown, toolCalls }: ModelAnswer,
  { settings, version }: PublishedVersion,
  { tier, past }: Pick<Checked, 'tier' | 'past'>,
  mode: AssistantMode | null,
): Answer {
  const { handoffText, splitAnswers, openingText, disclosureText } = settings;
  const isLeak = tellsInstructions(markdown, settings);
  const said = isLeak ? '' : platformText(markdown);
  const ended = isLeak ? LEAK : endOf(said, toolCalls);
  // The texts before a first answer are no messages of their own: a small cap has few of them.
  const first = past.month === 0 ? [openingText, disclosureText] : [];
  const text = said === '' ? handoffText : [...first, said].filter((one) => one !== '').join('\n\n');
  return {
    parts:
      text === '' ? [] : partsOf(text, splitAnswers && mode !== 'draft' && tier >= TIER_OF_SPLIT_ANSWERS),
    version,
    ...ended,
  };
}

const LEAK = { handoff: 'PROVIDER_FAILED', detail: 'INSTRUCTIONS_TOLD' } as const;

/** Says who has the conversation after an answer, and why. */
function endOf(said: string, toolCalls: ToolCall[]): Pick<Answer, 'handoff' | 'detail'> {
  if (toolCalls.some(({ name }) => name === HAND_OVER)) return { handoff: 'MODEL_ASKED', detail: null };
  if (said === '') return { handoff: 'PROVIDER_FAILED', detail: 'EMPTY_ANSWER' };
  return { handoff: null, detail: null };
}
