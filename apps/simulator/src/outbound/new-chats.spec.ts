import { beforeEach, describe, expect, test } from '@jest/globals';
import { phoneAddress } from '@svc/contracts';
import {
  aPopulation,
  aReceivedMessage,
  linkDevice,
  type RecordingConnection,
} from '../../test/support/people.js';
import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import { children, bytesOf } from '../wire/nodes.js';
import { NewChats } from './new-chats.js';

const ACCOUNT = '4915550009200';
const CONTACT = '4915550009201';

describe('an account with a cap of one new chat', () => {
  let population: Population;
  let account: Person;
  let connection: RecordingConnection;
  let newChats: NewChats;

  beforeEach(() => {
    population = aPopulation();
    account = population.ensure(ACCOUNT);
    connection = linkDevice(account).connection;
    account.restrictions.newChats = { quota: 1, used: 0, cycleEnd: null };
    newChats = new NewChats(population);
  });

  const refuses = (to: string | undefined) => newChats.refuses(account, to);

  test('begins one chat, which its devices are told, and no second one', () => {
    expect([refuses(phoneAddress(CONTACT)), refuses(phoneAddress('4915550009202'))]).toEqual([false, true]);
    expect(account.restrictions.newChats).toMatchObject({ used: 1 });
    const [update] = children(connection.sent[0]);
    expect(update?.attrs.op_name).toBe('MessageCappingInfoNotification');
    const { data } = JSON.parse(String(bytesOf(update))) as { data: Record<string, object> };
    expect(Object.values(data)).toEqual([
      expect.objectContaining({ total_quota: 1, used_quota: 1, capping_status: 'CAPPED' }),
    ]);
  });

  test.each<[string, (contact: Person) => void]>([
    ['it wrote to', (contact) => contact.addReceived(aReceivedMessage('A', ACCOUNT, phoneAddress(CONTACT)))],
    ['who wrote to it', () => account.addReceived(aReceivedMessage('A', CONTACT, phoneAddress(ACCOUNT)))],
    [
      'who wrote while it was offline',
      (contact) =>
        void contact.sent.set('A', {
          ...{ id: 'A', to: ACCOUNT, text: 'hi', status: 'QUEUED' as const },
          ...{ deliveries: 0, receipts: 0, sentAt: '2026-01-05T09:30:00.000Z' },
        }),
    ],
  ])('may go on with somebody %s, which is not counted', (_who, talk) => {
    talk(population.ensure(CONTACT));
    expect(refuses(phoneAddress(CONTACT))).toBe(false);
    expect(account.restrictions.newChats).toMatchObject({ used: 0 });
  });

  test('has no chat with somebody whom it met in a group only', () => {
    population.ensure(CONTACT).addReceived(aReceivedMessage('A', ACCOUNT, '120363000000000001@g.us'));
    expect(refuses(phoneAddress(CONTACT))).toBe(false);
    expect(account.restrictions.newChats).toMatchObject({ used: 1 });
  });

  test('begins no chat by writing to a group, to itself or to nobody', () => {
    for (const to of ['120363000000000001@g.us', phoneAddress(ACCOUNT), '1@lid', undefined]) {
      expect(refuses(to)).toBe(false);
    }
    expect(account.restrictions.newChats).toMatchObject({ used: 0 });
  });
});
