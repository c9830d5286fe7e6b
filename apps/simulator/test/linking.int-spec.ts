import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { PhoneClient, until } from './phone-client.js';
import { Authority } from '../src/noise/authority.js';
import { Platform } from '../src/platform.js';
import { Endpoint } from '../src/wire/endpoint.js';

let platform: Platform;
let endpoint: Endpoint;
let url: string;
beforeEach(async () => {
  const authority = new Authority('test');
  platform = new Platform(authority, (...args) => process.stderr.write(JSON.stringify(args) + '\n'));
  endpoint = new Endpoint(authority, platform);
  url = await endpoint.listen('127.0.0.1', 0);
});
afterEach(() => endpoint.close());

test('vertical slice', async () => {
  const client = new PhoneClient(url, platform.authority.trustRoot).connect();
  const qr = await until(() => client.qr, 'qr');
  const person = platform.population.ensure('4915550001');
  person.name = 'Ann';
  await platform.pairing.scan(person, qr);
  expect(await client.closed()).toBe(515);
  client.connect();
  await client.opened();
  const id = await client.sendText('4915550002', 'hello');
  const contact = await until(() => platform.population.get('4915550002'), 'contact');
  await until(() => contact.received.length, 'message');
  expect(contact.received[0]).toMatchObject({ id, text: 'hello', duplicates: 0 });
  await until(() => client.statusOf(id) === 3, 'delivered');
  const { proto } = await import('@whiskeysockets/baileys');
  const sent = await platform.inbound.send(contact, person, proto.Message.fromObject({ conversation: 'hi' }));
  await until(() => client.texts().length, 'text in');
  expect(client.texts()[0]).toMatchObject({ text: 'hi', type: 'notify', id: sent.id });
  await until(() => sent.status === 'DELIVERED', 'delivered');
  process.stderr.write(JSON.stringify(client.complaints(), null, 1));
  process.stderr.write(JSON.stringify(client.credentials.creds.me));
  await client.stop();
});
