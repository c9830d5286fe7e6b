import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  type FieldProblem,
  MessageReceived,
  type MessageReceivedV1,
  MessageSent,
  type MessageView,
} from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { expectError } from '../support/answers.js';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

const NUMBER = '+15550001111';
const CHAT = '15550001111@s.whatsapp.net';
const GROUP = '120363041234567890@g.us';
let sessionId: string;

beforeAll(() => {
  sessionId = gateway.fakes.addSession(tenant.tenantId).id;
});

const send = (content: object, to = NUMBER): Promise<Answer> =>
  gateway.call(tenant.apiKey, 'POST /v1/messages', { sessionId, to, ...content });
const view = async (id: unknown): Promise<MessageView> =>
  (await gateway.call(tenant.apiKey, `GET /v1/messages/${String(id)}`)).body as unknown as MessageView;
const contentOf = async (jobId: unknown): Promise<unknown> =>
  (await gateway.commandsOf(sessionId)).find(({ id }) => id === jobId)?.data.content;

/** Sends and waits until the platform has it. */
async function sent(content: object, to = NUMBER): Promise<{ id: string; keyId: string }> {
  const { body } = await send(content, to);
  const id = body['jobId'] as string;
  const keyId = `3EB0${randomUUID().slice(0, 8).toUpperCase()}`;
  const data = {
    ...{ sessionId, jobId: id, messageId: id, keyId, clientMessageId: null, to: body['to'] as string },
    timestamp: new Date().toISOString(),
  };
  await gateway.fakes.messaging.publishEvent(envelopeOf(MessageSent, { tenantId: tenant.tenantId }, data));
  await waitFor('the message to be sent', async () => (await view(id)).status === 'SENT');
  return { id, keyId };
}

async function received(
  body: MessageView['body'],
  more: Partial<MessageReceivedV1> = {},
): Promise<{ id: string; keyId: string }> {
  const id = randomUUID();
  const { keyId = `8F3A${id.slice(0, 8).toUpperCase()}` } = more;
  const data = {
    ...{ sessionId, messageId: id, remoteJid: CHAT, keyId, body, pushName: 'Ada', phone: NUMBER },
    ...{ timestamp: new Date().toISOString(), fromMe: false, ...more },
  };
  await gateway.fakes.messaging.publishEvent(
    envelopeOf(MessageReceived, { tenantId: tenant.tenantId }, data),
  );
  const status = more.fromMe ? 'SENT' : 'RECEIVED';
  await waitFor('the message to be kept', async () => (await view(id)).status === status);
  return { id, keyId };
}

const place = { latitude: 52.5, longitude: 13.4, name: 'Office' };
const poll = { name: 'Lunch?', options: ['yes', 'no'] };

describe('a message', () => {
  test.each([
    [{ location: place }, { type: 'location', location: place }, { type: 'location', ...place }],
    [
      { contact: { displayName: 'Ada', phone: '+49 151 12345678' } },
      { type: 'contact', contact: { displayName: 'Ada', phone: '+4915112345678' } },
      { type: 'contact', displayName: 'Ada', count: 1 },
    ],
    [{ poll }, { type: 'poll', poll }, { type: 'poll', ...poll }],
    [
      { text: 'Hello @4915112345678', mentions: ['+49 151 12345678'] },
      { type: 'text', text: 'Hello @4915112345678', mentions: ['4915112345678@s.whatsapp.net'] },
      { type: 'text', text: 'Hello @4915112345678' },
    ],
  ])('%j goes to the worker, and is read in the words of MessageBody', async (content, command, body) => {
    const answer = await send(content);
    expect(answer.status).toBe(200);
    expect(await contentOf(answer.body['jobId'])).toEqual(command);
    expect(await view(answer.body['jobId'])).toMatchObject({ status: 'QUEUED', body, relatesTo: null });
  });

  test('may go to a group, and its conversation is found by the address', async () => {
    const { body } = await send({ text: 'Hello all' }, GROUP);
    expect(body['to']).toBe(GROUP);
    const list = await gateway.call(tenant.apiKey, `GET /v1/messages?contact=${GROUP}`);
    expect(list.body['items']).toMatchObject([{ id: body['jobId'], contact: GROUP }]);
  });

  test('is the same job when its clientMessageId comes again, whatever it is', async () => {
    const first = await send({ poll, clientMessageId: 'poll-1' });
    const again = await send({ poll, clientMessageId: 'poll-1' });
    expect(again.body).toEqual({ ...first.body, repeated: true });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });
});

