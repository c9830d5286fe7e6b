import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { LookUpContact, SetTyping } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { LONG_MS, Stage } from '../support.js';

const phone = '15550125000';
let stage: Stage;
let sessionId: string;
let lastNumber = 15550225000;

beforeAll(async () => {
  stage = await Stage.start();
  sessionId = await stage.link(phone);
});
afterAll(() => stage.stop());
afterEach(() => stage.platform.call('DELETE', `/accounts/${phone}/restrictions`));

const addressOf = (number: string): string => `${number}@s.whatsapp.net`;
const texts = async (contact: string): Promise<string[]> =>
  (await stage.platform.inbox(contact)).map(({ text }) => text);

/** A contact whose number people write in another way than the platform. */
async function twoSpellings(): Promise<{ own: string; other: string }> {
  const [own, other] = [String(++lastNumber), String(++lastNumber)];
  await stage.platform.call('POST', '/contacts', { phone: own, aliases: [other] });
  return { own, other };
}

test('a message to another spelling of a number reaches the account, and each event tells both addresses', async () => {
  const { own, other } = await twoSpellings();
  const jobId = await stage.send(sessionId, other, 'for the account');
  const named = { to: addressOf(own), requestedTo: addressOf(other) };
  expect(await stage.event('message.delivered', jobId)).toMatchObject(named);
  expect(await stage.event('message.sent', jobId)).toMatchObject(named);
  expect(await texts(own)).toEqual(['for the account']);
  expect(await texts(other)).toEqual([]);
});

test('a message to the number as the platform spells it tells that one alone', async () => {
  const { own } = await twoSpellings();
  const jobId = await stage.send(sessionId, own, 'as it is');
  const event = await stage.event('message.delivered', jobId);
  expect(event).toMatchObject({ to: addressOf(own) });
  expect(event).not.toHaveProperty('requestedTo');
});

test('a send that names both addresses goes where the platform says by now', async () => {
  const { own, other } = await twoSpellings();
  const former = addressOf('15550225999');
  await stage.platform.call('POST', '/contacts', { phone: '15550225999', registered: false });
  const jobId = await stage.send(sessionId, former, 'moved', undefined, undefined, {
    requestedTo: addressOf(other),
  });
  expect(await stage.event('message.delivered', jobId)).toMatchObject({
    ...{ to: addressOf(own), requestedTo: addressOf(other) },
  });
});

test('a contact sees that somebody writes, whichever spelling is named', async () => {
  const { own, other } = await twoSpellings();
  const request = { tenantId: stage.tenantId, sessionId, to: addressOf(other) };
  await stage.worker.rpc.request(SetTyping, { ...request, state: 'composing' });
  await waitFor('the contact to see it', async () => {
    const { items } = await stage.platform.call<{ items: object[] }>('GET', `/contacts/${own}/typing`);
    return items.length > 0;
  });
});

test('nobody sees that somebody writes to a number that is not on the platform, and that is no error', async () => {
  const nobody = String(++lastNumber);
  await stage.platform.call('POST', '/contacts', { phone: nobody, registered: false });
  const request = { tenantId: stage.tenantId, sessionId, to: addressOf(nobody) };
  expect(await stage.worker.rpc.request(SetTyping, { ...request, state: 'composing' })).toEqual({});
});

test('a look-up tells the own address of the account', async () => {
  const { own, other } = await twoSpellings();
  const request = { tenantId: stage.tenantId, sessionId, phone: other };
  expect(await stage.worker.rpc.request(LookUpContact, request)).toEqual({
    ...{ phone: `+${other}`, exists: true, address: addressOf(own) },
  });
});

test('a session that may begin no chats goes on with one, also under another spelling', async () => {
  const { own, other } = await twoSpellings();
  await stage.event('message.sent', await stage.send(sessionId, own, 'before'));
  await stage.platform.call('PUT', `/accounts/${phone}/restrictions`, {
    timelock: { until: '2100-01-01T00:00:00.000Z' },
  });
  await waitFor('the restriction', async () => (await stage.get(sessionId)).restriction, LONG_MS);
  await stage.event('message.sent', await stage.send(sessionId, other, 'again'));
  expect(await texts(own)).toEqual(['before', 'again']);
});
