import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  ChangeSession,
  CountSessions,
  CreateSession,
  type CreateSessionV1,
  GetSession,
  GetSessionQr,
  ListSessions,
  AnswerPasskey,
  ConfirmPasskey,
  GetPasskey,
  GiveUpPasskey,
  LookUpContact,
  MarkRead,
  RejectCall,
  type RequestContract,
  RequestPairingCode,
  type SessionRef,
  type SessionState,
  SetBotMode,
  SetTyping,
  UpdateSession,
} from '@svc/contracts';
import { waitFor } from '@svc/test-servers';
import {
  assertFieldRefused,
  assertFields,
  assertRefused,
  type ContractCase,
  type ContractWorld,
  plain,
} from './contract-case.js';

/** The world of these cases: it has a session that is linked to a number. */
export interface SessionWorld extends ContractWorld {
  linked: SessionRef;
}

type Any = RequestContract<SessionRef, object>;

/** Longest wait for a change, in ms: longer than the five seconds of a request, which a worker that has only begun may take. */
export const PATIENCE_MS = 60_000;
const PHONE = '15550001234';

const aSession = (fields: Partial<CreateSessionV1> = {}): CreateSessionV1 => ({
  ...{ tenantId: randomUUID(), sessionId: randomUUID(), name: 'Support line' },
  ...fields,
});

async function create({ rpc }: ContractWorld, request: CreateSessionV1 = aSession()): Promise<SessionRef> {
  await rpc.request(CreateSession, request, PATIENCE_MS);
  return { tenantId: request.tenantId, sessionId: request.sessionId };
}

async function read({ rpc }: ContractWorld, ref: SessionRef): Promise<SessionState> {
  return (await rpc.request(GetSession, ref)).session;
}

/** Requests that only a session that is connected carries out. */
const LIVE: [Any, object][] = [
  [LookUpContact as Any, { phone: PHONE }],
  [MarkRead as Any, { messages: [] }],
  [SetTyping as Any, { to: `${PHONE}@s.whatsapp.net`, state: 'composing' }],
  [RejectCall as Any, { callId: 'A-CALL' }],
];

const ASSERTION = {
  ...{ id: 'cGFzc2tleQ', rawId: 'cGFzc2tleQ', type: 'public-key' },
  response: { clientDataJSON: 'YQ', authenticatorData: 'Yg', signature: 'Yw' },
};

/** Requests about the link of a session that needs a passkey. */
const PASSKEY: [Any, object][] = [
  [GetPasskey as Any, {}],
  [AnswerPasskey as Any, { assertion: ASSERTION }],
  [ConfirmPasskey as Any, { code: 'ABCD-2345' }],
  [GiveUpPasskey as Any, {}],
];

/** Requests about one session, with the fields they need besides its ids. */
const ABOUT_ONE: [Any, object][] = [
  ...LIVE,
  [GetSession as Any, {}],
  [UpdateSession as Any, { name: 'Renamed' }],
  [ChangeSession as Any, { action: 'delete' }],
  [GetSessionQr as Any, {}],
  [RequestPairingCode as Any, { phone: PHONE }],
  [SetBotMode as Any, { botMode: 'EXTERNAL' }],
  ...PASSKEY,
];

