import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  type AssistantSettings,
  type AssistantSettingsReply,
  DeleteProvider,
  GetAssistantSettings,
  GetProvider,
  DemandEvals,
  Judge,
  NoteEvalsRun,
  Play,
  PublishAssistantSettings,
  type SessionRef,
  SetAssistantSettings,
  SetProvider,
} from '@svc/contracts';
import {
  assertFieldRefused,
  assertFields,
  assertRefused,
  type ContractCase,
  type ContractWorld,
  plain,
} from '../contract-case.js';

const actor = 'key:abcdefghijkl';
const CONFLICT = 'ASSISTANT_CONFLICT';
/** An address that names no host by a name: nobody is asked for it. */
const baseUrl = 'https://1.1.1.1/v1';

const aSession = (): SessionRef => ({ tenantId: randomUUID(), sessionId: randomUUID() });

function draft({ rpc }: ContractWorld, ref: SessionRef, settings: object): Promise<AssistantSettingsReply> {
  return rpc.request(SetAssistantSettings, { ...ref, settings: settings as AssistantSettings });
}

const PROVIDERS: ContractCase[] = [
  {
    name: 'a provider is shown with the end of its key, which stays where none is given, until it is forgotten',
    run: async ({ rpc }) => {
      const tenantId = randomUUID();
      assert.deepEqual(plain(await rpc.request(GetProvider, { tenantId })), {});
      const key = 'a-key-of-the-provider';
      const provider = { baseUrl, model: 'small-model', fallbackModel: 'other-model' };
      await rpc.request(SetProvider, { tenantId, ...provider, key, actor });
      const shown = await rpc.request(SetProvider, { tenantId, ...provider, actor });
      assert.deepEqual(plain(shown), {
        provider: { ...provider, kind: 'openai', keyEnding: 'ider', revision: 2 },
      });
      assert.deepEqual(plain(await rpc.request(GetProvider, { tenantId })), plain(shown));
      await rpc.request(DeleteProvider, { tenantId, actor });
      assert.deepEqual(plain(await rpc.request(GetProvider, { tenantId })), {});
    },
  },
  {
    name: 'a provider of another kind has no second model, and is shown with its kind',
    run: async (world) => {
      const request = { tenantId: randomUUID(), kind: 'dify' as const, baseUrl, model: 'shop', actor };
      await assertFieldRefused(world, SetProvider, { ...request, fallbackModel: 'other' }, 'fallbackModel');
      const { provider } = await world.rpc.request(SetProvider, request);
      assertFields(provider ?? {}, { kind: 'dify', model: 'shop' });
    },
  },
  {
    name: 'a provider at an address that may not be connected to is refused',
    run: (world) => {
      const request = { tenantId: randomUUID(), baseUrl: 'ftp://example.com', model: 'small-model', actor };
      return assertFieldRefused(world, SetProvider, request, 'baseUrl');
    },
  },
];

const SETTINGS: ContractCase[] = [
  {
    name: 'settings are a draft until they are published, and each draft that is published is a version of its own',
    run: async (world) => {
      const ref = aSession();
      assertFields(await world.rpc.request(GetAssistantSettings, ref), { revision: 0, published: null });
      assertFields(await draft(world, ref, { mode: 'auto' }), { revision: 1, published: null });
      const publish = { ...ref, actor };
      const { published } = await world.rpc.request(PublishAssistantSettings, publish);
      assertFields(published ?? {}, { version: 1 });
      assert.equal(published?.settings.mode, 'auto');
      const again = await world.rpc.request(PublishAssistantSettings, publish);
      assertFields(again.published ?? {}, { version: 1 });
      await draft(world, ref, { mode: 'off' });
      const second = await world.rpc.request(PublishAssistantSettings, publish);
      assertFields(second.published ?? {}, { version: 2 });
      const back = await world.rpc.request(PublishAssistantSettings, { ...publish, version: 1 });
      assertFields(back.published ?? {}, { version: 1 });
      assert.equal(back.draft.mode, 'off');
    },
  },
  {
    name: 'what somebody has changed meanwhile, and what is not there, is refused',
    run: async (world) => {
      const ref = aSession();
      await assertRefused(world, PublishAssistantSettings, { ...ref, actor }, CONFLICT);
      const { draft: settings } = await draft(world, ref, { mode: 'auto' });
      await assertRefused(world, SetAssistantSettings, { ...ref, settings, ifRevision: 2 }, CONFLICT);
      await assertRefused(world, PublishAssistantSettings, { ...ref, ifRevision: 2, actor }, CONFLICT);
      await assertRefused(world, PublishAssistantSettings, { ...ref, version: 7, actor }, CONFLICT);
    },
  },
];

const PLAYS: ContractCase[] = [
  {
    name: 'a conversation is tried out that ends with the contact, by a version where one holds',
    run: async (world) => {
      const ref = aSession();
      const contact = [{ from: 'contact' as const, text: 'When do you open?' }];
      const business = [{ from: 'business' as const, text: 'Welcome!' }];
      await assertFieldRefused(world, Play, { ...ref, messages: business, published: false }, 'messages');
      await assertRefused(world, Play, { ...ref, messages: contact, published: true }, CONFLICT);
      const { version } = await world.rpc.request(Play, { ...ref, messages: contact, published: false });
      assert.equal(version, null);
    },
  },
];

const EVALS: ContractCase[] = [
  {
    name: 'an answer is judged that ends with the business, each sentence by itself',
    run: async (world) => {
      const ref = { ...aSession(), criteria: ['It is short.', 'It is friendly.'] };
      const contact = [{ from: 'contact' as const, text: 'When do you open?' }];
      const messages = [...contact, { from: 'business' as const, text: 'At seven.' }];
      await assertFieldRefused(world, Judge, { ...ref, messages: contact }, 'messages');
      const { verdicts } = await world.rpc.request(Judge, { ...ref, messages });
      assert.equal(verdicts.length, 2);
    },
  },
  {
    name: 'where evals are demanded, a draft is published after a run in which all held, and earlier versions in any case',
    run: async (world) => {
      const ref = aSession();
      const publish = { ...ref, actor };
      await draft(world, ref, { mode: 'auto' });
      await world.rpc.request(PublishAssistantSettings, publish);
      assertFields(await world.rpc.request(DemandEvals, { ...publish, demanded: true }), {
        evalsDemanded: true,
      });
      await draft(world, ref, { mode: 'off' });
      await assertRefused(world, PublishAssistantSettings, publish, CONFLICT);
      const run = { revision: 2, conversations: 3, failed: 1 };
      await assertRefused(world, NoteEvalsRun, { ...ref, run: { ...run, revision: 1 } }, CONFLICT);
      await assertFieldRefused(world, NoteEvalsRun, { ...ref, run: { ...run, failed: 4 } }, 'failed');
      const { evals } = await world.rpc.request(NoteEvalsRun, { ...ref, run });
      assertFields(evals ?? {}, run);
      await assertRefused(world, PublishAssistantSettings, publish, CONFLICT);
      await world.rpc.request(NoteEvalsRun, { ...ref, run: { ...run, failed: 0 } });
      const { published } = await world.rpc.request(PublishAssistantSettings, publish);
      assertFields(published ?? {}, { version: 2 });
      const back = await world.rpc.request(PublishAssistantSettings, { ...publish, version: 1 });
      assertFields(back.published ?? {}, { version: 1 });
    },
  },
];

/** Cases of `assistant`: providers, settings, and what is tried out. */
export const assistantCases: ContractCase[] = [...PROVIDERS, ...SETTINGS, ...PLAYS, ...EVALS];