describe('a message about another one', () => {
  test('answers what a contact wrote, and quotes its first lines', async () => {
    const asked = await received({ type: 'text', text: `${'x'.repeat(999)}👍 and more` });
    const { body } = await send({ text: 'Yes', replyTo: asked.id });
    expect(await contentOf(body['jobId'])).toEqual({
      ...{ type: 'text', text: 'Yes' },
      quoted: { keyId: asked.keyId, fromMe: false, body: { type: 'text', text: 'x'.repeat(999) } },
    });
    expect(await view(body['jobId'])).toMatchObject({
      body: { type: 'text', text: 'Yes' },
      relatesTo: { relation: 'REPLY', messageId: asked.id },
    });
  });

  test('answers an own place on the map with another one', async () => {
    const own = await sent({ location: place });
    const { body } = await send({ location: place, replyTo: own.id.toUpperCase() });
    expect(await contentOf(body['jobId'])).toMatchObject({
      quoted: { keyId: own.keyId, fromMe: true, body: { type: 'location', ...place } },
    });
  });

  test.each(['👍', '❤️', '👩‍👩‍👧', '🇩🇪', '1️⃣', ''])('reacts with "%s"', async (emoji) => {
    const asked = await received({ type: 'text', text: 'Are you open?' });
    const { body } = await send({ reaction: { messageId: asked.id, emoji } });
    expect(await contentOf(body['jobId'])).toEqual({
      ...{ type: 'reaction', emoji },
      target: { keyId: asked.keyId, fromMe: false },
    });
    expect(await view(body['jobId'])).toMatchObject({
      body: { type: 'reaction', emoji, targetKeyId: asked.keyId },
      relatesTo: { relation: 'REACTION', messageId: asked.id },
    });
  });

  test('edits and deletes what was sent', async () => {
    const own = await sent({ text: 'frist' });
    const target = { keyId: own.keyId, fromMe: true };
    const edit = (await send({ edit: { messageId: own.id, text: 'first' } })).body['jobId'];
    expect(await contentOf(edit)).toEqual({ type: 'edit', text: 'first', target });
    expect(await view(edit)).toMatchObject({
      body: { type: 'text', text: 'first' },
      relatesTo: { relation: 'EDIT' },
    });
    const deletion = (await send({ delete: { messageId: own.id } })).body['jobId'];
    expect(await contentOf(deletion)).toEqual({ type: 'delete', target });
    expect(await view(deletion)).toMatchObject({ relatesTo: { relation: 'DELETE', messageId: own.id } });
  });
});

