import { beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { Actor, inventPhone } from '../../src/stack/actor.js';
import type { Stack } from '../../src/stack/stack.js';
import { stackOfRun, withReceiver } from '../stage/stage.js';

let stack: Stack;
const receiver = withReceiver();
beforeAll(async () => void (stack = await stackOfRun()));

const LONG = 60_000;

interface Receipt {
  id: string;
  status: string;
  erased: Record<string, number>;
}

/** Writes a message as a contact and waits for its webhook. */
async function writes(contact: string, message: object): Promise<void> {
  const { id } = await stack.platform<{ id: string }>('POST', `/contacts/${contact}/messages`, message);
  const find = () =>
    receiver
      .get()
      .bodies('/hook')
      .find(({ payload }) => payload['keyId'] === id);
  await waitFor('message.received', find, LONG);
}

const listed = async (actor: Actor, path: string): Promise<string> =>
  JSON.stringify((await actor.api('GET', path)).body);

test('a person who is erased is gone from every list of the tenant, and may write again', async () => {
  const actor = await Actor.create(stack);
  await actor.listen(receiver.get());
  const [ada, ben] = [inventPhone(), inventPhone()];
  const picture = { type: 'image', media: { base64: 'R0lGODlhAQABAAAAACw=' } };
  await writes(ada, { to: actor.phone, text: 'secret' });
  await writes(ada, { to: actor.phone, content: picture });
  await writes(ben, { to: actor.phone, text: 'stays' });
  const { body } = await actor.send(ada, 'secret');
  await waitFor(
    'the message to be delivered',
    async () =>
      (await actor.api('GET', `/v1/messages/${String(body['jobId'])}`)).body['status'] === 'DELIVERED',
    LONG,
  );
  const lists = ['messages', 'conversations', 'events', 'messages?status=READ'].map((list) => `/v1/${list}`);
  expect(await listed(actor, '/v1/messages')).toContain(ada);

  const asked = await actor.api<Receipt>('DELETE', `/v1/contacts/${ada}`);
  expect(asked.status).toBe(202);
  const receipt = await waitFor(
    'the erasure',
    async () => {
      const { body: now } = await actor.api<Receipt>('GET', `/v1/erasures/${asked.body.id}`);
      return now.status === 'DONE' && now;
    },
    LONG,
  );
  expect(receipt.erased).toMatchObject({ messages: 3, conversations: 1, files: 1, sends: 1 });
  expect(receipt.erased['journal']).toBeGreaterThanOrEqual(2);
  // There are two events of the contact, and sent and delivered of the message to the contact, at least.
  expect(receipt.erased['events']).toBeGreaterThanOrEqual(4);
  for (const path of lists) expect(await listed(actor, path)).not.toContain(ada);
  expect(await listed(actor, '/v1/messages')).toContain(ben);
  expect(await listed(actor, '/v1/audit-log')).not.toContain(ada);

  await writes(ada, { to: actor.phone, text: 'here again' });
  await waitFor(
    'the contact',
    async () => (await actor.api('GET', `/v1/contacts/${ada}`)).status === 200,
    LONG,
  );
  expect((await actor.api('GET', `/v1/contacts/${ada}`)).body['received']).toEqual({ count: 1, more: false });
});
