import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { GetFigures, ListHandoffs, ListTurns, SetConversationOwner } from '@svc/contracts';
import { assertFields, type ContractCase, plain } from '../contract-case.js';

const chat = '4915112345678@s.whatsapp.net';

const OWNERS: ContractCase[] = [
  {
    name: "a conversation is a person's until it is resumed, and is listed for as long, the one handed over last first",
    run: async ({ rpc }) => {
      const tenantId = randomUUID();
      const [first, second] = [randomUUID(), randomUUID()];
      const hand = { tenantId, chat, owner: 'HUMAN' as const };
      const open = await rpc.request(SetConversationOwner, { ...hand, sessionId: first });
      assert.deepEqual(plain(open), { owner: 'HUMAN', reason: 'REQUESTED' });
      const bounded = await rpc.request(SetConversationOwner, { ...hand, sessionId: second, minutes: 60 });
      assert.ok(Date.parse(bounded.until ?? '') > Date.now(), bounded.until);
      const { handoffs } = await rpc.request(ListHandoffs, { tenantId, limit: 10 });
      assert.deepEqual(
        handoffs.map(({ sessionId }) => sessionId),
        [second, first],
      );
      assertFields(handoffs[1] ?? {}, { tenantId, chat, reason: 'REQUESTED', until: null });
      const before = String(handoffs[0]?.id);
      const rest = await rpc.request(ListHandoffs, { tenantId, limit: 10, before });
      assert.deepEqual(plain(rest.handoffs), plain(handoffs.slice(1)));
      const back = { tenantId, chat, sessionId: first, owner: 'ASSISTANT' as const };
      assert.deepEqual(plain(await rpc.request(SetConversationOwner, back)), { owner: 'ASSISTANT' });
      const left = await rpc.request(ListHandoffs, { tenantId, limit: 10 });
      assert.deepEqual(plain(left.handoffs), plain(handoffs.slice(0, 1)));
    },
  },
];

const TURNS: ContractCase[] = [
  {
    name: 'a session that nobody has written to has no turns',
    run: async ({ rpc }) => {
      const reply = await rpc.request(ListTurns, {
        ...{ tenantId: randomUUID(), sessionId: randomUUID(), limit: 10 },
      });
      assert.deepEqual(plain(reply), { turns: [] });
    },
  },
  {
    name: 'its figures are zeros, of each day that is asked for',
    run: async ({ rpc }) => {
      const ref = { tenantId: randomUUID(), sessionId: randomUUID() };
      const { days, ...figures } = await rpc.request(GetFigures, { ...ref, days: 2 });
      const none = { turns: 0, answered: 0, handedOff: 0, tokens: 0 };
      assert.deepEqual(plain(figures), {
        ...{ ...none, since: `${String(days[0]?.day)}T00:00:00.000Z`, conversations: 0 },
        ...{ tokensPerConversation: 0, lostCalls: 0, outcomes: [] },
      });
      const today = Date.now();
      assert.deepEqual(
        plain(days),
        [today - 86_400_000, today].map((at) => ({ day: new Date(at).toISOString().slice(0, 10), ...none })),
      );
    },
  },
];

/** Cases of `assistant`: who has a conversation, and what it did. */
export const assistantConversationCases: ContractCase[] = [...OWNERS, ...TURNS];
