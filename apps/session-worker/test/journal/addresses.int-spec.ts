import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { MessageReceivedV1 } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { LONG_MS, type Stage } from '../support.js';
import { WorkerProcess } from '../worker-process.js';

const phone = '15550119000';

let stage: Stage;
let sessionId: string;

beforeAll(async () => {
  ({ stage } = await WorkerProcess.stage());
  sessionId = await stage.link(phone);
});
afterAll(() => stage.stop());

const write = async (contact: string, body: object): Promise<string> => {
  const path = `/contacts/${contact}/messages`;
  return (await stage.platform.call<{ id: string }>('POST', path, { to: phone, ...body })).id;
};
const events = (keyId: string): MessageReceivedV1[] =>
  (stage.eventsOf('message.received', sessionId) as unknown as MessageReceivedV1[]).filter(
    (data) => data.keyId === keyId,
  );
const confirmed = async (): Promise<boolean> => {
  const account = await stage.platform.call<{ devices: { queued: number }[] }>('GET', `/accounts/${phone}`);
  return account.devices[0]?.queued === 0;
};

test.each([
  ['through a broadcast list', 'broadcast', '15550219001'],
  ['from a device that a provider keeps', 'hosted', '15550219002'],
  ['under the hidden address', 'lid', '15550219003'],
  ['under the number', 'pn', '15550219004'],
])(
  'what a contact writes %s is told once, as from the contact, in the chat with the contact',
  async (_how, addressing, contact) => {
    for (const text of ['first', 'second']) {
      const keyId = await write(contact, { text, addressing });
      const event = await waitFor('the message', () => events(keyId)[0], LONG_MS);
      const address = `${contact}@s.whatsapp.net`;
      expect(event).toMatchObject({
        ...{ remoteJid: address, chatId: address, phone: `+${contact}`, isGroup: false, fromMe: false },
        body: { type: 'text', text },
      });
      await waitFor('its receipt', confirmed, LONG_MS);
      expect(events(keyId)).toHaveLength(1);
    }
  },
);
