import type { WebhookReceiver } from '@svc/testing';
import type { Actor } from '../stack/actor.js';
import { Load, type LoadFigures } from './load.js';

/** The figures of one kill. */
export interface KillFigures extends LoadFigures {
  /** Sends accepted when it came; null: it never came, because too few were. */
  killedAfter: number | null;
  /** The time from the kill until the receiver had the webhooks of one send and one inbound text that began after it. */
  recoveredMs: number | null;
}

/** Round of a kill whose effects can be counted now, and again later: a double may come late. */
export interface Round {
  count(): Promise<KillFigures>;
}

/** The plan of a kill: which process, and in the middle of how much load. */
export interface Kill {
  victim: string;
  messages: number;
  /** Number of sends that are accepted before it comes. */
  after: number;
  /** Longest time that a send may be refused before the load is given up, in ms. */
  patienceMs?: number;
}

/** `kill -9` while clients send and contacts write; returns when all has arrived, or when it is too late for that. */
export async function killDuringLoad(actor: Actor, receiver: WebhookReceiver, kill: Kill): Promise<Round> {
  const { victim: label, messages, patienceMs, after } = kill;
  let killedAt: number | undefined;
  const load = new Load([actor], receiver, {
    label,
    messages,
    ...(patienceMs === undefined ? {} : { patienceMs }),
    onAccepted: (count) => {
      if (count !== after) return;
      killedAt = Date.now();
      actor.stack.kill(label);
    },
  });
  await load.run();
  return {
    count: async () => ({
      killedAfter: killedAt === undefined ? null : after,
      recoveredMs: killedAt === undefined ? null : load.recoveredMs(killedAt),
      ...(await load.count()),
    }),
  };
}
