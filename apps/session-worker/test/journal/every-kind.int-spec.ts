import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { MessageReceivedV1 } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { ANSWERS, BODIES, ENVELOPES, ONCE, TEXTS, UNTOLD, WORDLESS } from '../every-kind.js';
import { LONG_MS, type Stage } from '../support.js';
import { WorkerProcess } from '../worker-process.js';

const phone = '15550148000';
const contact = '15550248000';

let stage: Stage;
let sessionId: string;

beforeAll(async () => {
  ({ stage } = await WorkerProcess.stage());
  sessionId = await stage.link(phone);
});
afterAll(() => stage.stop());

/** Messages that are told, each with the name of its kind. */
function all(): [name: string, message: object][] {
  const inside = { conversation: 'a' };
  return [
    ...Object.entries(TEXTS).map(([name, [content]]) => [name, { [name]: content }] as [string, object]),
    ...Object.entries(BODIES).map(([name, [content]]) => [name, { [name]: content }] as [string, object]),
    ...Object.entries({ ...ANSWERS, ...WORDLESS, ...UNTOLD }).map(
      ([name, content]) => [name, { [name]: content }] as [string, object],
    ),
    ...[...ENVELOPES, ...ONCE].map((name) => [name, { [name]: { message: inside } }] as [string, object]),
  ];
}

async function writes(message: object): Promise<string> {
  const body = { to: phone, message };
  return (await stage.platform.call<{ id: string }>('POST', `/contacts/${contact}/messages`, body)).id;
}

test('of all that a contact may write, only what has no words for people is told as unsupported', async () => {
  const names = new Map<string, string>();
  for (const [name, message] of all()) names.set(await writes(message), name);
  const last = await writes({ conversation: 'behind them' });
  const events = (): MessageReceivedV1[] =>
    stage.eventsOf('message.received', sessionId) as unknown as MessageReceivedV1[];
  await waitFor('the last message', () => events().some(({ keyId }) => keyId === last), LONG_MS);
  const told = events().flatMap((event) => {
    const name = names.get(event.keyId);
    return name === undefined ? [] : [{ name, type: event.body.type }];
  });
  const unsupported = told.filter(({ type }) => type === 'unsupported').map(({ name }) => name);
  expect(unsupported.toSorted()).toEqual(Object.keys(WORDLESS).toSorted());
  const untold = [...names.values()].filter((name) => told.every((one) => one.name !== name));
  expect(untold.toSorted()).toEqual(Object.keys(UNTOLD).toSorted());
});