const MAKING: ContractCase<SessionWorld>[] = [
  {
    name: 'a new session is about to connect, has no number yet, and is answered by the managed bot',
    run: async (world) => {
      const request = aSession();
      const { session } = await world.rpc.request(CreateSession, request, PATIENCE_MS);
      assertFields(session, { id: request.sessionId, name: 'Support line', phone: null, botMode: 'MANAGED' });
      // The owner of the session may be fast.
      assert.ok(['NEW', 'CONNECTING', 'AWAITING_SCAN'].includes(session.status), session.status);
      assert.ok(Math.abs(Date.parse(session.createdAt) - Date.now()) < 60_000, 'created now');
    },
  },
  {
    name: 'a creation that is repeated with the same id makes no second session and changes nothing',
    run: async (world) => {
      const request = aSession({ most: 1 });
      await create(world, request);
      const { session } = await world.rpc.request(CreateSession, { ...request, name: 'Other' }, PATIENCE_MS);
      assertFields(session, { id: request.sessionId, name: 'Support line' });
      const { count } = await world.rpc.request(CountSessions, { tenantId: request.tenantId });
      assert.equal(count, 1);
    },
  },
  {
    name: 'an id that another tenant has is FORBIDDEN, and stays the other tenant’s',
    run: async (world) => {
      const ref = await create(world);
      const stolen = aSession({ sessionId: ref.sessionId, name: 'Mine' });
      await assertRefused(world, CreateSession, stolen, 'FORBIDDEN');
      assertFields(await read(world, ref), { name: 'Support line' });
    },
  },
  {
    name: 'a session more than the tenant may have is refused with what the plan has and what is used',
    run: async (world) => {
      const { tenantId } = await create(world);
      const one = aSession({ tenantId, most: 1 });
      const meta = { layer: 'plan', resource: 'sessions', limit: 1, used: 1 };
      await assertRefused(world, CreateSession, one, 'RATE_LIMITED', meta);
      await assertRefused(world, GetSession, { tenantId, sessionId: one.sessionId }, 'SESSION_NOT_FOUND');
    },
  },
  {
    name: 'a session is online only at times unless its creation or a later change says otherwise, and tells which',
    run: async (world) => {
      const ref = await create(world);
      assertFields(await read(world, ref), { alwaysOnline: false });
      const change = { ...ref, alwaysOnline: true };
      const { session } = await world.rpc.request(UpdateSession, change, PATIENCE_MS);
      assertFields(session, { name: 'Support line', alwaysOnline: true });
      const always = await create(world, aSession({ alwaysOnline: true }));
      assertFields(await read(world, always), { alwaysOnline: true });
    },
  },
  {
    name: 'a session rejects no calls unless its creation or a later change says so, and tells which, and with which words',
    run: async (world) => {
      const ref = await create(world);
      assertFields(await read(world, ref), { rejectCalls: false, callReply: null });
      const change = { ...ref, rejectCalls: true, callReply: 'Please write.' };
      await world.rpc.request(UpdateSession, change, PATIENCE_MS);
      const { session } = await world.rpc.request(UpdateSession, { ...ref, callReply: null }, PATIENCE_MS);
      assertFields(session, { rejectCalls: true, callReply: null });
      const deaf = await create(world, aSession({ rejectCalls: true, callReply: 'Please write.' }));
      assertFields(await read(world, deaf), { rejectCalls: true, callReply: 'Please write.' });
    },
  },
  {
    name: 'a name or a proxy that breaks its rule is refused with the field',
    run: async (world) => {
      await assertFieldRefused(world, CreateSession, aSession({ name: '' }), 'name');
      await assertFieldRefused(world, CreateSession, aSession({ proxy: 'ftp://proxy.example.com' }), 'proxy');
      const ref = await create(world);
      const change = { ...ref, proxy: 'socks5://proxy.example.com/path' };
      await assertFieldRefused(world, UpdateSession, change, 'proxy');
    },
  },
];

const READING: ContractCase<SessionWorld>[] = [
  {
    name: 'every request about a session is FORBIDDEN to another tenant, and SESSION_NOT_FOUND where there is none',
    run: async (world) => {
      const ref = await create(world);
      for (const [contract, more] of ABOUT_ONE) {
        await assertRefused(world, contract, { ...ref, tenantId: randomUUID(), ...more }, 'FORBIDDEN');
        const nobodys = { ...ref, sessionId: randomUUID(), ...more };
        await assertRefused(world, contract, nobodys, 'SESSION_NOT_FOUND');
      }
      assertFields(await read(world, ref), { name: 'Support line', botMode: 'MANAGED' });
    },
  },
  {
    name: 'sessions are listed newest first, page by page, and counted; those of other tenants are neither',
    run: async (world) => {
      const tenantId = randomUUID();
      // Ids grow with time, as those of the gateway do.
      const ids = Array.from({ length: 3 }, () => randomUUID()).toSorted();
      for (const sessionId of ids) await create(world, aSession({ tenantId, sessionId }));
      await create(world);
      const page = async (before?: string): Promise<string[]> => {
        const request = { tenantId, limit: 2, ...(before && { before }) };
        return (await world.rpc.request(ListSessions, request)).sessions.map(({ id }) => id);
      };
      const newest = ids.toReversed();
      assert.deepEqual(await page(), newest.slice(0, 2));
      assert.deepEqual(await page(newest[1]), newest.slice(2));
      assert.deepEqual(await page(newest[2]), []);
      assert.equal((await world.rpc.request(CountSessions, { tenantId })).count, 3);
    },
  },
  {
    name: 'a session says how many of its tenant are older, counted as far as it was asked',
    run: async (world) => {
      const tenantId = randomUUID();
      const ids = Array.from({ length: 3 }, () => randomUUID()).toSorted();
      for (const sessionId of ids) await create(world, aSession({ tenantId, sessionId }));
      const older = async (index: number, countOlderTo?: number): Promise<number | undefined> => {
        const bound = countOlderTo === undefined ? {} : { countOlderTo };
        const request = { tenantId, sessionId: ids[index] as string, ...bound };
        return (await world.rpc.request(GetSession, request)).older;
      };
      assert.deepEqual([await older(0), await older(1), await older(2), await older(2, 1)], [0, 1, 2, 1]);
    },
  },
];

