import { STREAMS } from '@svc/contracts';
import type { Messaging } from './messaging.js';

/** A message that an app could not process, as it is kept under `dead.<app>`. */
export interface DeadLetter {
  subject: string;
  /** Body of the error. */
  reason: object;
  delivery: number;
  /** As it came: JSON, unless that is what was wrong with it. */
  message: string;
}

/**
 * Deletes dead letters of every app: a walk through the whole stream, for what is rare.
 * @param isDoomed is asked about each; `keptAt` is when the copy was made
 * @returns how many there were
 * @throws the error of the client where NATS is away; what was deleted stays so
 */
export async function eraseDeadLetters(
  { manager }: Messaging,
  isDoomed: (letter: DeadLetter, keptAt: Date) => boolean,
): Promise<number> {
  const { state } = await manager.streams.info(STREAMS.dead);
  let erased = 0;
  // A stream that never had a message begins with 0, which is no message.
  for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq += 1) {
    const copy = await manager.streams.getMessage(STREAMS.dead, { seq });
    if (!copy || !isDoomed(copy.json<DeadLetter>(), copy.time)) continue;
    if (await manager.streams.deleteMessage(STREAMS.dead, seq)) erased += 1;
  }
  return erased;
}
