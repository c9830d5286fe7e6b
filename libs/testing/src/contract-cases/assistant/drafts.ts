import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { ApproveDraft, DiscardDraft, type DraftRef, ListDrafts } from '@svc/contracts';
import {
  assertFields,
  assertRefused,
  type ContractCase,
  type ContractWorld,
  plain,
} from '../contract-case.js';

/** The world of these cases: the assistant has drafted an answer in it, each time of a new tenant. */
export interface DraftWorld extends ContractWorld {
  drafted(): Promise<DraftRef>;
}

const CONFLICT = 'DRAFT_CONFLICT';

async function idsOf({ rpc }: ContractWorld, tenantId: string): Promise<string[]> {
  return (await rpc.request(ListDrafts, { tenantId, limit: 10 })).drafts.map(({ id }) => id);
}

const DRAFTS: ContractCase<DraftWorld>[] = [
  {
    name: 'a draft is listed until it is approved, and its text stays the one of that',
    run: async (world) => {
      const ref = await world.drafted();
      assert.deepEqual(await idsOf(world, ref.tenantId), [ref.draftId]);
      const sent = await world.rpc.request(ApproveDraft, { ...ref, text: 'We open at ten.' });
      assertFields(sent, { id: ref.draftId, text: 'We open at ten.' });
      assert.deepEqual(plain(await world.rpc.request(ApproveDraft, ref)), plain(sent));
      await assertRefused(world, ApproveDraft, { ...ref, text: 'At eleven.' }, CONFLICT);
      await assertRefused(world, DiscardDraft, ref, CONFLICT);
      assert.deepEqual(await idsOf(world, ref.tenantId), []);
    },
  },
  {
    name: 'a draft that is discarded is not approved',
    run: async (world) => {
      const ref = await world.drafted();
      for (let count = 0; count < 2; count += 1)
        assert.deepEqual(plain(await world.rpc.request(DiscardDraft, ref)), {});
      await assertRefused(world, ApproveDraft, ref, CONFLICT);
      assert.deepEqual(await idsOf(world, ref.tenantId), []);
    },
  },
  {
    name: 'a draft that is not there, or of another tenant, is neither approved nor discarded',
    run: async (world) => {
      const { draftId } = await world.drafted();
      const tenantId = randomUUID();
      for (const contract of [ApproveDraft, DiscardDraft]) {
        await assertRefused(world, contract, { tenantId, draftId }, 'FORBIDDEN');
        await assertRefused(world, contract, { tenantId, draftId: randomUUID() }, 'DRAFT_NOT_FOUND');
      }
    },
  },
];

/** Cases of `assistant`: drafts. */
export const assistantDraftCases: ContractCase<DraftWorld>[] = [...DRAFTS];