describe('a message that was changed', () => {
  const shownIn = async (path: string, id: string): Promise<MessageView | undefined> => {
    const { body } = await gateway.call(tenant.apiKey, path);
    return (body['items'] as MessageView[]).find((one) => one.id === id);
  };

  test('by a send says so once that has gone out, and keeps its own words beside it', async () => {
    const own = await sent({ text: 'frist' });
    await send({ edit: { messageId: own.id, text: 'queued' } });
    expect(await view(own.id)).toMatchObject({ edited: null, deletedAt: null });
    await sent({ edit: { messageId: own.id, text: 'furst' } });
    const edit = await sent({ edit: { messageId: own.id, text: 'first' } });
    const body = { type: 'text', text: 'first' };
    const edited = { messageId: edit.id, body, at: expect.stringMatching(/Z$/) };
    const shown = { body: { type: 'text', text: 'frist' }, edited };
    expect(await view(own.id)).toMatchObject({ ...shown, deletedAt: null });
    await sent({ delete: { messageId: own.id } });
    const changed = { ...shown, deletedAt: expect.stringMatching(/Z$/) };
    const { conversationId } = await view(own.id);
    expect(await view(own.id)).toMatchObject(changed);
    expect(await shownIn('/v1/messages?limit=200', own.id)).toMatchObject(changed);
    const conversation = `/v1/conversations/${conversationId}/messages?limit=200`;
    expect(await shownIn(conversation, own.id)).toMatchObject(changed);
  });

  test('by the contact who wrote it says so, also where the change came first, and nobody else changes it', async () => {
    const keyId = '8F3AEDITEDBYADA';
    const [ada, bob] = ['15550003331@s.whatsapp.net', '15550003332@s.whatsapp.net'];
    const inGroup = { chatId: GROUP, isGroup: true };
    const change = { kind: 'EDITED' as const, keyId };
    const edit = await received({ type: 'text', text: 'Tuesday' }, { ...inGroup, remoteJid: ada, change });
    const forged = { ...inGroup, remoteJid: bob, change: { kind: 'REVOKED' as const, keyId } };
    await received({ type: 'unsupported', original: 'protocolMessage' }, forged);
    const { id } = await received({ type: 'text', text: 'Tusday' }, { ...inGroup, remoteJid: ada, keyId });
    expect(await view(id)).toMatchObject({
      body: { text: 'Tusday' },
      edited: { messageId: edit.id, body: { text: 'Tuesday' } },
      deletedAt: null,
    });
  });

  test('on the phone says so', async () => {
    const own = await sent({ text: 'frist' });
    const change = { kind: 'REVOKED' as const, keyId: own.keyId };
    const onPhone = { fromMe: true, remoteJid: '15550001112@s.whatsapp.net', chatId: CHAT, change };
    await received({ type: 'unsupported', original: 'protocolMessage' }, onPhone);
    expect(await view(own.id)).toMatchObject({ edited: null, deletedAt: expect.stringMatching(/Z$/) });
    expect(problem(await send({ edit: { messageId: own.id, text: 'first' } }))?.rule).toBe(
      'edit.messageId must be the id of a message that was not deleted',
    );
  });

  test('is not edited or deleted any more, from the moment its deletion is queued', async () => {
    const own = await sent({ text: 'frist' });
    expect((await send({ delete: { messageId: own.id } })).status).toBe(200);
    for (const again of [{ edit: { messageId: own.id, text: 'first' } }, { delete: { messageId: own.id } }]) {
      const answer = await send(again);
      expectError(answer, 400, 'VALIDATION_FAILED');
      expect(problem(answer)?.rule).toMatch(/must be the id of a message that was not deleted/);
    }
  });
});

const problem = (answer: Answer): FieldProblem | undefined =>
  (answer.body['meta'] as { fields: FieldProblem[] }).fields[0];

