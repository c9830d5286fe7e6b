import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import type { Connection } from '../connections/connection.js';
import type { Person } from '../people/person.js';
import { bytesOf, child, type Stanza, stanza, textOf } from '../wire/nodes.js';
import { RulesOfLinking } from './linking-rules.js';
import { Notices } from './notices.js';
import { PasskeyCeremony } from './passkey-ceremony.js';
import { Authenticator } from './passkey/authenticator.js';
import { handoffProof } from './passkey/passkey-keys.js';
import type { Registration } from './registration.js';

const SECRET = Buffer.alloc(32, 1);
let sent: Stanza[];
let ceremony: PasskeyCeremony;
let authenticator: Authenticator;

beforeEach(() => {
  jest.useFakeTimers();
  sent = [];
  authenticator = new Authenticator();
  const connection = {
    send: (node: Stanza) => Boolean(sent.push(node)),
    reply: (_request: Stanza, content: Stanza[] = []) => void sent.push(stanza('result', {}, content)),
    refuse: () => void sent.push(stanza('refused')),
  };
  const notices = new Notices();
  ceremony = new PasskeyCeremony({
    ...{ notices, authenticator, advSecret: SECRET },
    person: { phone: '4915550001000' } as Person,
    registration: { connection: connection as unknown as Connection, deviceType: 1 } as Registration,
    rules: new RulesOfLinking().of({ phone: '4915550001000' }),
    link: async () => undefined,
  });
  const { id, type } = sent[0]?.attrs ?? {};
  notices.acknowledge(stanza('ack', { id, type, class: 'notification' }));
});
afterEach(() => void jest.useRealTimers());

/** Answers the challenge as a device does that proves its secret. */
function answer(): void {
  ceremony.receive(stanza('iq', {}, [stanza('ref')]));
  const ref = textOf(child(sent.at(-1), 'ref')) ?? '';
  const key = Buffer.alloc(32, 2);
  const identity = proto.CompanionEphemeralIdentity.encode({ publicKey: key, deviceType: 1, ref }).finish();
  const payload = Buffer.from(
    proto.ProloguePayload.encode({
      companionEphemeralIdentity: identity,
      commitment: { hash: key },
    }).finish(),
  );
  const assertion = authenticator.answer(ceremony.challenge);
  const parts = [
    stanza('credential_id', {}, authenticator.credentialId),
    stanza('webauthn_assertion', {}, Buffer.from(JSON.stringify(assertion))),
    stanza('prologue_payload', {}, payload),
    stanza('pairing_handoff_proof', {}, handoffProof(SECRET, payload)),
  ];
  ceremony.receive(stanza('iq', {}, [stanza('passkey_prologue', {}, parts)]));
}

test('the proof of the secret that was shown is taken for five minutes, and is wrong after that', () => {
  jest.advanceTimersByTime(5 * 60_000);
  answer();
  expect([ceremony.stage, ceremony.problem]).toEqual(['continued', undefined]);
  expect(bytesOf(child(sent.at(-1), 'primary_ephemeral_identity'))).toBeDefined();
});

test('a proof that comes later than that is refused', () => {
  jest.advanceTimersByTime(5 * 60_000 + 1);
  answer();
  expect([ceremony.stage, ceremony.problem]).toEqual(['failed', 'PROOF_TOO_LATE']);
});

test('what has nothing to do with a passkey is left to others', () => {
  expect(ceremony.receive(stanza('iq', {}, [stanza('ping')]))).toBe(false);
});