const CHANGING: ContractCase<SessionWorld>[] = [
  {
    name: 'a change of the name replies with it, and leaves everything else',
    run: async (world) => {
      const ref = await create(world);
      const { session } = await world.rpc.request(UpdateSession, { ...ref, name: 'Sales' });
      assertFields(session, { id: ref.sessionId, name: 'Sales', botMode: 'MANAGED', phone: null });
      await world.rpc.request(UpdateSession, ref);
      assertFields(await read(world, ref), { name: 'Sales' });
    },
  },
  {
    name: 'the bot mode is what it was set to last',
    run: async (world) => {
      const ref = await create(world);
      for (const botMode of ['EXTERNAL', 'MANAGED'] as const) {
        const { session } = await world.rpc.request(SetBotMode, { ...ref, botMode });
        assertFields(session, { id: ref.sessionId, botMode });
        assertFields(await read(world, ref), { botMode });
      }
    },
  },
  {
    name: 'a session that is deleted is there no more: neither read, nor listed, nor counted',
    run: async (world) => {
      const ref = await create(world);
      const { tenantId } = ref;
      const deletion = { ...ref, action: 'delete' as const };
      const { session } = await world.rpc.request(ChangeSession, deletion, PATIENCE_MS);
      assert.equal(session.id, ref.sessionId);
      for (const [contract, more] of ABOUT_ONE) {
        await assertRefused(world, contract, { ...ref, ...more }, 'SESSION_NOT_FOUND');
      }
      assert.deepEqual((await world.rpc.request(ListSessions, { tenantId, limit: 10 })).sessions, []);
      assert.equal((await world.rpc.request(CountSessions, { tenantId })).count, 0);
    },
  },
  {
    name: 'connecting and disconnecting reply with the session',
    run: async (world) => {
      const ref = await create(world);
      for (const action of ['disconnect', 'connect'] as const) {
        const { session } = await world.rpc.request(ChangeSession, { ...ref, action }, PATIENCE_MS);
        assert.equal(session.id, ref.sessionId);
      }
    },
  },
];

const LINKING: ContractCase<SessionWorld>[] = [
  {
    name: 'a session that waits for its number shows a QR code, and until when it is good',
    run: async (world) => {
      const ref = await create(world);
      const look = () => world.rpc.request(GetSessionQr, ref).catch(() => undefined);
      const { qr, expiresAt } = await waitFor('a QR code', look, PATIENCE_MS);
      assert.match(qr, /^[^,]+(,[^,]+)+$/);
      assert.ok(Date.parse(expiresAt) > Date.now() - 1_000, 'it is good for a while');
    },
  },
  {
    name: 'a session that is linked cannot be linked once more by a pairing code',
    run: async (world) => {
      await assertRefused(world, RequestPairingCode, { ...world.linked, phone: PHONE }, 'ALREADY_LINKED');
    },
  },
  {
    name: 'a session of which the platform wants no passkey has none to show, to answer, to confirm or to give up',
    run: async (world) => {
      for (const [contract, more] of PASSKEY) {
        await assertRefused(world, contract, { ...world.linked, ...more }, 'PASSKEY_NOT_FOUND');
      }
    },
  },
  {
    name: 'only a session that is connected looks up numbers, marks messages read, shows that it types and rejects calls',
    run: async (world) => {
      const ref = await create(world);
      for (const [contract, more] of LIVE) {
        const meta = { sessionId: ref.sessionId };
        await assertRefused(world, contract, { ...ref, ...more }, 'SESSION_NOT_CONNECTED', meta);
      }
    },
  },
  {
    name: 'a session that is connected shows that it types, and knows its number',
    run: async (world) => {
      const session = await read(world, world.linked);
      assertFields(session, { status: 'CONNECTED' });
      assert.match(session.phone ?? '', /^\+\d{7,15}$/);
      const typing = { ...world.linked, to: `${PHONE}@s.whatsapp.net`, state: 'composing' as const };
      assert.deepEqual(plain(await world.rpc.request(SetTyping, typing, PATIENCE_MS)), {});
    },
  },
  {
    name: 'a call that nobody makes cannot be rejected: it is CALL_NOT_RINGING',
    run: async (world) => {
      const callId = randomUUID();
      await assertRefused(world, RejectCall, { ...world.linked, callId }, 'CALL_NOT_RINGING', { callId });
    },
  },
];

/** Contract cases of `session-worker`: sessions as the gateway asks about them. */
export const sessionCases: readonly ContractCase<SessionWorld>[] = [
  ...MAKING,
  ...READING,
  ...CHANGING,
  ...LINKING,
];
