import { beforeEach, describe, expect, test } from '@jest/globals';
import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { SerialQueues, silenceConsole } from '@svc/service';
import { hiddenAddress, phoneAddress } from '@svc/contracts';
import { aPopulation, linkDevice } from '../../test/support/people.js';
import { Delivery } from '../delivery/delivery.js';
import { Receipts } from '../delivery/receipts.js';
import { MediaStore } from '../media/media-store.js';
import type { Person } from '../people/person.js';
import { unpad } from '../signal/padding.js';
import { bytesOf, child, type Stanza } from '../wire/nodes.js';
import { type Addressing, Inbound } from './inbound.js';
import { PhoneWriting } from './phone-writing.js';

silenceConsole();

const ACCOUNT = '4915550009800';
const CONTACT = '4915550009801';
const TEXT = proto.Message.fromObject({ conversation: 'hi' });

describe('a message to an account', () => {
  let account: Person;
  let contact: Person;
  let device: ReturnType<typeof linkDevice>;
  let inbound: Inbound;
  let phone: PhoneWriting;

  beforeEach(() => {
    const population = aPopulation();
    account = population.ensure(ACCOUNT);
    contact = population.ensureContact(CONTACT);
    device = linkDevice(account);
    const [delivery, queues] = [new Delivery(population), new SerialQueues()];
    inbound = new Inbound(population, delivery, queues);
    phone = new PhoneWriting(inbound, delivery, new Receipts(population, delivery), queues, new MediaStore());
  });

  const messages = () => device.connection.sent.filter(({ tag }) => tag === 'message');
  /** Reads as the device does; its author is named in the session store as the simulator's people are. */
  const read = async (node: Stanza | undefined): Promise<proto.Message> => {
    const enc = child(node, 'enc');
    const type = enc?.attrs.type === 'pkmsg' ? 'pkmsg' : 'msg';
    const plaintext = await device.device.decrypt('author.0', type, bytesOf(enc) ?? Buffer.alloc(0));
    return proto.Message.decode(unpad(plaintext));
  };

  test.each<[Addressing | undefined, () => object]>([
    [
      undefined,
      () => ({ from: hiddenAddress(contact.lid), addressing_mode: 'lid', sender_pn: phoneAddress(CONTACT) }),
    ],
    [
      'pn',
      () => ({ from: phoneAddress(CONTACT), addressing_mode: 'pn', sender_lid: hiddenAddress(contact.lid) }),
    ],
    ['pn-only', () => ({ from: phoneAddress(CONTACT), addressing_mode: 'pn' })],
  ])('comes from the address that %s names, with the other one beside it', async (addressing, addresses) => {
    const { id } = await inbound.send(contact, account, TEXT, { addressing });
    const { t: _, ...attributes } = messages()[0]?.attrs ?? {};
    expect(attributes).toEqual({ id, type: 'text', notify: CONTACT, ...addresses() });
  });

  test('is encrypted for each device, and stands with the messages of its author', async () => {
    const sent = await inbound.send(contact, account, TEXT);
    expect((await read(messages()[0])).conversation).toBe('hi');
    expect(contact.sent.get(sent.id)).toBe(sent);
    expect(sent).toMatchObject({ to: ACCOUNT, text: 'hi', status: 'SENT', deliveries: 1 });
  });

  test('takes its flaws from the faults of the account, unless it has its own', async () => {
    Object.assign(account.faults, { inbound: 'twice', inboundCount: 1 });
    await inbound.send(contact, account, TEXT, { flaws: { undecryptable: 0, copies: 3 } });
    expect(messages()).toHaveLength(3);
    await inbound.send(contact, account, TEXT);
    await inbound.send(contact, account, TEXT);
    expect(messages()).toHaveLength(6);
  });

  test('two messages of one author arrive in the order in which they were written', async () => {
    const sent = await Promise.all([1, 2, 3].map(() => inbound.send(contact, account, TEXT)));
    expect(messages().map(({ attrs }) => attrs.id)).toEqual(sent.map(({ id }) => id));
  });

  test.each<[Addressing, () => object]>([
    [
      'lid',
      () => ({
        from: hiddenAddress(account.lid),
        recipient: hiddenAddress(contact.lid),
        peer_recipient_pn: phoneAddress(CONTACT),
      }),
    ],
    [
      'pn',
      () => ({
        from: phoneAddress(ACCOUNT),
        recipient: phoneAddress(CONTACT),
        peer_recipient_lid: hiddenAddress(contact.lid),
      }),
    ],
    ['pn-only', () => ({ from: phoneAddress(ACCOUNT), recipient: phoneAddress(CONTACT) })],
  ])('that its owner writes comes back to the devices, addressed by %s', async (addressing, addresses) => {
    const id = await phone.send(account, contact, TEXT, { addressing });
    const [copy] = messages();
    const { addressing_mode: _m, notify: _n, t: _t, type: _y, ...attributes } = copy?.attrs ?? {};
    expect(attributes).toEqual({ id, ...addresses() });
    const { deviceSentMessage } = await read(copy);
    const { recipient: destinationJid } = addresses() as { recipient: string };
    expect(deviceSentMessage).toMatchObject({ destinationJid, message: { conversation: 'hi' } });
    expect(contact.received.map(({ text }) => text)).toEqual(['hi']);
  });

  test('that its owner writes to itself is a note: the devices get it, and nobody receives it', async () => {
    await phone.send(account, account, TEXT, {});
    expect(messages()).toHaveLength(1);
    expect([account.received, [...account.sent.values()].map(({ to }) => to)]).toEqual([[], [ACCOUNT]]);
  });

  test('that was sent already is only copied to the devices, under its id', async () => {
    await phone.copy(account, contact, { id: 'SENT-BEFORE', message: TEXT }, {});
    expect(messages().map(({ attrs }) => attrs.id)).toEqual(['SENT-BEFORE']);
    expect(contact.received).toEqual([]);
  });
});
