import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { EndMessage, type EndMessageV1 } from '@svc/contracts';
import { assertRefused, type ContractCase, plain } from './contract-case.js';
import type { SessionWorld } from './sessions.js';

/** Asks to cancel a text that no worker has heard of yet. */
const anEnd = ({ linked: { tenantId, sessionId } }: SessionWorld): EndMessageV1 => ({
  tenantId,
  message: {
    ...{ jobId: randomUUID(), sessionId, to: '15550200778@s.whatsapp.net' },
    ...{ content: { type: 'text', text: 'Hello' }, clientMessageId: null },
    acceptedAt: '2026-01-31T12:00:00.000Z',
  },
  code: 'CANCELED',
});

const CASES: readonly ContractCase<SessionWorld>[] = [
  {
    name: 'a message whose command has not come yet fails as asked, and whatever is asked later that end stays',
    run: async (world) => {
      const request = anEnd(world);
      const ended = await world.rpc.request(EndMessage, request);
      assert.equal(ended.status, 'FAILED');
      assert.equal(ended.failure?.code, 'CANCELED');
      const again = await world.rpc.request(EndMessage, { ...request, code: 'EXPIRED' });
      assert.deepEqual(plain(again), plain(ended));
    },
  },
  {
    name: 'a message of another tenant is not found',
    run: async (world) => {
      const request = anEnd(world);
      await world.rpc.request(EndMessage, request);
      const stranger = { ...request, tenantId: randomUUID() };
      await assertRefused(world, EndMessage, stranger, 'MESSAGE_NOT_FOUND');
    },
  },
];

/** Contract cases of `session-worker`: the end of a message that has not begun to go out. */
export const endMessageCases: readonly ContractCase<SessionWorld>[] = [...CASES];
