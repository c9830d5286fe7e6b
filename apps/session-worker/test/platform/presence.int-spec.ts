import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CreateSession, SetTyping, UpdateSession } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { LONG_MS, Stage } from '../support.js';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.start();
});
afterAll(() => stage.stop());

interface Account {
  wouldNotify: boolean;
  devices: { timesAvailable: number; queued: number }[];
}

const account = (phone: string): Promise<Account> => stage.platform.call('GET', `/accounts/${phone}`);
const notifies = (phone: string, would: boolean): Promise<unknown> =>
  waitFor(
    `the phone to ${would ? '' : 'not '}notify`,
    async () => (await account(phone)).wouldNotify === would,
    LONG_MS,
  );
const change = (sessionId: string, alwaysOnline: boolean): Promise<unknown> =>
  stage.worker.rpc.request(UpdateSession, { tenantId: stage.tenantId, sessionId, alwaysOnline }, LONG_MS);

/** Renames the number on its phone, and waits until the device has taken the change. */
async function rename(phone: string, name: string): Promise<void> {
  const body = {
    ...{ collection: 'critical_block', index: ['setting_pushName'] },
    value: { pushNameSetting: { name } },
  };
  await stage.platform.call('PUT', `/accounts/${phone}/settings`, body);
}

/** Contents of every kind, in the terms of the simulator; `targetKeyId` is filled in where a kind needs one. */
const KINDS: Record<string, unknown>[] = [
  { type: 'text', text: 'Hi' },
  { type: 'image', media: { size: 100 } },
  { type: 'video', media: { size: 100 } },
  { type: 'audio', media: { size: 100 } },
  { type: 'document', filename: 'offer.pdf', media: { size: 100 } },
  { type: 'sticker', media: { size: 100 } },
  { type: 'location', latitude: 1, longitude: 2 },
  { type: 'contact', contacts: [{ displayName: 'Ada', phone: '4915550003000' }] },
  { type: 'poll', name: 'Lunch?', options: ['yes', 'no'] },
  { type: 'reaction', emoji: '👍', targetKeyId: '' },
  { type: 'edit', text: 'Hello', targetKeyId: '' },
  { type: 'revoke', targetKeyId: '' },
];

const notification = (type: string, content: object[], id: string = randomUUID()): object => ({
  stanza: { tag: 'notification', attrs: { type, id, from: 's.whatsapp.net', t: '1790000000' }, content },
});

