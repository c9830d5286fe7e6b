import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Stack } from '../support/stack.js';

const ACCOUNT = '4915550017000';
const CONTACT = '4915550017100';
const FAULTS = `/accounts/${ACCOUNT}/faults`;
const BEHAVIOUR = `/contacts/${CONTACT}/behaviour`;
const RESTRICTIONS = `/accounts/${ACCOUNT}/restrictions`;
const HOUR_MS = 3_600_000;
const letters = (count: number): string => 'x'.repeat(count);
const phones = (count: number): string[] => Array.from({ length: count }, (_, n) => `${49_155_500_000 + n}`);

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start();
  await stack.post('/accounts', { phone: ACCOUNT });
  await stack.post('/contacts', { phone: CONTACT });
});
afterAll(() => stack.close());

/** Sends a body, and answers with the status and the fields that are refused. */
async function send(route: string, body: unknown): Promise<{ status: number; fields: string[] }> {
  const [method, path = ''] = route.split(' ');
  type Refused = { meta?: { fields?: object } };
  const answer =
    method === 'PUT' ? await stack.put<Refused>(path, body) : await stack.post<Refused>(path, body);
  return { status: answer.status, fields: Object.keys(answer.body.meta?.fields ?? {}) };
}

describe('the control API takes at its bounds', () => {
  test.each<[string, string, object]>([
    ['the longest name', 'POST /accounts', { phone: '4915550017001', name: letters(100) }],
    ['the shortest phone', 'POST /accounts', { phone: '4915550' }],
    ['the longest phone', 'POST /accounts', { phone: '491555001700012' }],
    ['the lowest code of refused sends', `PUT ${FAULTS}`, { ackError: 100 }],
    ['the highest', `PUT ${FAULTS}`, { ackError: 999 }],
    ['the longest delay of an ack', `PUT ${FAULTS}`, { ackDelayMs: HOUR_MS }],
    ['the most recipients', `PUT ${FAULTS}`, { recipients: phones(1_000) }],
    ['the most queries without an answer', `PUT ${FAULTS}`, { unanswered: Array(20).fill('usync') }],
    ['no code, as null', `PUT ${FAULTS}`, { ackError: null, loginError: null, count: null }],
    ['the longest delay of a read', `PUT ${BEHAVIOUR}`, { readDelayMs: 24 * HOUR_MS }],
    ['a restriction without an end', `PUT ${RESTRICTIONS}`, { timelock: { until: null } }],
    ['a cap of no new chats', `PUT ${RESTRICTIONS}`, { newChats: { quota: 0 } }],
    ['the longest text', `POST /contacts/${CONTACT}/messages`, { to: ACCOUNT, text: letters(65_536) }],
    ['a group of one', 'POST /groups', { subject: 'x', members: [CONTACT] }],
    ['the largest group', 'POST /groups', { subject: letters(100), members: phones(1_000) }],
  ])('%s', async (_, route, body) => {
    const { status, fields } = await send(route, body);
    expect([[200, 201].includes(status), fields]).toEqual([true, []]);
  });
});

