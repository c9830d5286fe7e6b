import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { BinaryNode } from '@whiskeysockets/baileys';
import { type PhoneClient, until } from '../support/phone-client.js';
import { Stack } from '../support/stack.js';

const ACCOUNT = '4915550017000';
const CONTACT = '4915550017100';

interface Device {
  queued: number;
  timesAvailable: number;
}

let stack: Stack;
let client: PhoneClient;

beforeAll(async () => {
  stack = await Stack.start();
  client = await stack.linked(ACCOUNT);
  await nothingWaits();
});
afterEach(() => stack.call('DELETE', `/accounts/${ACCOUNT}/faults`));
afterAll(() => stack.close());

const device = async (): Promise<Device> =>
  (await stack.get<{ devices: [Device] }>(`/accounts/${ACCOUNT}`)).body.devices[0];
const nothingWaits = () => until(async () => (await device()).queued === 0, 'nothing to wait');
const never = (): Promise<void> => new Promise(() => undefined);
const write = async (body: object): Promise<string> =>
  (await stack.post<{ id: string }>(`/contacts/${CONTACT}/messages`, { to: ACCOUNT, text: 'words', ...body }))
    .body.id;
const reconnect = async (options: Record<string, unknown> = {}): Promise<void> => {
  await client.stop();
  client.connect(options);
  await client.opened();
};
type Handler = (...parameters: unknown[]) => Promise<void>;
/** Watches how the library gets on with an event of its WebSocket. */
function watched(event: string, watch: (done: Promise<void>) => void): void {
  const { ws } = client.socket as unknown as { ws: NodeJS.EventEmitter };
  const handlers = ws.listeners(event) as Handler[];
  ws.removeAllListeners(event);
  ws.on(event, (...parameters: unknown[]) => handlers.forEach((handle) => watch(handle(...parameters))));
}

test('the library confirms a message, whatever becomes of its event', async () => {
  let told = false;
  client.socket.ev.on('messages.upsert', () => ((told = true), never()));
  await write({});
  await until(() => told, 'the event');
  await nothingWaits();
});

test('the library acknowledges a receipt, whatever becomes of its event', async () => {
  let told = false;
  client.socket.ev.on('messages.update', () => ((told = true), never()));
  await client.sendText(CONTACT, 'words');
  await until(() => told, 'the event');
  await nothingWaits();
});

test('the library acknowledges a call, whatever becomes of its event', async () => {
  let told = false;
  client.socket.ev.on('call', () => ((told = true), never()));
  await stack.post(`/contacts/${CONTACT}/calls`, { to: ACCOUNT });
  await until(() => told, 'the event');
  await nothingWaits();
});

test('the library tells nobody of a message that it does not take apart, and refuses it', async () => {
  const id = await write({ sealedAttributes: { type: 'msmsg' } });
  await nothingWaits();
  const upserted = client.upserts.flatMap(({ messages }) => messages).map(({ key }) => key.id);
  expect(upserted).not.toContain(id);
});

test('the library puts what waited aside, and nobody hears when it is done', async () => {
  await client.stop();
  const id = await write({});
  client.connect();
  const unread: boolean[] = [];
  watched('CB:message', (done) => void done.then(() => unread.push(client.messageOf(id) === undefined)));
  await until(() => client.messageOf(id), 'the message');
  expect(unread[0]).toBe(true);
});

test('the library stays connected, and deaf, after a frame that cannot be read', async () => {
  await reconnect();
  const failures: unknown[] = [];
  watched('message', (done) => void done.catch((error: unknown) => failures.push(error)));
  await stack.post(`/accounts/${ACCOUNT}/frames`, { kind: 'undecryptable' });
  await until(() => failures.length > 0, 'the failure');
  expect(client.state.connection).toBe('open');
});

test('the library remembers for good that nobody told it the hosts of files', async () => {
  await reconnect({ defaultQueryTimeoutMs: 300 });
  await stack.put(`/accounts/${ACCOUNT}/faults`, { unanswered: ['w:m'] });
  await expect(client.socket.refreshMediaConn(false)).rejects.toThrow();
  await stack.call('DELETE', `/accounts/${ACCOUNT}/faults`);
  await expect(client.socket.refreshMediaConn(false)).rejects.toThrow();
});

test('the library takes no answer of the platform for an answer', async () => {
  await reconnect({ defaultQueryTimeoutMs: 300 });
  await stack.put(`/accounts/${ACCOUNT}/faults`, { unanswered: ['usync'] });
  await expect(client.socket.onWhatsApp('4915550017200')).resolves.toBeUndefined();
});

test('the library says that it is available at a change of its credentials that is not about its name', async () => {
  await reconnect({ markOnlineOnConnect: false });
  const { timesAvailable } = await device();
  client.socket.ev.emit('creds.update', { accountSyncCounter: client.credentials.creds.accountSyncCounter });
  await until(async () => (await device()).timesAvailable > timesAvailable, 'the presence');
});

test('the library waits for the farewell of a platform that does not answer, before it is at its end', async () => {
  await reconnect();
  await stack.put(`/accounts/${ACCOUNT}/faults`, { blackHole: true });
  let hasEnded = false;
  const ended = client.stop().then(() => (hasEnded = true));
  await stack.account(ACCOUNT);
  expect(hasEnded).toBe(false);
  await stack.call('DELETE', `/accounts/${ACCOUNT}/faults`);
  await ended;
});

test('the library does not know a notification that nobody handles, and acknowledges it all the same', async () => {
  await reconnect();
  const attrs = { type: 'surprise', id: 'unknown', from: 's.whatsapp.net', t: '1790000000' };
  const stanza: BinaryNode = { tag: 'notification', attrs, content: [] };
  await stack.post(`/accounts/${ACCOUNT}/stanzas`, { stanza, keep: true });
  await nothingWaits();
});
