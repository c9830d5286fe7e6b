import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { conversationIdOf } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { Stage } from './support.js';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.start();
});
afterAll(() => stage.stop());

test('a number is linked by QR, texts go out and come in, receipts arrive', async () => {
  const sessionId = await stage.link('15550100001');
  expect(stage.eventsOf('session.qr_generated', sessionId).length).toBeGreaterThan(0);
  await waitFor('session.connected', () => stage.eventsOf('session.connected', sessionId).length === 1);

  const jobId = await stage.send(sessionId, '15550200001', 'Hello Ada');
  const inbox = await waitFor('the text', async () => {
    const items = await stage.platform.inbox('15550200001');
    return items.length > 0 && items;
  });
  expect(inbox).toMatchObject([{ text: 'Hello Ada', duplicates: 0 }]);
  const delivered = await waitFor(
    'message.delivered',
    () => stage.eventsOf('message.delivered', sessionId)[0],
  );
  expect(delivered).toMatchObject({
    jobId,
    messageId: jobId,
    to: '15550200001@s.whatsapp.net',
    keyId: inbox[0]?.id,
  });
  await waitFor('message.sent', () => stage.eventsOf('message.sent', sessionId).length === 1);

  await stage.platform.call('POST', '/contacts/15550200001/read', { from: '15550100001' });
  await waitFor('message.read', () => stage.eventsOf('message.read', sessionId)[0]);

  await stage.platform.call('POST', '/contacts/15550200001/messages', {
    to: '15550100001',
    text: 'Hi there',
  });
  const received = await waitFor('message.received', () => stage.eventsOf('message.received', sessionId)[0]);
  expect(received).toMatchObject({
    remoteJid: '15550200001@s.whatsapp.net',
    phone: '+15550200001',
    body: { type: 'text', text: 'Hi there' },
    fromMe: false,
  });

  // Every event of the talk names its conversation, and the message as the API does.
  const contact = '15550200001@s.whatsapp.net';
  const conversationId = conversationIdOf({ tenantId: stage.tenantId, sessionId, contact });
  const chat = { conversationId, contact, chatId: contact, isGroup: false };
  for (const name of ['message.sent', 'message.delivered', 'message.read']) {
    const events = stage.eventsOf(name, sessionId);
    expect(events).toEqual([
      expect.objectContaining({ ...chat, id: jobId, fromMe: true, direction: 'OUTBOUND' }),
    ]);
  }
  const { messageId: id, receivedAt: createdAt } = received;
  expect(received).toMatchObject({ ...chat, id, createdAt, direction: 'INBOUND' });
});
