import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { child } from '../../src/wire/nodes.js';
import { until } from '../support/phone-client.js';
import { RawClient } from '../support/raw-client.js';
import { Stack } from '../support/stack.js';

const ACCOUNT = '4915550005000';
const CONTACT = '4915550005001';

let directory: string;
let stateFile: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'simulator-'));
  stateFile = join(directory, 'deeper', 'state.ndjson');
});
afterEach(() => rmSync(directory, { recursive: true }));

test('linked devices, conversations and what waits outlive a restart', async () => {
  const stack = await Stack.start({ stateFile });
  const client = await stack.linked(ACCOUNT);
  await client.sendText(CONTACT, 'before');
  await stack.receivedBy(CONTACT);
  await until(async () => (await stack.account(ACCOUNT)).devices[0]?.queued === 0, 'all to be confirmed');
  await client.stop();
  const id = await stack.write(CONTACT, ACCOUNT, 'while away');

  await stack.restart();
  expect(await stack.received(CONTACT)).toMatchObject([{ text: 'before', duplicates: 0 }]);
  expect(await stack.sentBy(CONTACT, id)).toMatchObject({ status: 'QUEUED' });

  // Sessions are saved as well: the contact goes on where it was instead of opening a new one.
  const later = await stack.write(CONTACT, ACCOUNT, 'after the restart');
  const raw = new RawClient();
  await raw.resume(stack.simulator.websocket, client.credentials);
  const stanza = await raw.waitFor(({ attrs }) => attrs.id === later, 'the message on the wire');
  expect(child(stanza, 'enc')?.attrs.type).toBe('msg');
  raw.stop();

  client.logs.length = 0;
  client.connect();
  await until(() => client.texts().some(({ text }) => text === 'while away'), 'the message');
  expect(await stack.becomes(CONTACT, id, 'DELIVERED')).toMatchObject({ receipts: 1 });
  await client.sendText(CONTACT, 'after');
  expect((await stack.receivedBy(CONTACT, 2)).map(({ text }) => text)).toEqual(['before', 'after']);
  expect(client.complaints()).toEqual([]);
  await stack.close();
});

test('a change is in the file without a shutdown, and only for the eyes of its owner', async () => {
  const stack = await Stack.start({ stateFile });
  await stack.post('/contacts', { phone: CONTACT, name: 'Ann' });
  await until(() => readIfThere(stateFile).includes('"name":"Ann"'), 'the name in the file');
  for (const path of [stateFile, dirname(stateFile)]) expect(statSync(path).mode & 0o077).toBe(0);
  await stack.post('/reset');
  await until(() => !readIfThere(stateFile).includes(CONTACT), 'the file to forget');
  await stack.close();
});

test('receipts that were due when the platform stopped are given after the restart', async () => {
  const stack = await Stack.start({ stateFile });
  const client = await stack.linked(ACCOUNT);
  await stack.put(`/contacts/${CONTACT}/behaviour`, { deliveredDelayMs: 60_000 });
  const id = await client.sendText(CONTACT, 'slow');
  await stack.receivedBy(CONTACT);
  await stack.put(`/contacts/${CONTACT}/behaviour`, { online: false, deliveredDelayMs: 0 });
  await client.stop();
  await stack.restart();
  await stack.put(`/contacts/${CONTACT}/behaviour`, { online: true });
  client.connect();
  await until(() => client.statusOf(id) === 3, 'the delivery receipt');
  await stack.close();
});

test('faults of an account outlive a restart, with what is left of a limited one', async () => {
  const stack = await Stack.start({ stateFile });
  const client = await stack.linked(ACCOUNT);
  await stack.put(`/accounts/${ACCOUNT}/faults`, { ackError: 500, count: 2, loginError: null });
  const id = await client.sendText(CONTACT, 'refused');
  await until(() => client.statusOf(id) === 0, 'the error');
  await client.stop();
  await stack.restart();
  const { body } = await stack.get(`/accounts/${ACCOUNT}/faults`);
  expect(body).toMatchObject({ ack: 'auto', ackError: 500, count: 1, silent: false });
  await stack.close();
});

test('a file of another seed is refused and left alone', async () => {
  await (await Stack.start({ stateFile, seed: 'one' })).close();
  const before = readFileSync(stateFile, 'utf8');
  await expect(Stack.start({ stateFile, seed: 'two' })).rejects.toThrow(/another seed/);
  expect(readFileSync(stateFile, 'utf8')).toBe(before);
});

test('an empty file counts as no file', async () => {
  const empty = join(directory, 'empty.ndjson');
  writeFileSync(empty, '');
  await (await Stack.start({ stateFile: empty })).close();
  expect(readFileSync(empty, 'utf8')).toContain('trustRoot');
});

const readIfThere = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};
