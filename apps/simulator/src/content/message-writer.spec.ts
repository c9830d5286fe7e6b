import { beforeEach, describe, expect, test } from '@jest/globals';
import { phoneAddress } from '@svc/contracts';
import { aPopulation, aReceivedMessage } from '../../test/support/people.js';
import { MediaStore } from '../media/media-store.js';
import type { Person } from '../people/person.js';
import type { Population } from '../people/population.js';
import { type FileToSend, writeMessage } from './message-writer.js';
import { describeFile, fileOf } from './received-file.js';

const ACCOUNT = '4915550009700';
const CONTACT = '4915550009701';
const GROUP = '120363000000000001@g.us';

describe('a contact writes', () => {
  let people: Population;
  let contact: Person;
  const store = new MediaStore();

  beforeEach(() => {
    people = aPopulation();
    contact = people.ensureContact(CONTACT);
    contact.addReceived(aReceivedMessage('THEIRS', ACCOUNT, phoneAddress(CONTACT)));
    const counts = { deliveries: 1, receipts: 0, sentAt: '2026-01-05T09:30:00.000Z' };
    contact.sent.set('OWN', { id: 'OWN', to: ACCOUNT, text: 'mine', status: 'SENT', ...counts });
  });

  const inAccountsChat = () => ({ person: contact, chat: phoneAddress(ACCOUNT), people });
  const reaction = (chat: string, targetKeyId: string) =>
    writeMessage(store, { person: contact, chat, people }, { type: 'reaction', emoji: '👍', targetKeyId })
      .reactionMessage?.key;
  const answer = (quotedKeyId: string) =>
    writeMessage(store, inAccountsChat(), { type: 'text', text: 'yes', quotedKeyId }).extendedTextMessage
      ?.contextInfo;

  test('a reaction to a message of its own says so', () => {
    expect(reaction(phoneAddress(ACCOUNT), 'OWN')).toMatchObject({
      remoteJid: phoneAddress(ACCOUNT),
      fromMe: true,
    });
    expect(reaction(phoneAddress(ACCOUNT), 'THEIRS')).toMatchObject({ fromMe: false, id: 'THEIRS' });
  });

  test('in a group a reaction names the writer of the message, too', () => {
    expect(reaction(GROUP, 'THEIRS')).toMatchObject({ remoteJid: GROUP, participant: phoneAddress(ACCOUNT) });
    expect(reaction(phoneAddress(ACCOUNT), 'THEIRS')?.participant).toBeFalsy();
  });

  test('an answer quotes the message as it was, by whoever wrote it', () => {
    expect(answer('THEIRS')).toMatchObject({
      stanzaId: 'THEIRS',
      participant: phoneAddress(ACCOUNT),
      quotedMessage: { conversation: 'hi' },
    });
    expect(answer('OWN')).toMatchObject({
      participant: phoneAddress(CONTACT),
      quotedMessage: { conversation: 'mine' },
    });
  });

  test('a message of a chat with a timer names it', () => {
    const content = { type: 'text', text: 'soon gone', disappearsAfter: 86_400 } as const;
    const { extendedTextMessage } = writeMessage(store, inAccountsChat(), content);
    expect(extendedTextMessage?.contextInfo?.expiration).toBe(86_400);
    expect(Number(extendedTextMessage?.contextInfo?.ephemeralSettingTimestamp)).toBeGreaterThan(
      1_700_000_000,
    );
  });

  test('an answer to a message that nobody knows takes it for one of the other side', () => {
    expect(answer('UNKNOWN')).toMatchObject({ stanzaId: 'UNKNOWN', participant: phoneAddress(ACCOUNT) });
  });

  test.each<[FileToSend['fault'], string | null]>([
    [undefined, null],
    ['missing', 'the media host does not have it'],
    ['altered', 'the digest of the encrypted file differs'],
  ])('a file that is %s on purpose is opened with the problem: %s', (fault, problem) => {
    const file = Buffer.from(`a picture, ${fault}`);
    const content = { type: 'image' as const, caption: 'c' };
    const message = writeMessage(store, inAccountsChat(), content, { file, fault });
    const opened = fileOf(store, message);
    expect(describeFile(opened ?? 'there is none')).toMatchObject({
      bytes: problem ? 0 : file.length,
      problem,
    });
  });
});
