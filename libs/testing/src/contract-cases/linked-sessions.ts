import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  CreateSession,
  LookUpContact,
  MarkRead,
  type ReceivedMessageRef,
  RejectCall,
  RequestPairingCode,
} from '@svc/contracts';
import { waitFor } from '@svc/test-servers';
import { assertRefused, type ContractCase, plain } from './contract-case.js';
import { PATIENCE_MS, type SessionWorld } from './sessions.js';

/** The world of these cases: the linked session gets messages, and the platform knows one of two numbers. */
export interface LinkedWorld extends SessionWorld {
  numbers: { known: string; unknown: string };
  /** Writes a message to the linked session, and waits until it has arrived. */
  received(): Promise<ReceivedMessageRef>;
  /** Calls the linked session; returns the id of the call once it rings there. */
  called(): Promise<string>;
}

const CASES: readonly ContractCase<LinkedWorld>[] = [
  {
    name: 'a session that waits for its number shows a pairing code for the phone that asks, the same one again',
    run: async ({ rpc }) => {
      const ref = { tenantId: randomUUID(), sessionId: randomUUID() };
      await rpc.request(CreateSession, { ...ref, name: 'Support line' }, PATIENCE_MS);
      const asked = { ...ref, phone: '15550001235' };
      const look = () => rpc.request(RequestPairingCode, asked, PATIENCE_MS).catch(() => undefined);
      const shown = await waitFor('a pairing code', look, PATIENCE_MS);
      assert.match(shown.code, /^[A-Z0-9]{8}$/);
      assert.ok(Date.parse(shown.expiresAt) > Date.now() - 1_000, 'it is good for a while');
      assert.equal((await rpc.request(RequestPairingCode, asked, PATIENCE_MS)).code, shown.code);
    },
  },
  {
    name: 'a session that is connected says which numbers the platform knows, and under which address',
    run: async ({ rpc, linked, numbers: { known, unknown } }) => {
      const of = async (phone: string) =>
        plain(await rpc.request(LookUpContact, { ...linked, phone }, PATIENCE_MS));
      assert.deepEqual(await of(known), {
        ...{ phone: `+${known}`, exists: true, address: `${known}@s.whatsapp.net` },
      });
      assert.deepEqual(await of(unknown), { phone: `+${unknown}`, exists: false, address: null });
    },
  },
  {
    name: 'a session that is connected marks messages that it got as read, also again, and none where none is named',
    run: async ({ rpc, linked, received }) => {
      const messages = [await received()];
      for (const read of [messages, messages, []])
        assert.deepEqual(plain(await rpc.request(MarkRead, { ...linked, messages: read }, PATIENCE_MS)), {});
    },
  },
  {
    name: 'a session that is connected rejects a call that rings, once',
    run: async (world) => {
      const callId = await world.called();
      const rejection = { ...world.linked, callId };
      assert.deepEqual(plain(await world.rpc.request(RejectCall, rejection, PATIENCE_MS)), {});
      await assertRefused(world, RejectCall, rejection, 'CALL_NOT_RINGING', { callId });
    },
  },
];

/** Contract cases of `session-worker`: what only a session does that is linked, or about to be. */
export const linkedSessionCases: readonly ContractCase<LinkedWorld>[] = [...CASES];
