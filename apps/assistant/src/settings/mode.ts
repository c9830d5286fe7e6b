import { createHash } from 'node:crypto';
import { ASSISTANT_MODES, type AssistantMode, type AssistantSettings } from '@svc/contracts';

/** Says which mode holds for a chat: that of its share of the contacts. */
export function modeFor(
  chat: string,
  { mode, contactsPercent, otherMode }: Pick<AssistantSettings, 'mode' | 'contactsPercent' | 'otherMode'>,
): AssistantMode {
  return isAmong(chat, contactsPercent) ? mode : weakerOf(mode, otherMode);
}

/** Returns the mode that goes less far. */
export function weakerOf(one: AssistantMode, other: AssistantMode): AssistantMode {
  return ASSISTANT_MODES.indexOf(one) < ASSISTANT_MODES.indexOf(other) ? one : other;
}

/** Says whether a contact is among so many per cent: always the same ones, and with more per cent those and further ones. */
function isAmong(chat: string, percent: number): boolean {
  return createHash('sha256').update(chat).digest().readUInt32BE() % 100 < percent;
}