describe('the control API refuses, naming the field,', () => {
  test.each<[string, string, object, string]>([
    ['an empty name', 'POST /accounts', { phone: ACCOUNT, name: '' }, 'name'],
    ['too long a name', 'POST /accounts', { phone: ACCOUNT, name: letters(101) }, 'name'],
    ['a name of null', 'POST /accounts', { phone: ACCOUNT, name: null }, 'name'],
    ['six digits', 'POST /accounts', { phone: '491555' }, 'phone'],
    ['sixteen digits', 'POST /accounts', { phone: '4915550017000123' }, 'phone'],
    ['a phone as a number', 'POST /accounts', { phone: 4915550017000 }, 'phone'],
    ['no QR code', `POST /accounts/${ACCOUNT}/scan`, {}, 'qr'],
    ['too long a QR code', `POST /accounts/${ACCOUNT}/scan`, { qr: letters(2_001) }, 'qr'],
    ['a code of seven letters', `POST /accounts/${ACCOUNT}/code`, { code: 'ABCD-EFG' }, 'code'],
    ['a code beyond three digits', `POST /accounts/${ACCOUNT}/disconnect`, { code: 1_000 }, 'code'],
    ['a code of refused sends below 100', `PUT ${FAULTS}`, { ackError: 99 }, 'ackError'],
    ['a code of refused logins above 999', `PUT ${FAULTS}`, { loginError: 1_000 }, 'loginError'],
    ['too long a delay of an ack', `PUT ${FAULTS}`, { ackDelayMs: HOUR_MS + 1 }, 'ackDelayMs'],
    ['half a millisecond', `PUT ${FAULTS}`, { ackDelayMs: 0.5 }, 'ackDelayMs'],
    ['too many recipients', `PUT ${FAULTS}`, { recipients: phones(1_001) }, 'recipients'],
    ['recipients that are no list', `PUT ${FAULTS}`, { recipients: CONTACT }, 'recipients'],
    ['too many queries', `PUT ${FAULTS}`, { unanswered: Array(21).fill('usync') }, 'unanswered'],
    ['a silence of "true"', `PUT ${FAULTS}`, { silent: 'true' }, 'silent'],
    ['a login that nobody knows', `PUT ${FAULTS}`, { login: 'slowly' }, 'login'],
    ['a fault of messages that nobody knows', `PUT ${FAULTS}`, { inbound: 'thrice' }, 'inbound'],
    ['too long a delay of a read', `PUT ${BEHAVIOUR}`, { readDelayMs: 24 * HOUR_MS + 1 }, 'readDelayMs'],
    ['fewer than no unreadable messages', `PUT ${BEHAVIOUR}`, { unreadable: -1 }, 'unreadable'],
    ['a status of 600', 'PUT /faults', { mediaStatus: 600 }, 'mediaStatus'],
    ['no request at all', 'PUT /faults', { mediaCount: 0 }, 'mediaCount'],
    ['a way to upgrade that nobody knows', 'PUT /faults', { upgrade: 'later' }, 'upgrade'],
    [
      'a restriction in small letters',
      `PUT ${RESTRICTIONS}`,
      { timelock: { type: 'spam' } },
      'timelock.type',
    ],
    ['an end that is none', `PUT ${RESTRICTIONS}`, { timelock: { until: 'soon' } }, 'timelock.until'],
    ['a cap without a number', `PUT ${RESTRICTIONS}`, { newChats: {} }, 'newChats.quota'],
    ['less than no new chats', `PUT ${RESTRICTIONS}`, { newChats: { quota: -1 } }, 'newChats.quota'],
    ['a group without a name', 'POST /groups', { subject: '', members: [CONTACT] }, 'subject'],
    ['a group of nobody', 'POST /groups', { subject: 'x', members: [] }, 'members'],
    ['a group of 1,001', 'POST /groups', { subject: 'x', members: phones(1_001) }, 'members'],
    ['more pre-keys than there may be', `PUT /accounts/${ACCOUNT}/pre-keys`, { left: 10_001 }, 'left'],
    ['typing in no state', `POST /contacts/${CONTACT}/typing`, { to: ACCOUNT }, 'state'],
    ['a presence of "yes"', `POST /contacts/${CONTACT}/presence`, { available: 'yes' }, 'available'],
    ['a reader of nobody', `POST /contacts/${CONTACT}/read`, { from: 'Ann' }, 'from'],
    ['a scenario without steps', 'POST /scenarios', { steps: [] }, 'steps'],
  ])('%s', async (_, route, body, field) => {
    expect(await send(route, body)).toEqual({ status: 400, fields: [field] });
  });

  test.each<[string, object, string]>([
    ['of a kind that nobody knows', { content: { type: 'smell' } }, 'content.type'],
    ['without the file of its kind', { content: { type: 'image' } }, 'content.media'],
    [
      'with a file that its kind has not',
      { content: { type: 'text', text: 'x', media: { size: 1 } } },
      'content.media',
    ],
    ['with two files', { content: { type: 'image', media: { size: 1, base64: 'AA==' } } }, 'content.media'],
    ['with a file of nothing', { content: { type: 'image', media: { size: 0 } } }, 'content.media.size'],
    ['with too large a file', { content: { type: 'image', media: { size: 2 ** 30 } } }, 'content.media.size'],
    [
      'with a file that is no base64',
      { content: { type: 'image', media: { base64: '?' } } },
      'content.media.base64',
    ],
    ['too long', { text: letters(65_537) }, 'text'],
    ['without a letter', { text: '' }, 'text'],
    ['from an address that nobody has', { text: 'x', addressing: 'pigeon' }, 'addressing'],
    ['broken too often', { text: 'x', flaws: { undecryptable: 1_001 } }, 'flaws.undecryptable'],
    ['that never comes', { text: 'x', flaws: { copies: 0 } }, 'flaws.copies'],
    ['with attributes that are text', { text: 'x', attributes: 'x' }, 'attributes'],
    ['with a sealed part that is text', { text: 'x', sealedAttributes: 'x' }, 'sealedAttributes'],
    ['with a part that is no stanza', { text: 'x', parts: [{}] }, 'parts.0'],
  ])('a message %s', async (_, message, field) => {
    const answer = await send(`POST /contacts/${CONTACT}/messages`, { to: ACCOUNT, ...message });
    expect(answer).toEqual({ status: 400, fields: [field] });
  });
});

test('a change that is refused changes nothing, also not what is right in it', async () => {
  const before = await stack.get(FAULTS);
  expect((await send(`PUT ${FAULTS}`, { silent: true, login: 'slowly' })).status).toBe(400);
  expect(await stack.get(FAULTS)).toEqual(before);
  const habits = await stack.get(`/contacts/${CONTACT}`);
  expect((await send(`PUT ${BEHAVIOUR}`, { read: 'auto', readDelayMs: -1 })).status).toBe(400);
  expect(await stack.get(`/contacts/${CONTACT}`)).toEqual(habits);
});
