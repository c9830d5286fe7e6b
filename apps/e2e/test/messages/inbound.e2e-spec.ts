import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { Actor, inventPhone } from '../../src/stack/actor.js';
import type { Stack } from '../../src/stack/stack.js';
import { expectError, stackOfRun, withReceiver } from '../stage/stage.js';

let stack: Stack;
const receiver = withReceiver();
beforeAll(async () => void (stack = await stackOfRun()));

const LONG = 60_000;

/** Writes a message as a contact and returns the payload of its webhook. */
async function payloadOf(actor: Actor, contact: string, message: object): Promise<Record<string, unknown>> {
  const { id } = await stack.platform<{ id: string }>('POST', `/contacts/${contact}/messages`, message);
  const find = () =>
    receiver
      .get()
      .bodies('/hook')
      .find(({ payload }) => payload['keyId'] === id);
  return (await waitFor('message.received', find, LONG)).payload;
}

test('a picture of a contact arrives at the webhook, and its file can be read', async () => {
  const actor = await Actor.create(stack);
  await actor.listen(receiver.get());
  const file = randomBytes(100_000);
  const content = { type: 'image', caption: 'The receipt', media: { base64: file.toString('base64') } };
  const payload = await payloadOf(actor, inventPhone(), { to: actor.phone, content });
  expect(payload).toMatchObject({
    body: { type: 'image', caption: 'The receipt' },
    media: { status: 'STORED', size: file.length, sha256: createHash('sha256').update(file).digest('hex') },
  });

  const path = `/v1/messages/${String(payload['messageId'])}`;
  const view = await waitFor('the message', async () => {
    const { status, body } = await actor.api('GET', path);
    return status === 200 && body;
  });
  expect(view['media']).toEqual(payload['media']);
  const answer = await fetch(`${stack.file.gateway}${path}/media`, {
    headers: { authorization: `Bearer ${actor.tenant.apiKey}` },
  });
  expect(answer.headers.get('content-type')).toBe('image/jpeg');
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(file);
  const stranger = await Actor.create(stack);
  expectError(await stranger.api('GET', `${path}/media`), 403, 'FORBIDDEN');
});

test('a message of a group arrives at the webhook, and is answered in the group', async () => {
  const actor = await Actor.create(stack);
  await actor.listen(receiver.get());
  const author = inventPhone();
  const members = [author, actor.phone];
  const { jid } = await stack.platform<{ jid: string }>('POST', '/groups', {
    subject: 'Neighbours',
    members,
  });
  const payload = await payloadOf(actor, author, { group: jid, text: 'Who has a ladder?' });
  expect(payload).toMatchObject({ remoteJid: `${author}@s.whatsapp.net`, chatId: jid, isGroup: true });

  const body = { sessionId: actor.sessionId, to: payload['chatId'], text: 'We do' };
  expect((await actor.api('POST', '/v1/messages', body)).status).toBe(200);
  const inbox = () => stack.platform<{ items: object[] }>('GET', `/contacts/${author}/messages`);
  const items = await waitFor(
    'the answer',
    async () => (await inbox()).items.length > 0 && (await inbox()).items,
    LONG,
  );
  expect(items).toMatchObject([{ group: jid, text: 'We do' }]);
});
