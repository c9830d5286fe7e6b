import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { type AuthenticationCreds, initAuthCreds } from '@whiskeysockets/baileys';
import type { PasskeyReport } from '../../passkey.js';
import type { LibrarySocket } from '../messages/outgoing.js';
import { describeDevice } from './device-name.js';
import { Linking } from './linking.js';

let ws: EventEmitter;
let creds: AuthenticationCreds;
let seen: string[];
let linking: Linking;

beforeEach(() => {
  jest.useFakeTimers();
  ws = new EventEmitter();
  ws.on('CB:notification', () => seen.push('left to the library'));
  creds = initAuthCreds();
  seen = [];
});
afterEach(() => {
  linking.stop();
  jest.useRealTimers();
});

const CODE = 'link_code_companion_reg';
const codeMessage = (stage: string, content: object[]): object => ({
  ...{ tag: 'notification', attrs: { id: 'n', from: 's', type: CODE } },
  content: [{ tag: CODE, attrs: { stage }, content }],
});
const PHONES_ANSWER = codeMessage('primary_hello', [
  { tag: 'link_code_pairing_wrapped_primary_ephemeral_pub', attrs: {}, content: Buffer.alloc(80) },
]);
const ORDER = {
  ...{ tag: 'notification', attrs: { id: 'o', from: 's', type: 'companion_reg_refresh' } },
  content: [{ tag: 'companion_reg_refresh', attrs: {} }],
};

/** Begins to link on a socket that was given these references. */
function begin(given = ['a', 'b']): void {
  const sock = {
    ...{ ws, ev: new EventEmitter(), authState: { creds } },
    sendNode: async ({ attrs }: { attrs: { id: string } }) => void seen.push(`ack ${attrs.id}`),
    requestPairingCode: async () => {
      ws.emit('CB:iq,type:result,link_code_companion_reg');
      return 'ABCD1234';
    },
  };
  sock.ev.on('creds.update', (update) => Object.assign(creds, update));
  const listener = {
    onQr: (_text: string, _until: Date, isRedrawn = false) => void seen.push(isRedrawn ? 'redrawn' : 'drawn'),
    onPairingCode: () => void seen.push('another code'),
    onPasskey: ({ stage }: PasskeyReport) => void seen.push(`passkey: ${stage}`),
  };
  const end = ({ next, reason }: object & { next: string; reason: string }) =>
    void seen.push(`${next}: ${reason}`);
  linking = new Linking(sock as unknown as LibrarySocket, describeDevice('Acme'), listener, end);
  const refs = given.map((ref) => ({ tag: 'ref', attrs: {}, content: Buffer.from(ref) }));
  ws.emit('CB:iq,type:set,pair-device', {
    tag: 'iq',
    attrs: {},
    content: [{ tag: 'pair-device', attrs: {}, content: refs }],
  });
}

test('a socket whose last code has expired is opened anew at once', () => {
  begin();
  jest.advanceTimersByTime(60_000);
  expect(seen).toEqual(['drawn', 'drawn', 'again: QR_EXPIRED']);
});

test('a code that somebody may be typing does not end with the last QR code', async () => {
  begin();
  expect(await linking.requestPairingCode('15550100001')).toMatchObject({ code: 'ABCD1234' });
  jest.advanceTimersByTime(200_000);
  expect(seen).toEqual(['drawn', 'drawn']);
});

test('while a typed code is about to link, an order to draw the QR code anew waits, and is carried out when it did not', () => {
  begin(['a', 'b', 'c']);
  const before = creds.advSecretKey;
  jest.advanceTimersByTime(1_000);
  ws.emit('CB:notification', PHONES_ANSWER);
  ws.emit('CB:notification', ORDER);
  jest.advanceTimersByTime(58_000);
  expect([seen, creds.advSecretKey]).toEqual([['drawn', 'left to the library', 'ack o', 'drawn'], before]);
  jest.advanceTimersByTime(2_000);
  expect(seen.slice(4)).toEqual(['drawn', 'redrawn']);
  expect(creds.advSecretKey).not.toBe(before);
});

test('an order that waited is forgotten when the number is linked', () => {
  begin();
  const before = creds.advSecretKey;
  ws.emit('CB:notification', PHONES_ANSWER);
  ws.emit('CB:notification', ORDER);
  ws.emit('CB:iq,,pair-success', {});
  jest.advanceTimersByTime(200_000);
  expect([seen, creds.advSecretKey]).toEqual([['drawn', 'left to the library', 'ack o'], before]);
});

const WISH = {
  ...{ tag: 'notification', attrs: { id: 'p', from: 's', type: 'passkey_prologue_request' } },
  content: [
    {
      ...{ tag: 'passkey_request_options', attrs: {} },
      content: Buffer.from(JSON.stringify({ challenge: 'YQ', timeout: 400_000, rpId: 'whatsapp.com' })),
    },
  ],
};

test('where the platform wants a passkey no other code is drawn, whatever else comes', async () => {
  begin();
  ws.emit('CB:notification', PHONES_ANSWER);
  ws.emit('CB:notification', WISH);
  ws.emit('CB:notification', ORDER);
  const before = creds.advSecretKey;
  await jest.advanceTimersByTimeAsync(300_000);
  expect(seen).toEqual(['drawn', 'left to the library', 'ack p', 'passkey: challenge', 'ack o']);
  expect(creds.advSecretKey).toBe(before);
});

test('a link with a passkey that failed ends its socket: the next one has codes to show', async () => {
  begin();
  ws.emit('CB:notification', WISH);
  await jest.advanceTimersByTimeAsync(400_000);
  expect(seen.slice(2)).toEqual(['passkey: challenge', 'passkey: failed', 'again: PASSKEY_FAILED']);
});

test('a link with a passkey is lost with its socket', () => {
  begin();
  ws.emit('CB:notification', WISH);
  linking.stop();
  expect(seen.slice(2, 4)).toEqual(['passkey: challenge', 'passkey: failed']);
});

test('the end of a link with a passkey is taken before the library takes it', () => {
  ws.on('CB:iq,,pair-success', () => seen.push('left to the library'));
  begin();
  ws.emit('CB:notification', WISH);
  ws.emit('CB:iq,,pair-success', {});
  linking.stop();
  expect(seen.slice(2)).toEqual(['passkey: challenge', 'passkey: linked', 'left to the library']);
});

test('what is not known is acknowledged, and no more is made of it', () => {
  begin();
  for (const [id, type, tag] of [
    ['1', 'companion_reg_refresh', 'something_else'],
    ['2', 'account_sync', 'anything'],
  ])
    ws.emit('CB:notification', {
      tag: 'notification',
      attrs: { id, type, from: 's' },
      content: [{ tag, attrs: {} }],
    });
  ws.emit('CB:notification', codeMessage('primary_hello', []));
  expect(seen).toEqual(['drawn', 'ack 1', 'ack 2', 'ack n']);
});

test('a number that is linked leaves all to the library', () => {
  creds.account = {};
  begin();
  ws.emit('CB:notification', ORDER);
  expect(seen).toEqual(['left to the library']);
});
