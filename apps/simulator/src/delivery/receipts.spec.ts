import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { hiddenAddress, phoneAddress } from '@svc/contracts';
import {
  aPopulation,
  aReceivedMessage,
  linkDevice,
  type RecordingConnection,
} from '../../test/support/people.js';
import type { ReceivedMessage } from '../people/messages.js';
import type { Person } from '../people/person.js';
import { child, children } from '../wire/nodes.js';
import { Delivery } from './delivery.js';
import { Receipts } from './receipts.js';

const ACCOUNT = '4915550009400';
const CONTACT = '4915550009401';
const GROUP = '120363000000000001@g.us';

describe('the receipts of a contact', () => {
  let contact: Person;
  let connection: RecordingConnection;
  let receipts: Receipts;

  beforeEach(() => {
    jest.useFakeTimers();
    const population = aPopulation();
    connection = linkDevice(population.ensure(ACCOUNT)).connection;
    contact = population.ensureContact(CONTACT);
    receipts = new Receipts(population, new Delivery(population));
  });
  afterEach(() => void jest.useRealTimers());

  const receive = (id: string, address = phoneAddress(CONTACT)): ReceivedMessage => {
    const message = aReceivedMessage(id, ACCOUNT, address);
    contact.addReceived(message);
    receipts.giveFor(contact, message);
    return message;
  };
  const receiptsSent = () => connection.sent.map(({ attrs: { id, type = 'delivered' } }) => `${type} ${id}`);

  test('come as its behaviour says, each after its delay', () => {
    Object.assign(contact.behaviour, { deliveredDelayMs: 100, read: 'auto', readDelayMs: 50 });
    receive('A');
    jest.advanceTimersByTime(99);
    expect(receiptsSent()).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(receiptsSent()).toEqual(['delivered A']);
    jest.advanceTimersByTime(50);
    expect(receiptsSent()).toEqual(['delivered A', 'read A']);
  });

  test('are given by nobody who is offline or never gives any, and not twice by anybody', () => {
    contact.behaviour.online = false;
    receive('A');
    contact.behaviour.delivered = 'never';
    contact.behaviour.online = true;
    receipts.catchUp(contact);
    expect(receiptsSent()).toEqual([]);
    contact.behaviour.delivered = 'auto';
    receipts.catchUp(contact);
    receipts.catchUp(contact);
    expect(receiptsSent()).toEqual(['delivered A']);
  });

  test('do not come from somebody who went offline in the meantime', () => {
    contact.behaviour.deliveredDelayMs = 100;
    receive('A');
    contact.behaviour.online = false;
    jest.advanceTimersByTime(100);
    expect(receiptsSent()).toEqual([]);
  });

  test('of a chat that is opened are one for a hundred messages, and none the second time', () => {
    for (let at = 0; at < 101; at++) receive(`M${at}`);
    connection.sent.length = 0;
    expect([receipts.readAll(contact, ACCOUNT), receipts.readAll(contact, ACCOUNT)]).toEqual([101, 0]);
    expect(receiptsSent()).toEqual(['read M0', 'read M100']);
    expect(children(child(connection.sent[0], 'list'))).toHaveLength(99);
  });

  test('in a group name the member', () => {
    receive('A', GROUP);
    expect(connection.sent[0]?.attrs).toMatchObject({ from: GROUP, participant: hiddenAddress(contact.lid) });
  });

  test('of playing are for audios only, as often as they are played', () => {
    receive('A');
    receive('B').content = { type: 'audio', isPtt: true };
    connection.sent.length = 0;
    expect([receipts.playAll(contact, ACCOUNT), receipts.playAll(contact, ACCOUNT)]).toEqual([1, 1]);
    expect(receiptsSent()).toEqual(['played B', 'played B']);
  });
});
