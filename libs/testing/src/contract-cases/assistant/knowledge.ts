import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  AddKnowledge,
  DeleteKnowledge,
  DismissGap,
  GetKnowledge,
  ListGaps,
  ListKnowledge,
  SearchKnowledge,
} from '@svc/contracts';
import type { SessionRef } from '@svc/contracts';
import {
  assertFieldRefused,
  assertFields,
  assertRefused,
  type ContractCase,
  type ContractWorld,
  plain,
} from '../contract-case.js';

/** World of these cases. */
export interface KnowledgeWorld extends ContractWorld {
  /** Has a contact ask what no source has an answer to. */
  missed(ref: SessionRef, question: string): Promise<void>;
}

const text = 'We are open from Monday to Friday.';

const KNOWLEDGE: ContractCase<KnowledgeWorld>[] = [
  {
    name: 'a source is listed, found and read until it is deleted',
    run: async (world) => {
      const { rpc } = world;
      const ref = { tenantId: randomUUID(), sessionId: randomUUID() };
      const first = (await rpc.request(AddKnowledge, { ...ref, source: { title: 'Hours', text } })).source;
      assertFields(first, {
        kind: 'TEXT',
        title: 'Hours',
        state: 'READY',
        characters: text.length,
        url: null,
      });
      const second = (await rpc.request(AddKnowledge, { ...ref, source: { title: 'More', text: 'Bread' } }))
        .source;
      const list = async (before?: string): Promise<string[]> => {
        const { sources } = await rpc.request(ListKnowledge, {
          ...ref,
          limit: 10,
          ...(before && { before }),
        });
        return sources.map(({ id }) => id);
      };
      assert.deepEqual(await list(), [second.id, first.id]);
      assert.deepEqual(await list(second.id), [first.id]);
      const { source } = await rpc.request(GetKnowledge, { ...ref, id: first.id });
      assert.deepEqual(plain(source), { ...(plain(first) as object), text });
      const { items } = await rpc.request(SearchKnowledge, { ...ref, query: 'open Monday' });
      assert.deepEqual(
        items.map(({ sourceId, title, text: passage }) => [sourceId, title, passage]),
        [[first.id, 'Hours', text]],
      );
      await rpc.request(DeleteKnowledge, { ...ref, id: first.id });
      assert.deepEqual(await list(), [second.id]);
      for (const contract of [GetKnowledge, DeleteKnowledge])
        await assertRefused(world, contract, { ...ref, id: first.id }, 'KNOWLEDGE_NOT_FOUND');
    },
  },
  {
    name: 'a source is a text, or an address or a file, which are read later',
    run: async (world) => {
      const ref = { tenantId: randomUUID(), sessionId: randomUUID() };
      await assertFieldRefused(world, AddKnowledge, { ...ref, source: { title: 'Hours' } }, 'text');
      const both = { title: 'Hours', text, url: 'https://example.com/' };
      await assertFieldRefused(world, AddKnowledge, { ...ref, source: both }, 'text');
      const { text: _, ...address } = both;
      const { source } = await world.rpc.request(AddKnowledge, { ...ref, source: address });
      assertFields(source, {
        kind: 'ADDRESS',
        state: 'WAITING',
        url: address.url,
        refreshHours: 24,
        characters: 0,
      });
      const mediaId = randomUUID();
      await assertFieldRefused(world, AddKnowledge, { ...ref, source: { ...address, mediaId } }, 'mediaId');
      const file = { ...ref, source: { title: 'Hours', mediaId } };
      const { source: ofFile } = await world.rpc.request(AddKnowledge, file);
      assertFields(ofFile, { kind: 'FILE', state: 'WAITING', url: null, refreshHours: null, characters: 0 });
    },
  },
  {
    name: 'a gap is listed, the one asked last first, until it is dismissed',
    run: async (world) => {
      const { rpc } = world;
      const ref = { tenantId: randomUUID(), sessionId: randomUUID() };
      const list = async (before?: string) =>
        (await rpc.request(ListGaps, { ...ref, limit: 10, ...(before && { before }) })).gaps;
      assert.deepEqual(await list(), []);
      for (const question of ['First?', 'Second?']) await world.missed(ref, question);
      const [second, first] = await list();
      assertFields(second ?? {}, { question: 'Second?', count: 1 });
      assert.deepEqual(plain(await list(second?.place)), [plain(first)]);
      const gone = { ...ref, id: String(first?.id) };
      await rpc.request(DismissGap, gone);
      assert.deepEqual(plain(await list()), [plain(second)]);
      await assertRefused(world, DismissGap, gone, 'KNOWLEDGE_NOT_FOUND');
    },
  },
];

/** Cases of `assistant`: what it knows. */
export const assistantKnowledgeCases: ContractCase<KnowledgeWorld>[] = [...KNOWLEDGE];
