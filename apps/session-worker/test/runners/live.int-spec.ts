import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { LookUpContact, MarkRead, SetTyping } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { LONG_MS, Stage } from '../support.js';

const PHONE = '15550111001';
const CONTACT = '15550211001';
let stage: Stage;
let session: { tenantId: string; sessionId: string };

beforeAll(async () => {
  stage = await Stage.start();
  session = { tenantId: stage.tenantId, sessionId: await stage.link(PHONE) };
});
afterAll(() => stage.stop());

interface Written {
  messageId: string;
  contact: string;
  keyId: string;
}

/** Writes a message as the contact and waits for its event. */
async function written(text: string, more: object = {}): Promise<Written> {
  await stage.platform.call('POST', `/contacts/${CONTACT}/messages`, { to: PHONE, ...more, text });
  const event = await waitFor(
    'message.received',
    () =>
      stage
        .eventsOf('message.received', session.sessionId)
        .find(({ body }) => (body as { text: string }).text === text),
    LONG_MS,
  );
  const { messageId, remoteJid, keyId } = event as Record<string, string>;
  return { messageId, contact: remoteJid, keyId } as Written;
}

test.each([['lid'], ['pn-only']])(
  'a contact sees that messages were read, written with addressing %s',
  async (addressing) => {
    const messages = [
      await written(`${addressing} 1`, { addressing }),
      await written(`${addressing} 2`, { addressing }),
    ];
    await stage.worker.rpc.request(MarkRead, { ...session, messages });
    await waitFor('the contact to see it', async () => {
      const { items } = await stage.platform.call<{ items: { id: string; status: string }[] }>(
        'GET',
        `/contacts/${CONTACT}/sent?to=${PHONE}`,
      );
      return messages.every(({ keyId }) => items.find(({ id }) => id === keyId)?.status === 'READ');
    });
  },
);

test('a member of a group sees that a message was read', async () => {
  const members = [CONTACT, PHONE];
  const { jid } = await stage.platform.call<{ jid: string }>('POST', '/groups', { subject: 'Us', members });
  const message = await written('to all', { to: undefined, group: jid });
  await stage.worker.rpc.request(MarkRead, { ...session, messages: [message] });
  await waitFor('the member to see it', async () => {
    const { items } = await stage.platform.call<{ items: { id: string; status: string }[] }>(
      'GET',
      `/contacts/${CONTACT}/sent`,
    );
    return items.find(({ id }) => id === message.keyId)?.status === 'READ';
  });
});

test('a message that the session did not receive is named, and nothing is marked', async () => {
  const { messageId, contact, keyId } = await written('unread');
  const unknown = randomUUID();
  const messages = [
    { messageId, contact, keyId },
    { messageId: unknown, contact, keyId: '3EB0UNKNOWN' },
  ];
  await expect(stage.worker.rpc.request(MarkRead, { ...session, messages })).rejects.toMatchObject({
    code: 'MESSAGE_NOT_FOUND',
    meta: { messageIds: [unknown] },
  });
});

test('a contact sees that somebody writes, records, and stops', async () => {
  for (const state of ['composing', 'recording', 'paused'] as const) {
    await stage.worker.rpc.request(SetTyping, { ...session, to: `${CONTACT}@s.whatsapp.net`, state });
    await waitFor(`the contact to see ${state}`, async () => {
      const { items } = await stage.platform.call<{ items: object[] }>('GET', `/contacts/${CONTACT}/typing`);
      return items.some((item) => JSON.stringify(item).includes(`"${state}"`));
    });
  }
});

test('a contact sees nothing of who answers in another mode of the session', async () => {
  const [silent, seen] = ['15550211003', '15550211004'];
  const show = (to: string, onlyInMode: 'MANAGED' | 'EXTERNAL') =>
    stage.worker.rpc.request(SetTyping, {
      ...{ ...session, to: `${to}@s.whatsapp.net`, state: 'composing', onlyInMode },
    });
  const shown = async (to: string) =>
    (await stage.platform.call<{ items: object[] }>('GET', `/contacts/${to}/typing`)).items.length;
  expect(await show(silent, 'EXTERNAL')).toEqual({});
  await show(seen, 'MANAGED');
  await waitFor('the contact to see it', async () => (await shown(seen)) === 1);
  expect(await shown(silent)).toBe(0);
});

test('the members of a group see that somebody writes there', async () => {
  const group = { subject: 'Neighbours', members: [CONTACT, PHONE] };
  const { jid } = await stage.platform.call<{ jid: string }>('POST', '/groups', group);
  await stage.worker.rpc.request(SetTyping, { ...session, to: jid, state: 'composing' });
  await waitFor('the member to see it', async () => {
    const { items } = await stage.platform.call<{ items: object[] }>('GET', `/contacts/${CONTACT}/typing`);
    return items.some((item) => JSON.stringify(item).includes(`"group":"${jid}"`));
  });
});

test('says which numbers the platform knows', async () => {
  const ask = (phone: string) => stage.worker.rpc.request(LookUpContact, { ...session, phone });
  expect(await ask(CONTACT)).toEqual({
    phone: `+${CONTACT}`,
    exists: true,
    address: `${CONTACT}@s.whatsapp.net`,
  });
  await stage.platform.call('POST', '/contacts', { phone: '15550211002', registered: false });
  expect(await ask('15550211002')).toEqual({ phone: '+15550211002', exists: false, address: null });
});

test('says so in bounded time when the platform does not answer', async () => {
  await stage.platform.call('PUT', `/accounts/${PHONE}/faults`, { unanswered: ['usync'] });
  try {
    const asked = stage.worker.rpc.request(LookUpContact, { ...session, phone: '15550211003' }, LONG_MS);
    await expect(asked).rejects.toMatchObject({ code: 'PLATFORM_UNAVAILABLE' });
  } finally {
    await stage.platform.call('DELETE', `/accounts/${PHONE}/faults`);
  }
});

test('a session that is not connected says so', async () => {
  const sessionId = await stage.create();
  const asked = stage.worker.rpc.request(LookUpContact, { ...session, sessionId, phone: CONTACT });
  await expect(asked).rejects.toMatchObject({ code: 'SESSION_NOT_CONNECTED' });
});

test('nobody else uses a session', async () => {
  const stranger = { ...session, tenantId: randomUUID() };
  for (const ask of [
    () => stage.worker.rpc.request(LookUpContact, { ...stranger, phone: CONTACT }),
    () =>
      stage.worker.rpc.request(SetTyping, { ...stranger, to: `${CONTACT}@s.whatsapp.net`, state: 'paused' }),
    () => stage.worker.rpc.request(MarkRead, { ...stranger, messages: [] }),
  ]) {
    await expect(ask()).rejects.toMatchObject({ code: 'FORBIDDEN' });
  }
});
