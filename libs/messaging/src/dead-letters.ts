import { STREAMS } from '@svc/contracts';
import type { Messaging } from './messaging.js';

/** A message that an app could not process, as it is stored under `dead.<app>`. */
export interface DeadLetter {
  subject: string;
  /** Body of the error. */
  reason: object;
  delivery: number;
  /** Message as it came: JSON, unless that is what was wrong with it. */
  message: string;
}

/** Test for a dead letter that is looked for; `storedAt` is when the copy was made. */
export type IsMeant = (letter: DeadLetter, storedAt: Date) => boolean;

/**
 * Deletes dead letters of every app.
 * @returns how many there were
 * @throws the error of the client where NATS is away; what was deleted stays so
 */
export async function eraseDeadLetters(messaging: Messaging, isMeant: IsMeant): Promise<number> {
  let erased = 0;
  for await (const { seq } of walk(messaging, isMeant))
    if (await messaging.manager.streams.deleteMessage(STREAMS.dead, seq)) erased += 1;
  return erased;
}

/**
 * Finds when the oldest matching dead letter was stored, of every app; null where there is none.
 * @throws the error of the client where NATS is away
 */
export async function findDeadLetter(messaging: Messaging, isMeant: IsMeant): Promise<Date | null> {
  for await (const { time } of walk(messaging, isMeant)) return time;
  return null;
}

/** Reads the whole stream, oldest first: only for what is rare. */
async function* walk({ manager }: Messaging, isMeant: IsMeant): AsyncGenerator<{ seq: number; time: Date }> {
  const { state } = await manager.streams.info(STREAMS.dead);
  // A stream that never had a message begins with 0, which is no message.
  for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq += 1) {
    const copy = await manager.streams.getMessage(STREAMS.dead, { seq });
    if (copy && isMeant(copy.json<DeadLetter>(), copy.time)) yield { seq, time: copy.time };
  }
}
