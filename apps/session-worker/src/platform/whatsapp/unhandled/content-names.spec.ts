import { expect, test } from '@jest/globals';
import { metricsText, setUpLogger } from '@svc/service';
import { encodeWAMessage, proto } from '@whiskeysockets/baileys';
import { countContent } from './content-names.js';

setUpLogger('test', 'silent');
const counted = (labels: string): boolean =>
  metricsText().includes(`platform_unknown_stanzas_total{${labels}} 1`);
/** A plaintext with one more field, of a number that no schema has, behind it. */
const withField = (message: proto.IMessage, bytes: number[]): Uint8Array =>
  Buffer.concat([proto.Message.encode(message).finish(), Buffer.from(bytes), Buffer.of(1)]);

test('a content that is told as unsupported is counted by its name', () => {
  countContent(encodeWAMessage({ bcallMessage: {} }), 'bcallMessage');
  expect(counted('name="content bcallMessage",known="yes"')).toBe(true);
});

test('a field that the schema does not have is counted by its number', () => {
  // Number 4000, three bytes.
  countContent(withField({ messageContextInfo: {} }, [0x82, 0xfa, 0x01, 3, 1, 2, 3]), undefined);
  expect(counted('name="content field 4000",known="no"')).toBe(true);
});

test.each<[string, number, string, string]>([
  ['has and nobody reads, by its name', 11, 'SHARE_PHONE_NUMBER', 'yes'],
  ['does not have, by its number', 99, '99', 'no'],
])('a message about the protocol that the schema %s', (_what, type, name, known) => {
  countContent(encodeWAMessage({ protocolMessage: { type } }), undefined);
  expect(counted(`name="content protocolMessage ${name}",known="${known}"`)).toBe(true);
});

test('one that somebody handles is not counted', () => {
  countContent(
    encodeWAMessage({ protocolMessage: { type: proto.Message.ProtocolMessage.Type.REVOKE } }),
    undefined,
  );
  expect(metricsText()).not.toContain('REVOKE');
});
