import { randomUUID } from 'node:crypto';
import { SAMPLE_PAYLOADS } from '../generated/events.js';
import { forward, isFine, wordsOf } from './forward.js';
import { receiverOf, secretOf, UsageError, type Values } from './options.js';
import type { Screen } from './screen.js';

/** Runs `svc trigger`: posts a sample of an event to a receiver; no gateway is asked. */
export async function trigger(values: Values, [event, ...more]: string[], screen: Screen): Promise<boolean> {
  const names = Object.keys(SAMPLE_PAYLOADS);
  if (event === undefined || more.length > 0 || !names.includes(event)) {
    throw new UsageError(`Name one of the events: ${names.join(', ')}.`);
  }
  const url = receiverOf(values);
  const { secret, isNew } = secretOf(values);
  screen.note(`Posting ${event} to ${url}${isNew ? `, signed with ${secret}` : ''}`);
  const payload = SAMPLE_PAYLOADS[event as keyof typeof SAMPLE_PAYLOADS];
  const result = await forward({ event, deliveryId: randomUUID(), payload }, { url, secret });
  screen.result({ ...result, forward: url, ...(isNew && { secret }) }, () => wordsOf(result));
  return isFine(result);
}
