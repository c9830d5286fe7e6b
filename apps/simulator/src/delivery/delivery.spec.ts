import { beforeEach, describe, expect, test } from '@jest/globals';
import { aPopulation, linkDevice, type RecordingConnection } from '../../test/support/people.js';
import type { Companion } from '../people/companion.js';
import type { SentMessage } from '../people/messages.js';
import type { Person } from '../people/person.js';
import { bytesOf, child, stanza } from '../wire/nodes.js';
import { Delivery, messageKey, receiptKey } from './delivery.js';

const SEALED = Buffer.alloc(32, 7);
const aSent = (id: string): SentMessage => ({
  ...{ id, to: '4915550009300', text: 'hi', status: 'QUEUED' },
  ...{ deliveries: 0, receipts: 0, sentAt: '2026-01-05T09:30:00.000Z' },
});

describe('the queue of a device', () => {
  const population = aPopulation();
  const delivery = new Delivery(population);
  let account: Person;
  let companion: Companion;
  let connection: RecordingConnection;
  let number = 4915550009300;

  beforeEach(() => {
    account = population.ensure(String(number++));
    ({ companion, connection } = linkDevice(account));
  });

  const enqueue = (id: string, flaws?: { undecryptable: number; copies: number }): SentMessage => {
    const sent = aSent(id);
    const node = stanza('message', { id }, [stanza('enc', { v: 2 }, SEALED)]);
    delivery.enqueue(account, companion, { key: messageKey(id), node, sent, flaws });
    return sent;
  };
  const ids = () => connection.sent.filter(({ tag }) => tag === 'message').map(({ attrs }) => attrs.id);
  const isWhole = (at: number) => bytesOf(child(connection.sent[at], 'enc'))?.equals(SEALED);

  test('an active device gets a message, and gets it again after a login until it confirms it', () => {
    const sent = enqueue('A');
    expect([ids(), sent.status, sent.deliveries]).toEqual([['A'], 'SENT', 1]);
    delivery.sendBacklog(account, companion);
    expect(connection.sent.map(({ attrs }) => attrs.offline)).toEqual([undefined, '1', undefined]);
    expect(delivery.confirm(account, companion, messageKey('A'))?.sent).toBe(sent);
    delivery.sendBacklog(account, companion);
    expect([ids(), sent.deliveries]).toEqual([['A', 'A'], 2]);
  });

  test('the backlog ends with the number of what waited', () => {
    companion.active = false;
    const sent = [enqueue('A'), enqueue('B')];
    expect(sent.map(({ status }) => status)).toEqual(['QUEUED', 'QUEUED']);
    delivery.sendBacklog(account, companion);
    expect(child(connection.sent.at(-1), 'offline')?.attrs.count).toBe('2');
    expect(ids()).toEqual(['A', 'B']);
  });

  test('what came up in a silence is sent after it, and nothing else', () => {
    enqueue('heard');
    connection.open = false;
    enqueue('unheard');
    connection.open = true;
    delivery.sendUnsent(account);
    expect(ids()).toEqual(['heard', 'unheard']);
  });

  test('a message with two flaws is broken twice on the wire and whole the third time', () => {
    enqueue('A', { undecryptable: 2, copies: 1 });
    delivery.sendBacklog(account, companion);
    delivery.sendBacklog(account, companion);
    const messages = connection.sent.map((node, at) => (node.tag === 'message' ? [isWhole(at)] : [])).flat();
    expect(messages).toEqual([false, false, true]);
  });

  test('a status that was refused comes alone at the next login, and what it holds back after its confirmation', () => {
    enqueue('before');
    enqueue('status');
    enqueue('behind');
    delivery.holdBack(account, companion, messageKey('status'));
    connection.sent.length = 0;
    delivery.sendBacklog(account, companion);
    expect(ids()).toEqual(['status']);
    delivery.confirm(account, companion, messageKey('status'));
    expect(ids()).toEqual(['status', 'before', 'behind']);
  });

  test('copies come at first only', () => {
    const sent = enqueue('A', { undecryptable: 0, copies: 3 });
    delivery.sendBacklog(account, companion);
    expect([ids().length, sent.deliveries]).toEqual([4, 4]);
  });

  test('the receipts of two members of a group for one message wait side by side', () => {
    expect(receiptKey('read', 'A', '1@lid')).not.toBe(receiptKey('read', 'A', '2@lid'));
    expect(receiptKey('read', 'A')).not.toBe(receiptKey('delivered', 'A'));
  });
});
