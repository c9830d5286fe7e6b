import { createCipheriv, createHash, hkdfSync } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { encodeWAMessage, proto } from '@whiskeysockets/baileys';
import type { InboundRecord } from '../../messages.js';
import type { EarlyVote } from '../../votes.js';
import type { AddressBook } from '../stanzas/address-book.js';
import { inboundRecord, journalPlace } from './inbound-record.js';
import type { Stanza } from '../stanzas/stanzas.js';
import { earlyVoteRecords } from './early-votes.js';
import type { SealLabel } from '../content/sealed-content.js';

const [LID, PN] = ['701@lid', '4915550001@s.whatsapp.net'];
const [OWN_LID, OWN_PN] = ['900@lid', '4915550009@s.whatsapp.net'];
const GROUP = '120363000000000001@g.us';
const SECRET = Buffer.alloc(32, 7);
const IV = Buffer.alloc(12, 1);
const NOBODY = new Uint8Array();

/** Rows of the journal, and of the table of votes that came early. */
let journal: InboundRecord[];
let early: (EarlyVote & { poll: string; plaintext: Uint8Array })[];
let current: Uint8Array;

const store: AddressBook['store'] = {
  journaledOf: async (senders, keyId) =>
    journal.find((one) => one.keyId === keyId && senders.includes(one.sender)),
  sent: async (keyId) =>
    keyId === 'SENT'
      ? {
          ...{ jobId: 'job', to: PN, keyId, acceptedAt: new Date(), uploaded: null, secret: SECRET },
          content: { type: 'poll', poll: { name: 'Lunch?', options: ['yes', 'no'], multiple: false } },
        }
      : undefined,
  keepEarlyVote: async (poll, vote) => void early.push({ ...vote, poll, plaintext: current }),
  earlyVotes: async (poll) => early.filter((vote) => vote.poll === poll),
};
const book = {
  credentials: { me: { id: '4915550009:3@s.whatsapp.net', lid: '900:3@lid' }, advSecretKey: 'of the link' },
  repository: {
    lidMapping: {
      getPNForLID: async (lid: string) => (lid === LID ? PN : null),
      getLIDForPN: async (pn: string) => (pn === PN ? LID : null),
    },
  },
  store,
} as unknown as AddressBook;

beforeEach(() => {
  journal = [];
  early = [];
});

async function comes(attrs: Record<string, string>, message: proto.IMessage): Promise<InboundRecord> {
  const stanza: Stanza = { tag: 'message', attrs: { t: '1760000000', ...attrs }, content: [] };
  current = encodeWAMessage(message);
  const record = await inboundRecord(stanza, current, journalPlace(stanza, NOBODY), book);
  if (!record) throw new Error('It is no message of a person.');
  journal.push(...(await earlyVoteRecords(record, book)), record);
  return record;
}

function sealed(label: SealLabel, words: Uint8Array, [id, author, by]: [string, string, string]) {
  const key = Buffer.from(hkdfSync('sha256', SECRET, '', `${id}${author}${by}${label}`, 32));
  const cipher = createCipheriv('aes-256-gcm', key, IV);
  if (label === 'Poll Vote') cipher.setAAD(Buffer.from(`${id}\0${by}`));
  return {
    encPayload: Buffer.concat([cipher.update(words), cipher.final(), cipher.getAuthTag()]),
    encIv: IV,
  };
}

const withSecret = (message: proto.IMessage) => ({
  ...message,
  messageContextInfo: { messageSecret: SECRET },
});
const poll = (options = ['yes', 'no']): proto.IMessage =>
  withSecret({
    pollCreationMessageV3: { name: 'Lunch?', options: options.map((optionName) => ({ optionName })) },
  });
const vote = (
  choices: string[],
  names: [string, string, string],
  key: proto.IMessageKey = {},
): proto.IMessage => {
  const selectedOptions = choices.map((choice) => createHash('sha256').update(choice).digest());
  const words = proto.Message.PollVoteMessage.encode({ selectedOptions }).finish();
  return {
    pollUpdateMessage: {
      pollCreationMessageKey: { id: names[0], ...key },
      vote: sealed('Poll Vote', words, names),
      senderTimestampMs: 1_760_000_000_120,
    },
  };
};
const edit = (names: [string, string, string]): proto.IMessage => {
  const protocolMessage = { type: 14, key: { id: names[0] }, editedMessage: { conversation: 'three' } };
  const words = proto.Message.encode({ protocolMessage }).finish();
  return {
    secretEncryptedMessage: {
      ...{ targetMessageKey: { id: names[0] }, secretEncType: 2 },
      ...sealed('Message Edit', words, names),
    },
  };
};

