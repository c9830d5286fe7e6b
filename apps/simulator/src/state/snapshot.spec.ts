import { expect, test } from '@jest/globals';
import { Authority } from '../noise/authority.js';
import { randomKeyPair } from '../noise/keys.js';
import { stanza } from '../wire/nodes.js';
import { Companion } from '../people/companion.js';
import { noFaults } from '../people/faults.js';
import { Population } from '../people/population.js';
import { joinQueues, readPerson, writePerson } from './snapshot.js';

const ACCOUNT = '4915550009000';
const CONTACT = '4915550009001';
const ALIAS = '4915550009002';

/** Makes an account with a device, and a contact whose message waits for that device. */
function populate(): Population {
  const population = new Population(new Authority('snapshot'));
  const account = population.ensure(ACCOUNT);
  account.isAccount = true;
  account.faults.ackError = 463;
  account.restrictions.timelock = { type: 'BIZ_QUALITY', until: null };
  account.collections.set('regular', { version: 2, patches: [Buffer.from([1, 2]), Buffer.from([3])] });
  account.pending.set(`${CONTACT}/A`, 2);
  const key = randomKeyPair().public;
  const companion = new Companion({
    device: account.nextDevice++,
    name: 'Mac OS',
    noiseKey: key,
    identity: key,
    registrationId: 7,
    signedPreKey: { id: 1, value: key, signature: Buffer.alloc(64, 9) },
    preKeys: [{ id: 2, value: key }],
    signedIdentity: Buffer.from('signed'),
    synced: true,
  });
  account.companions.set(1, companion);
  const contact = population.ensureContact(CONTACT);
  contact.behaviour.read = 'auto';
  population.setAliases(contact, [ALIAS]);
  contact.device.bundle();
  const sent = {
    ...{ id: 'B', to: ACCOUNT, text: 'hi', status: 'SENT' as const },
    ...{ deliveries: 1, receipts: 0, sentAt: '2026-01-05T09:30:00.000Z' },
  };
  contact.sent.set('B', sent);
  companion.queue.set('message/B', {
    key: 'message/B',
    node: stanza('message', { id: 'B' }, [stanza('enc', { v: 2 }, Buffer.from([0, 255]))]),
    attempts: 1,
    source: { phone: CONTACT, plaintext: Buffer.from('hi'), retries: 1 },
    sent,
  });
  return population;
}

const linesOf = (population: Population): string[] => [...population.all()].map(writePerson);

function restored(lines: string[]): Population {
  const population = new Population(new Authority('snapshot'));
  for (const line of lines) readPerson(line, population);
  joinQueues(population);
  return population;
}

test('everybody is the same again after writing and reading', () => {
  const lines = linesOf(populate());
  expect(linesOf(restored(lines))).toEqual(lines);
});

test('another spelling of a number is looked up as before', () => {
  const population = restored(linesOf(populate()));
  expect(population.lookUp(ALIAS)).toBe(population.get(CONTACT));
});

test('bytes are bytes again, also inside of what waits', () => {
  const companion = restored(linesOf(populate())).get(ACCOUNT)?.companions.get(1);
  const item = companion?.queue.get('message/B');
  expect(item?.node.content).toEqual([expect.objectContaining({ content: Buffer.from([0, 255]) })]);
  expect(item?.source?.plaintext).toEqual(Buffer.from('hi'));
  expect(companion?.signedPreKey.signature).toEqual(Buffer.alloc(64, 9));
});

test('what waits is the entry in the book of its author, so that a receipt shows there', () => {
  const population = restored(linesOf(populate()));
  const item = population.get(ACCOUNT)?.companions.get(1)?.queue.get('message/B');
  expect(item?.sent).toBeDefined();
  expect(item?.sent).toBe(population.get(CONTACT)?.sent.get('B'));
});

test('a person written before there were faults has none', () => {
  const [line = ''] = linesOf(populate());
  const saved = JSON.parse(line) as Record<string, unknown>;
  delete saved['faults'];
  expect(restored([JSON.stringify(saved)]).get(ACCOUNT)?.faults).toEqual(noFaults());
});
