import type { EventContract } from './contract.js';
import { LlmCalled } from './events/index.js';
import type { STREAMS } from './subjects.js';

/** An app that reads a stream, by durable consumers that are named after it. */
export interface StreamReader {
  app: string;
  stream: keyof Omit<typeof STREAMS, 'dead'>;
  /** The app has one durable per partition, `<app>-<partition>`. False: one for all, `<app>`. */
  partitioned: boolean;
  /** Only event of an app that consumes a single one: the others are not handed to it. */
  only?: EventContract;
  /** An installation may do without the app: nobody waits for it to read, where it never has. */
  isOptional?: true;
}

const everyEvent = { stream: 'events', partitioned: false } as const;

/** Lists who reads which stream; what a service may do on NATS follows from it, too. */
export const STREAM_READERS = {
  gateway: { app: 'api-gateway', ...everyEvent },
  limits: { app: 'limits', ...everyEvent },
  billing: { app: 'billing', ...everyEvent, only: LlmCalled },
  dispatcher: { app: 'webhook-dispatcher', stream: 'events', partitioned: true },
  assistant: { app: 'assistant', ...everyEvent, isOptional: true },
  worker: { app: 'session-worker', stream: 'commands', partitioned: true },
} as const satisfies Record<string, StreamReader>;
