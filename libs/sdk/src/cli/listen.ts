import type { StreamOptions, SvcEvent } from '../event-stream.js';
import type { EventPayloads } from '../generated/events.js';
import { SAMPLE_PAYLOADS, UNNAMED_EVENTS } from '../generated/events.js';
import { forward, isFine, wordsOf } from './forward.js';
import { assertNoPositionals, clientOf, receiverOf, secretOf, UsageError, type Values } from './options.js';
import type { Screen } from './screen.js';

/** Runs `svc listen`: forwards the events of the tenant to a receiver, one after the other, until it is stopped. */
export async function listen(values: Values, positionals: string[], screen: Screen): Promise<boolean> {
  assertNoPositionals(positionals);
  const url = receiverOf(values);
  const { secret, isNew } = secretOf(values);
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const { signal } = stopping;
  const events = clientOf(values).events.stream({
    ...{ signal, after: values.after, sessionId: values.session, event: eventOf(values), ...heardOf(values) },
    onOpen: once(() => {
      const secretLine = isNew ? `\nWebhook secret of this run: ${secret}` : '';
      screen.result({ listening: true, forward: url, ...(isNew && { secret }) }, () => '');
      screen.note(`Forwarding events to ${url}; Ctrl-C stops.${secretLine}`);
    }),
    onReconnect: (error, waitMs) => {
      const words = error instanceof Error ? error.message : String(error);
      screen.note(`${words} Again in ${(waitMs / 1000).toFixed(1)} s.`);
    },
  });
  let cursor: string | undefined;
  for await (const event of events) {
    if (!isHeard(event, values)) {
      cursor = event.cursor;
      continue;
    }
    const result = await forward(deliveryOf(event), { url, secret, signal });
    // Stopped between two attempts, it is the first of the next run.
    if (signal.aborted && !isFine(result)) break;
    cursor = event.cursor;
    screen.result({ ...result, cursor }, () => wordsOf(result));
  }
  if (cursor) screen.note(`Go on from here with --after ${cursor}`);
  return true;
}

/** Says of the aspects of an event which are left out: without an option, those that a new endpoint does not hear. */
function heardOf(values: Values): Pick<StreamOptions, 'groups' | 'own' | 'changes'> {
  return {
    ...(values['no-groups'] ? { groups: false } : {}),
    ...(values.all || values.own ? {} : { own: false }),
    ...(values.all || values.changes ? {} : { changes: false }),
  };
}

/** Says whether an event is forwarded. Of those that have to be named an endpoint that names none gets nothing, either. */
function isHeard({ event }: SvcEvent, { all, event: named }: Values): boolean {
  return all === true || named !== undefined || UNNAMED_EVENTS.includes(event);
}

/** Writes an event as a delivery. It has none here: its id is as good, because it is the same whenever the event comes again. */
function deliveryOf({ id, event, payload }: SvcEvent): {
  event: string;
  deliveryId: string;
  payload: object;
} {
  return { event, deliveryId: id, payload };
}

function eventOf({ event }: Values): keyof EventPayloads | undefined {
  if (event === undefined || event in SAMPLE_PAYLOADS) return event as keyof EventPayloads | undefined;
  throw new UsageError(`--event ${event} is none of ${Object.keys(SAMPLE_PAYLOADS).join(', ')}.`);
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
}
