import { beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { Actor, inventPhone } from '../../src/stack/actor.js';
import type { Stack } from '../../src/stack/stack.js';
import { stackOfRun } from '../stage/stage.js';

let stack: Stack;
let actor: Actor;
beforeAll(async () => {
  stack = await stackOfRun();
  actor = await Actor.create(stack);
});

interface StreamEvent {
  id: string;
  event: string;
  payload: { body?: { text?: string } };
}

/** Follows the events of the actor until `leave` is called; `events` has those that came. */
async function follow(
  query: string,
): Promise<{ events: StreamEvent[]; ended: () => boolean; leave: () => void }> {
  const leaving = new AbortController();
  const events: StreamEvent[] = [];
  let ended = false;
  const answer = await fetch(`${stack.file.gateway}/v1/events/stream${query}`, {
    headers: { authorization: `Bearer ${actor.tenant.apiKey}` },
    signal: leaving.signal,
  });
  expect(answer.status).toBe(200);
  const read = async (): Promise<void> => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
      const lines = (text + decoder.decode(chunk, { stream: true })).split('\n');
      text = lines.pop() ?? '';
      const data = lines.filter((line) => line.startsWith('data: '));
      events.push(...data.map((line) => JSON.parse(line.slice(6)) as StreamEvent));
    }
  };
  void read()
    .catch(() => undefined)
    .finally(() => (ended = true));
  return { events, ended: () => ended, leave: () => leaving.abort() };
}

const textsOf = (events: StreamEvent[]): string[] =>
  events.flatMap(({ payload }) => payload.body?.text ?? []);

test('a stream goes on over a death of the dispatcher: nothing is missing, nothing comes twice', async () => {
  const contact = inventPhone();
  const stream = await follow(`?event=message.received&sessionId=${actor.sessionId}`);
  const other = await follow('?event=message.failed');
  const texts = Array.from({ length: 12 }, (_, n) => `live ${n}`);
  for (const [n, text] of texts.entries()) {
    if (n === 4) stack.kill('webhook-dispatcher');
    await actor.write(contact, text);
    if (n === 3) await waitFor('the first texts', () => stream.events.length >= 4);
  }
  await waitFor('all texts', () => stream.events.length >= texts.length, 120_000);
  expect(textsOf(stream.events).sort()).toEqual([...texts].sort());
  expect(new Set(stream.events.map(({ id }) => id)).size).toBe(texts.length);
  const { body } = await actor.api<{ items: StreamEvent[] }>(
    'GET',
    '/v1/events?limit=200&event=message.received',
  );
  expect(stream.events.map(({ id }) => id)).toEqual(body.items.map(({ id }) => id));
  expect([stream.ended(), other.ended(), other.events]).toEqual([false, false, []]);
  stream.leave();
  other.leave();
});