describe('the phone of the owner', () => {
  const phone = '15550118001';
  const contact = '15550218001';
  const call = <T>(method: string, path: string, body?: object): Promise<T> =>
    stage.platform.call<T>(method, path, body);
  const confirmed = (): Promise<unknown> =>
    waitFor(
      'everything to be confirmed',
      async () => (await account(phone)).devices.every(({ queued }) => queued === 0),
      LONG_MS,
    );

  /** Writes each kind from one side, the later ones about the first. */
  async function everyKind(path: string, address: object): Promise<void> {
    let first = '';
    for (const kind of KINDS) {
      const content = 'targetKeyId' in kind ? { ...kind, targetKeyId: first } : kind;
      const { id } = await call<{ id: string }>('POST', `${path}/messages`, { ...address, content });
      first ||= id;
    }
  }

  /** Votes and edits with seals, and calls that end in each way. */
  async function sealsAndCalls(): Promise<void> {
    const write = async (content: object): Promise<string> =>
      (await call<{ id: string }>('POST', `/contacts/${contact}/messages`, { to: phone, content })).id;
    const targetKeyId = await write({ type: 'poll', name: 'Lunch?', options: ['yes', 'no'] });
    await write({ type: 'vote', targetKeyId, choices: ['yes'], sealed: {} });
    await write({ type: 'edit', targetKeyId, text: 'Hello', sealed: {} });
    const path = `/contacts/${contact}/calls`;
    for (const how of ['terminate', 'timeout', 'accept', 'reject']) {
      const { id } = await call<{ id: string }>('POST', path, { to: phone, video: how === 'accept' });
      await call('POST', `${path}/${id}/end`, { how });
    }
  }

  test('goes on notifying while the platform plays all that it can', async () => {
    await call('POST', '/accounts', { phone, name: 'Shop' });
    const sessionId = await stage.link(phone);
    await everyKind(`/contacts/${contact}`, { to: phone });
    await everyKind(`/accounts/${phone}`, { to: contact });
    const members = [contact, phone];
    const { jid } = await call<{ jid: string }>('POST', '/groups', { subject: 'Us', members });
    await call('POST', `/contacts/${contact}/messages`, { group: jid, text: 'to all' });
    await sealsAndCalls();
    await call('POST', `/contacts/${contact}/messages`, {
      ...{ to: phone, text: 'twice', flaws: { undecryptable: 1, copies: 2 } },
    });
    await stage.event('message.delivered', await stage.send(sessionId, contact, 'out'));
    await call('POST', `/contacts/${contact}/read`, { from: phone });
    for (const state of ['composing', 'recording', 'paused'])
      await call('POST', `/contacts/${contact}/typing`, { to: phone, state });
    for (const available of [true, false]) await call('POST', `/contacts/${contact}/presence`, { available });
    await call('PUT', `/accounts/${phone}/restrictions`, {
      ...{ timelock: { until: null }, newChats: { quota: 10, used: 9 } },
    });
    await call('DELETE', `/accounts/${phone}/restrictions`);
    await call('PUT', `/accounts/${phone}/pre-keys`, { left: 0 });
    await waitFor(
      'new keys',
      async () =>
        (await call<{ left: number[] }>('GET', `/accounts/${phone}/pre-keys`)).left.every((left) => left > 0),
      LONG_MS,
    );
    await rename(phone, 'The Shop');
    for (const [index, value] of [
      [['contact', `${contact}@s.whatsapp.net`], { contactAction: { fullName: 'Ada' } }],
      [['archive', `${contact}@s.whatsapp.net`], { archiveChatAction: { archived: true } }],
      [['setting_unarchiveChats'], { unarchiveChatsSetting: { unarchiveChats: true } }],
    ] as const)
      await call('PUT', `/accounts/${phone}/settings`, { collection: 'regular_low', index, value });
    const setting = { tag: 'disappearing_mode', attrs: { duration: '86400', t: '1790000000' } };
    await call('POST', `/accounts/${phone}/stanzas`, notification('account_sync', [setting]));
    for (const timestamp of ['1790000001', '1790000002']) {
      const dirty = { tag: 'dirty', attrs: { type: 'account_sync', timestamp } };
      await call('POST', `/accounts/${phone}/stanzas`, { stanza: { tag: 'ib', content: [dirty] } });
    }
    const routing = { tag: 'edge_routing', content: [{ tag: 'routing_info', content: { base64: 'AAEC' } }] };
    await call('POST', `/accounts/${phone}/stanzas`, { stanza: { tag: 'ib', content: [routing] } });
    for (const disconnect of [{ mode: 'drop' }, { mode: 'stream-error', code: 515 }]) {
      await call('POST', `/accounts/${phone}/disconnect`, disconnect);
      await everyKind(`/contacts/${contact}`, { to: phone });
      await stage.reached(sessionId, 'CONNECTED');
      await confirmed();
      await stage.event('message.delivered', await stage.send(sessionId, contact, 'out again'));
    }
    expect(await account(phone)).toMatchObject({ wouldNotify: true, devices: [{ timesAvailable: 0 }] });
  });
});

describe('a session', () => {
  const typing = (sessionId: string, to: string, state: 'composing' | 'paused'): Promise<unknown> =>
    stage.worker.rpc.request(SetTyping, {
      ...{ tenantId: stage.tenantId, sessionId, state, to: `${to}@s.whatsapp.net` },
    });

  test('is online while it shows that it writes, until it has stopped for the last contact', async () => {
    const phone = '15550118002';
    const sessionId = await stage.link(phone);
    await notifies(phone, true);
    await typing(sessionId, '15550218002', 'composing');
    await notifies(phone, false);
    await typing(sessionId, '15550218003', 'composing');
    await typing(sessionId, '15550218002', 'paused');
    expect((await account(phone)).wouldNotify).toBe(false);
    await typing(sessionId, '15550218003', 'paused');
    await notifies(phone, true);
  });

  test('is not online for long where nobody says that it stopped writing', async () => {
    const phone = '15550118003';
    const sessionId = await stage.link(phone);
    await typing(sessionId, '15550218004', 'composing');
    await notifies(phone, false);
    await notifies(phone, true);
  });

  test('is online all the time where that is wished, also after a new connection, until it is not any more', async () => {
    const phone = '15550118004';
    const sessionId = randomUUID();
    const request = { tenantId: stage.tenantId, sessionId, name: 'test', alwaysOnline: true };
    await stage.worker.rpc.request(CreateSession, request, LONG_MS);
    await stage.scan(sessionId, phone);
    await notifies(phone, false);
    await typing(sessionId, '15550218005', 'composing');
    await typing(sessionId, '15550218005', 'paused');
    expect(await account(phone)).toMatchObject({ wouldNotify: false, devices: [{ timesAvailable: 1 }] });
    await stage.platform.call('POST', `/accounts/${phone}/disconnect`, { mode: 'drop' });
    await waitFor(
      'the device to be online again',
      async () => (await account(phone)).devices[0]?.timesAvailable === 2,
      LONG_MS,
    );
    await change(sessionId, false);
    await notifies(phone, true);
    await change(sessionId, true);
    await notifies(phone, false);
    expect(stage.eventsOf('session.disconnected', sessionId)).toHaveLength(1);
  });
});
