import type { SignalDataSet, SignalDataTypeMap, SignalKeyStore } from '@whiskeysockets/baileys';
import type { ChatTimer, InboundRecord } from '../../messages.js';

/** Type of the timers in the key store. They belong to the link as its keys do, and are written with the message that names them. */
const TIMERS = 'svc-chat-timer';

/** Reads the timer of a chat; undefined: nobody has named one. */
export async function timerOf(
  keys: Pick<SignalKeyStore, 'get'>,
  chat: string,
): Promise<ChatTimer | undefined> {
  const timers: Record<string, unknown> = await keys.get(TIMERS as keyof SignalDataTypeMap, [chat]);
  return timers[chat] as ChatTimer | undefined;
}

/**
 * Makes the change of the key store that a message brings; undefined: the timer of its chat that was set last is known. A message that
 * waited for long names the timer of its time, and a clock that is wrong none of the future.
 */
export async function timerChange(
  keys: Pick<SignalKeyStore, 'get'>,
  { chat, timer, sentAt }: Pick<InboundRecord, 'chat' | 'timer' | 'sentAt'>,
): Promise<SignalDataSet | undefined> {
  if (!timer) return undefined;
  const next = { ...timer, setAt: Math.floor(Math.min(timer.setAt || sentAt, sentAt)) };
  const known = await timerOf(keys, chat);
  if (known && known.setAt >= next.setAt) return undefined;
  return { [TIMERS]: { [chat]: next } } as SignalDataSet;
}
