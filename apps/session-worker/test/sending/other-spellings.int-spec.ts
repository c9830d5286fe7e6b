import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { LookUpContact, type OutboundContent, SetTyping } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { keyIdOf, LONG_MS, type Received, Stage } from '../support.js';

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

describe('a person that a message names', () => {
  const sent = async (contact: string, content: OutboundContent): Promise<Received> => {
    const id = keyIdOf(await stage.send(sessionId, contact, content));
    return waitFor(
      `${id} to arrive`,
      async () => (await stage.platform.inbox(contact)).find((one) => one.id === id),
      LONG_MS,
    );
  };
  const reader = '15550225990';

  test('on a contact card is the account of the number, which stays as it was typed', async () => {
    const { own, other } = await twoSpellings();
    const { message } = await sent(reader, {
      type: 'contact',
      contact: { displayName: 'Ana', phone: `+${other}` },
    });
    expect(JSON.stringify(message)).toContain(`waid=${own}:+${other}`);
  });

  test.each<Partial<OutboundContent>>([
    { type: 'text' },
    { type: 'edit', target: { keyId: '3EB0CC', fromMe: true } },
  ])('in a message %j is the account of the number, also where it is asked for again', async (kind) => {
    const { own, other } = await twoSpellings();
    const { own: plain } = await twoSpellings();
    const content = {
      ...{ ...kind, text: `Ask @${other}, @${plain} or @${other}1` },
      mentions: [other, plain].map(addressOf),
    } as OutboundContent;
    const { id, message, content: shown } = await sent(reader, content);
    expect(JSON.stringify(message)).toContain(`"mentionedJid":["${addressOf(own)}","${addressOf(plain)}"]`);
    expect(shown).toMatchObject({ text: `Ask @${own}, @${plain} or @${other}1` });
    // The account moves on: what was said stays as it was.
    await stage.platform.call('POST', '/contacts', { phone: own, aliases: [] });
    const attrs = { id, from: '15550225991@s.whatsapp.net', type: 'retry', t: '1760000000' };
    const retry = { tag: 'retry', attrs: { count: '1', id, t: '1760000000', v: '1' } };
    await stage.platform.call('POST', `/accounts/${phone}/stanzas`, {
      stanza: { tag: 'receipt', attrs, content: [retry] },
    });
    const again = await waitFor(
      'it again',
      async () => (await stage.platform.inbox('15550225991')).find((one) => one.id === id),
      LONG_MS,
    );
    expect(again.message).toEqual(message);
  });

  test('who is not on the platform is named as the send does', async () => {
    const nobody = String(++lastNumber);
    await stage.platform.call('POST', '/contacts', { phone: nobody, registered: false });
    const content: OutboundContent = { type: 'text', text: `@${nobody}`, mentions: [addressOf(nobody)] };
    expect((await sent(reader, content)).content).toMatchObject({ mentions: [nobody] });
  });
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
