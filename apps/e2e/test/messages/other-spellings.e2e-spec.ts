import { beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { Actor, inventPhone } from '../../src/stack/actor.js';
import type { Stack } from '../../src/stack/stack.js';
import { stackOfRun, untilDelivered, withReceiver } from '../stage/stage.js';

let stack: Stack;
const receiver = withReceiver();
beforeAll(async () => void (stack = await stackOfRun()));

const LONG = 60_000;

test('a message to another spelling of a number reaches its account, and both write in one conversation', async () => {
  const actor = await Actor.create(stack);
  await actor.listen(receiver.get());
  const [own, other] = [inventPhone(), inventPhone()];
  const [account, named] = [own, other].map((phone) => `${phone}@s.whatsapp.net`);
  await stack.platform('POST', '/contacts', { phone: own, aliases: [other] });

  const jobId = String((await actor.send(other, 'Are you there?')).body['jobId']);
  await untilDelivered(actor, jobId);
  expect((await actor.api('GET', `/v1/messages/${jobId}`)).body).toMatchObject({
    ...{ contact: account, requestedTo: named },
  });
  await stack.platform('POST', `/contacts/${own}/messages`, { to: actor.phone, text: 'I am' });
  const conversations = await waitFor(
    'the answer',
    async () => {
      const { body } = await actor.api<{ items: { lastMessage: { direction: string } }[] }>(
        'GET',
        '/v1/conversations',
      );
      return body.items[0]?.lastMessage.direction === 'INBOUND' && body.items;
    },
    LONG,
  );
  expect(conversations).toMatchObject([{ contact: account, lastMessage: { body: { text: 'I am' } } }]);

  const again = await actor.send(other, 'Fine');
  expect(again.body).toMatchObject({ to: account, requestedTo: named });
  const told = () =>
    receiver
      .get()
      .bodies('/hook')
      .filter(({ payload }) => payload['jobId'] === again.body['jobId']);
  const [event] = await waitFor('its events', () => told().length > 0 && told(), LONG);
  expect(event?.payload).toMatchObject({ to: account, requestedTo: named });
});
