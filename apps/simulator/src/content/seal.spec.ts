import { beforeEach, describe, expect, test } from '@jest/globals';
import { createDecipheriv, createHash, hkdfSync } from 'node:crypto';
import { decryptPollVote } from '@whiskeysockets/baileys';
import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { hiddenAddress, phoneAddress } from '@svc/contracts';
import { aPopulation, aReceivedMessage } from '../../test/support/people.js';
import { recordSent } from '../delivery/message-log.js';
import type { SealedBody, SealName } from '../kinds/parts/sealed-body.js';
import { MediaStore } from '../media/media-store.js';
import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import { writeMessage } from './message-writer.js';

const ACCOUNT = '4915550009710';
const CONTACT = '4915550009711';
const SECRET = Buffer.alloc(32, 7);
const store = new MediaStore();

let people: Population;
let account: Person;
let contact: Person;

beforeEach(() => {
  people = aPopulation();
  account = people.ensure(ACCOUNT);
  contact = people.ensureContact(CONTACT);
  const message = { messageContextInfo: { messageSecret: SECRET.toString('base64') } };
  contact.addReceived({ ...aReceivedMessage('POLL', ACCOUNT, phoneAddress(CONTACT)), message });
});

const nameOf = ({ lid, phone }: Person, form: SealName = 'lid') =>
  form === 'lid' ? hiddenAddress(lid) : phoneAddress(phone);
const write = (content: Parameters<typeof writeMessage>[2]) =>
  writeMessage(store, { person: contact, chat: phoneAddress(ACCOUNT), people }, content);

describe('a vote', () => {
  const FORMS: [SealName, SealName][] = [
    ['lid', 'lid'],
    ['pn', 'pn'],
    ['lid', 'pn'],
    ['pn', 'lid'],
  ];

  test.each(FORMS)('is opened by the library: poll by %s, voter by %s', (author, by) => {
    const { pollUpdateMessage } = write({
      ...{ type: 'vote', choices: ['yes'], targetKeyId: 'POLL' },
      sealed: { author, by },
    });
    const { selectedOptions } = decryptPollVote(pollUpdateMessage?.vote ?? {}, {
      pollCreatorJid: nameOf(account, author),
      ...{ pollMsgId: 'POLL', pollEncKey: SECRET, voterJid: nameOf(contact, by) },
    });
    expect(selectedOptions.map((one) => Buffer.from(one))).toEqual([
      createHash('sha256').update('yes').digest(),
    ]);
    expect(pollUpdateMessage?.pollCreationMessageKey).toMatchObject({ id: 'POLL', fromMe: false });
  });
});

describe('a sealed edit', () => {
  const edit = (targetKeyId: string, sealed: SealedBody = {}) =>
    write({ type: 'edit', text: 'three', targetKeyId, sealed }).secretEncryptedMessage;

  test('has the edit inside of the seal, by the secret of what its author wrote', () => {
    const message = write({ type: 'text', text: 'two' });
    const { id } = recordSent(contact, ACCOUNT, message);
    const { encPayload, encIv, secretEncType, targetMessageKey } = edit(id) ?? {};
    expect([secretEncType, targetMessageKey?.id, targetMessageKey?.fromMe]).toEqual([2, id, true]);
    const info = `${id}${nameOf(contact)}${nameOf(contact)}Message Edit`;
    const secret = message.messageContextInfo?.messageSecret ?? Buffer.alloc(0);
    const key = Buffer.from(hkdfSync('sha256', secret, '', info, 32));
    const payload = Buffer.from(encPayload ?? []);
    const decipher = createDecipheriv('aes-256-gcm', key, encIv ?? Buffer.alloc(12));
    decipher.setAuthTag(payload.subarray(-16));
    const words = Buffer.concat([decipher.update(payload.subarray(0, -16)), decipher.final()]);
    const { protocolMessage } = proto.Message.decode(words);
    expect(protocolMessage?.editedMessage?.conversation).toBe('three');
  });

  test('without a seal is plain', () => {
    const message = write({ type: 'edit', text: 'three', targetKeyId: 'POLL' });
    expect(message.protocolMessage?.editedMessage?.conversation).toBe('three');
  });
});