describe('a sealed edit', () => {
  test.each([
    [LID, LID],
    [PN, PN],
    [LID, PN],
    [PN, LID],
  ])('is an edit: the seal names author and writer as %s and %s', async (author, by) => {
    await comes({ from: LID, id: 'A' }, withSecret({ conversation: 'two' }));
    const { content } = await comes({ from: PN, id: 'B' }, edit(['A', author, by]));
    expect(content).toEqual({
      ...{ type: 'conversation', body: { type: 'text', text: 'three' } },
      change: { kind: 'EDITED', keyId: 'A' },
    });
  });

  test('stays an edit where nothing opens it', async () => {
    const { content } = await comes({ from: PN, id: 'B' }, edit(['A', LID, LID]));
    expect(content).toMatchObject({
      ...{ body: { type: 'unsupported' }, unsupportedReason: 'UNREADABLE' },
      change: { kind: 'EDITED', keyId: 'A' },
    });
  });

  test('of an event has the new one inside of its seal', async () => {
    await comes({ from: LID, id: 'A' }, withSecret({ eventMessage: { name: 'Dinner' } }));
    const words = proto.Message.encode({ eventMessage: { name: 'Lunch' } }).finish();
    const { content } = await comes(
      { from: LID, id: 'B' },
      {
        secretEncryptedMessage: {
          ...{ targetMessageKey: { id: 'A' }, secretEncType: 1 },
          ...sealed('Event Edit', words, ['A', LID, LID]),
        },
      },
    );
    expect(content).toMatchObject({ body: { text: 'Lunch' }, change: { kind: 'EDITED', keyId: 'A' } });
  });

  test('of somebody else’s message is not opened', async () => {
    await comes({ from: '702@lid', id: 'A' }, withSecret({ conversation: 'two' }));
    const { content } = await comes({ from: LID, id: 'B' }, edit(['A', '702@lid', LID]));
    expect(content?.unsupportedReason).toBe('UNREADABLE');
  });
});

describe('a vote', () => {
  test.each([
    [OWN_LID, LID],
    [OWN_PN, PN],
    [OWN_LID, PN],
    [OWN_PN, LID],
  ])('in a poll of ours is told by name: by %s and %s', async (author, by) => {
    const { vote: told, content } = await comes({ from: LID, id: 'B' }, vote(['no'], ['SENT', author, by]));
    expect(content).toBeUndefined();
    expect(told).toEqual({
      ...{ poll: { jobId: 'job' }, pollKeyId: 'SENT', pollAuthor: OWN_PN, hidden: LID },
      ...{ options: ['no'], unknownOptions: 0, isUnreadable: false, at: 1_760_000_000_120 },
    });
  });

  test('in a poll of somebody in a group is told, by the author that it names', async () => {
    await comes({ from: GROUP, participant: '702@lid', id: 'A' }, poll());
    const attrs = { from: GROUP, participant: LID, id: 'B' };
    const record = await comes(attrs, vote(['yes'], ['A', '702@lid', PN], { participant: '702@lid' }));
    expect(record.vote).toMatchObject({
      ...{ poll: { sender: `${GROUP}|702@lid`, keyId: 'A' }, pollAuthor: '702@lid', options: ['yes'] },
    });
    expect(record).toMatchObject({ chat: GROUP, remoteJid: PN });
  });

  test('that is taken back has no options, and one that nothing opens says so', async () => {
    const taken = await comes({ from: LID, id: 'B' }, vote([], ['SENT', OWN_LID, LID]));
    expect(taken.vote).toMatchObject({ options: [], isUnreadable: false });
    const closed = await comes({ from: LID, id: 'C' }, vote(['no'], ['SENT', '702@lid', LID]));
    expect(closed.vote).toMatchObject({ options: [], isUnreadable: true });
  });

  test('for an option that the poll did not have counts it', async () => {
    const { vote: told } = await comes({ from: LID, id: 'B' }, vote(['no', 'late'], ['SENT', OWN_LID, LID]));
    expect(told).toMatchObject({ options: ['no'], unknownOptions: 1 });
  });

  test('of the own number on another device is told as its own', async () => {
    const deviceSentMessage = { destinationJid: PN, message: vote(['yes'], ['SENT', OWN_LID, OWN_LID]) };
    const record = await comes({ from: OWN_LID, recipient: LID, id: 'B' }, { deviceSentMessage });
    expect(record).toMatchObject({ fromMe: true, chat: PN, vote: { options: ['yes'] } });
  });

  test('that comes before its poll is told with it, and its person is found in its name', async () => {
    const before = await comes({ from: LID, id: 'B' }, vote(['yes'], ['A', LID, LID]));
    expect([before.vote, before.content]).toEqual([undefined, undefined]);
    await comes({ from: LID, id: 'A' }, poll());
    const told = journal.filter((record) => record.vote);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({ sender: `late|${LID}`, keyId: 'B', vote: { options: ['yes'] } });
  });
});