describe('a message is refused', () => {
  test.each<[object, string, RegExp]>([
    [{}, 'text', /exactly one of text, media, location, contact, poll, reaction, edit, delete must be given/],
    [{ text: 'x', location: place }, 'location', /must not be given together with text/],
    [
      { poll, reaction: { messageId: randomUUID(), emoji: '👍' } },
      'reaction',
      /must not be given together with poll/,
    ],
    [
      { reaction: { messageId: randomUUID(), emoji: '👍' }, replyTo: randomUUID() },
      'replyTo',
      /together with reaction/,
    ],
    [{ location: place, mentions: [NUMBER] }, 'mentions', /together with location/],
    [{ text: 'x', mentions: ['nobody'] }, 'mentions', /must be a phone number/],
    [{ location: { latitude: 91, longitude: 0 } }, 'location.latitude', /must not be greater than 90/],
    [{ location: { latitude: 1 } }, 'location.longitude', /location.longitude is missing/],
    [{ location: { ...place, zoom: 3 } }, 'location.zoom', /location.zoom is not known here/],
    [{ location: 'here' }, 'location', /object/],
    [
      { contact: { displayName: 'Ada', phone: '12345' } },
      'contact.phone',
      /must be a phone number with its country code/,
    ],
    [{ contact: { displayName: 'Ada', phone: '123456789@lid' } }, 'contact.phone', /must be a phone number/],
    [{ poll: { name: 'x', options: ['one'] } }, 'poll.options', /must have 2 entries at least/],
    [{ poll: { name: 'x', options: ['a', 'a'] } }, 'poll.options', /must not have the same entry twice/],
    [
      { poll: { name: 'x', options: ['a', 'x'.repeat(101)] } },
      'poll.options',
      /each entry must have 1 to 100 characters/,
    ],
    [{ reaction: { messageId: randomUUID(), emoji: 'ok' } }, 'reaction.emoji', /one emoji, or empty/],
    [{ reaction: { messageId: randomUUID(), emoji: '👍👍' } }, 'reaction.emoji', /one emoji, or empty/],
    [{ reaction: { messageId: 'x', emoji: '👍' } }, 'reaction.messageId', /UUID/],
    [{ edit: { messageId: randomUUID(), text: '' } }, 'edit.text', /edit.text must not be empty/],
    [{ text: 'x', replyTo: randomUUID() }, 'replyTo', /must be the id of a message in this chat/],
    [{ delete: { messageId: randomUUID() } }, 'delete.messageId', /must be the id of a message in this chat/],
  ])('with %j: %s', async (content, field, rule) => {
    const before = (await gateway.commandsOf(sessionId)).length;
    const answer = await send(content);
    expectError(answer, 400, 'VALIDATION_FAILED');
    expect(problem(answer)).toMatchObject({ field, rule: expect.stringMatching(rule) });
    expect(await gateway.commandsOf(sessionId)).toHaveLength(before);
  });

  test('about one of another chat, of another session, of another tenant', async () => {
    const { id } = await received({ type: 'text', text: 'Hi' });
    const elsewhere = { text: 'x', replyTo: id };
    expectError(await send(elsewhere, '+15550002222'), 400, 'VALIDATION_FAILED');
    const other = gateway.fakes.addSession(tenant.tenantId).id;
    expectError(await send({ ...elsewhere, sessionId: other }), 400, 'VALIDATION_FAILED');
    const stranger = await gateway.createTenant();
    const theirs = gateway.fakes.addSession(stranger.tenantId).id;
    const body = { sessionId: theirs, to: NUMBER, ...elsewhere };
    expectError(await gateway.call(stranger.apiKey, 'POST /v1/messages', body), 400, 'VALIDATION_FAILED');
  });

  test('that edits or deletes what is not its own, not sent yet, no text, or a reaction', async () => {
    const theirs = await received({ type: 'text', text: 'Hi' });
    const own = await sent({ location: place });
    const { body: waiting } = await send({ text: 'not sent yet' });
    const reaction = await sent({ reaction: { messageId: theirs.id, emoji: '👍' } });
    const edit = (messageId: unknown) => send({ edit: { messageId, text: 'x' } });
    const rules = [
      [await edit(theirs.id), /a message that the session sent/],
      [await send({ delete: { messageId: theirs.id } }), /a message that the session sent/],
      [await edit(own.id), /a text/],
      [await edit(waiting['jobId']), /a message that was sent/],
      [await send({ text: 'x', replyTo: waiting['jobId'] }), /a message that was sent/],
      [await send({ text: 'x', replyTo: reaction.id }), /a message that shows in the chat by itself/],
    ] as const;
    for (const [answer, rule] of rules) {
      expectError(answer, 400, 'VALIDATION_FAILED');
      expect(problem(answer)?.rule).toMatch(rule);
    }
  });
});
