import type { AssistantMode, PublishedVersion } from '@svc/contracts';
import { partsOf, platformText } from '../answers/formatting.js';
import type { ModelAnswer } from '../answers/model.js';
import { HAND_OVER } from '../answers/prompt.js';
import type { Checked } from './checks.service.js';
import type { Answer } from './turn.js';

/** Split answers would cost a number with a small cap several messages of its day. */
const TIER_OF_SPLIT_ANSWERS = 2;

/** Makes the answer of a turn of what the model has said. Where it has said nothing, a person gets the conversation. A draft is one message. */
export function answerOf(
  { text: markdown, toolCalls }: ModelAnswer,
  { settings: { handoffText, splitAnswers, openingText, disclosureText }, version }: PublishedVersion,
  { tier, past }: Pick<Checked, 'tier' | 'past'>,
  mode: AssistantMode | null,
): Answer {
  const isHandedOver = toolCalls.some(({ name }) => name === HAND_OVER);
  const said = platformText(markdown);
  const handoff = isHandedOver ? 'MODEL_ASKED' : said === '' ? 'PROVIDER_FAILED' : null;
  // The texts before a first answer are no messages of their own: a small cap has few of them.
  const first = past.month === 0 ? [openingText, disclosureText] : [];
  const text = said === '' ? handoffText : [...first, said].filter((one) => one !== '').join('\n\n');
  return {
    parts:
      text === '' ? [] : partsOf(text, splitAnswers && mode !== 'draft' && tier >= TIER_OF_SPLIT_ANSWERS),
    ...{ version, handoff, detail: handoff === 'PROVIDER_FAILED' ? 'EMPTY_ANSWER' : null },
  };
}
