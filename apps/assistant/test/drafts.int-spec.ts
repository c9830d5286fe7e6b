import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  ApproveDraft,
  DiscardDraft,
  ListDrafts,
  type ListedDraft,
  ListTurns,
  MessageSent,
  SessionModeChanged,
} from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { Retention } from '@svc/service';
import { waitFor } from '@svc/testing';
import { aContact, Scene, type Shop } from './scene.js';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.start();
});
afterAll(() => scene.stop());
beforeEach(() => {
  scene.around.onAnswer = () => ({ outcome: 'ACCEPTED' });
});

const ACCEPTED = { outcome: 'ACCEPTED' };
const CONFLICT = { code: 'DRAFT_CONFLICT' };

const draftsOf = async ({ tenantId, sessionId }: Shop): Promise<ListedDraft[]> =>
  (await scene.service.rpc.request(ListDrafts, { tenantId, sessionId, limit: 10 })).drafts;

const approve = ({ tenantId }: Shop, { id: draftId }: { id: string }, text?: string) =>
  scene.service.rpc.request(ApproveDraft, { tenantId, draftId, ...(text === undefined ? {} : { text }) });

const discard = ({ tenantId }: Shop, { id: draftId }: { id: string }) =>
  scene.service.rpc.request(DiscardDraft, { tenantId, draftId });

/** A contact writes, and the answer becomes a draft. */
async function drafted(shop: Shop, chat = aContact(), turns = 1): Promise<ListedDraft> {
  await shop.write(chat, 'When do you open?');
  expect((await shop.ended(chat, turns)).at(-1)).toEqual({ outcome: 'DRAFTED', detail: null });
  const draft = (await draftsOf(shop)).find((one) => one.chat === chat);
  if (!draft) throw new Error('There is no draft.');
  return draft;
}

const asShop = async (): Promise<Shop> => {
  const shop = await scene.shop({ mode: 'draft', splitAnswers: true });
  await scene.model.rules(shop.key, [{ text: 'At nine.\n\nOn Sundays at ten.' }]);
  return shop;
};

describe('in draft mode an answer', () => {
  test('waits, as one message, and is sent once by a member, however often it is approved', async () => {
    const shop = await asShop();
    const chat = aContact();
    const draft = await drafted(shop, chat);
    const { tenantId, sessionId } = shop;
    expect(draft).toMatchObject({
      chat,
      tenantId,
      sessionId,
      text: 'At nine.\n\nOn Sundays at ten.',
      version: 1,
    });
    expect(Date.parse(draft.expiresAt) - Date.parse(draft.createdAt)).toBe(86_400_000);
    expect(scene.around.textsOf(sessionId)).toEqual([]);
    const [first, second] = await Promise.all([approve(shop, draft), approve(shop, draft)]);
    expect([second, await approve(shop, draft)]).toEqual([first, first]);
    const sent = scene.around.sent.filter((answer) => answer.sessionId === sessionId);
    expect(sent).toMatchObject([{ jobId: first.jobId, text: draft.text, sentBy: 'MEMBER' }]);
    expect(await draftsOf(shop)).toEqual([]);
    const { turns } = await scene.service.rpc.request(ListTurns, { tenantId, sessionId, limit: 10 });
    expect(turns).toMatchObject([
      {
        id: draft.turnId,
        outcome: 'DRAFTED',
        mode: 'draft',
        messages: [sent[0]?.after],
        jobs: [first.jobId],
      },
    ]);
  });

  test('is sent with another text, which stays the only one', async () => {
    const shop = await asShop();
    const draft = await drafted(shop);
    const sent = await approve(shop, draft, 'At eight.');
    expect(await approve(shop, draft, 'At eight.')).toEqual(sent);
    await expect(approve(shop, draft, 'At seven.')).rejects.toMatchObject({
      ...CONFLICT,
      meta: { jobId: sent.jobId },
    });
    expect(scene.around.textsOf(shop.sessionId)).toEqual(['At eight.']);
  });

  test('is discarded, and not sent any more; one that is sent is not discarded', async () => {
    const shop = await asShop();
    const draft = await drafted(shop);
    for (let count = 0; count < 2; count += 1) await discard(shop, draft);
    await expect(approve(shop, draft)).rejects.toMatchObject(CONFLICT);
    const other = await drafted(shop);
    await approve(shop, other);
    await expect(discard(shop, other)).rejects.toMatchObject(CONFLICT);
    expect(scene.around.textsOf(shop.sessionId)).toHaveLength(1);
  });

  test('waits again where the send is refused, with its own text', async () => {
    const shop = await asShop();
    const draft = await drafted(shop);
    const refusal = { code: 'SESSION_NOT_CONNECTED', message: 'Away.', meta: {} };
    scene.around.onAnswer = () => ({ outcome: 'REFUSED', refusal });
    await expect(approve(shop, draft, 'At eight.')).rejects.toMatchObject({ code: 'SESSION_NOT_CONNECTED' });
    expect(await draftsOf(shop)).toEqual([draft]);
    scene.around.onAnswer = () => ACCEPTED;
    expect(await approve(shop, draft)).toMatchObject({ text: draft.text });
  });

  test('keeps the text of a try of which nobody knows what became', async () => {
    const shop = await asShop();
    const draft = await drafted(shop);
    scene.around.onAnswer = () => Promise.reject(new Error('gone'));
    await expect(approve(shop, draft, 'At eight.')).rejects.toMatchObject({ code: 'INTERNAL' });
    scene.around.onAnswer = () => ({
      ...{ outcome: 'REFUSED', refusal: { code: 'SESSION_NOT_CONNECTED', message: 'Away.', meta: {} } },
    });
    await expect(approve(shop, draft)).rejects.toMatchObject({ code: 'SESSION_NOT_CONNECTED' });
    scene.around.onAnswer = () => ACCEPTED;
    await expect(approve(shop, draft, 'At seven.')).rejects.toMatchObject(CONFLICT);
    await expect(discard(shop, draft)).rejects.toMatchObject(CONFLICT);
    expect(await approve(shop, draft)).toMatchObject({ text: 'At eight.' });
  });
});

describe('a draft ends', () => {
  test('when the contact writes again, also before there is another', async () => {
    const shop = await asShop();
    const chat = aContact();
    const first = await drafted(shop, chat);
    await shop.settings({ mode: 'draft', debounceMs: 60_000 });
    await shop.write(chat, 'Hello?');
    await waitFor('the message to be taken', async () => (await draftsOf(shop)).length === 0);
    await expect(approve(shop, first)).rejects.toMatchObject(CONFLICT);
    expect(scene.around.textsOf(shop.sessionId)).toEqual([]);
  });

  test('when somebody else has answered, as the gateway knows', async () => {
    const shop = await asShop();
    const draft = await drafted(shop);
    scene.around.onAnswer = () => ({ outcome: 'OVERTAKEN' });
    await expect(approve(shop, draft)).rejects.toMatchObject(CONFLICT);
    scene.around.onAnswer = () => ACCEPTED;
    await expect(approve(shop, draft)).rejects.toMatchObject(CONFLICT);
    expect(await draftsOf(shop)).toEqual([]);
  });

  test('when a person writes on the phone, or the session gets another bot', async () => {
    const shop = await asShop();
    const { tenantId, sessionId } = shop;
    const draft = await drafted(shop);
    await drafted(shop);
    await shop.write(draft.chat, 'I am at it.', { fromMe: true });
    await waitFor('one to end', async () => (await draftsOf(shop)).length === 1);
    await expect(approve(shop, draft)).rejects.toMatchObject(CONFLICT);
    const change = { before: 'MANAGED', botMode: 'EXTERNAL', modeVersion: 1 } as const;
    const data = { sessionId, ...change, timestamp: new Date().toISOString() };
    await shop.publish(envelopeOf(SessionModeChanged, { tenantId }, data));
    await waitFor('the other to end', async () => (await draftsOf(shop)).length === 0);
  });

  test('after a day, and is not there any more', async () => {
    const shop = await asShop();
    const draft = await drafted(shop);
    await scene.service.database.query(
      `UPDATE assistant.draft SET expires_at = clock_timestamp() - interval '1 second' WHERE id = '${draft.id}'`,
    );
    expect(await draftsOf(shop)).toEqual([]);
    await expect(approve(shop, draft)).rejects.toMatchObject({ code: 'DRAFT_NOT_FOUND' });
    await scene.service.get(Retention).deleteOld();
    const query = `SELECT FROM assistant.draft WHERE id = '${draft.id}'`;
    expect(await scene.service.database.query(query)).toEqual([]);
  });

  test('where 500 newer ones of the session wait', async () => {
    const shop = await asShop();
    const draft = await drafted(shop);
    await scene.service.database.query(
      `WITH turns AS (INSERT INTO assistant.turn (id, tenant_id, session_id, chat, first_at, due_at, state, outcome)
         SELECT gen_random_uuid(), '${shop.tenantId}', '${shop.sessionId}', 'chat ' || n, now(), now(), 'DONE', 'DRAFTED'
         FROM generate_series(1, 499) n RETURNING *)
       INSERT INTO assistant.draft (id, tenant_id, session_id, chat, turn_id, job_id, after_id, version, text, made, created_at, expires_at)
         SELECT ('f' || substr(gen_random_uuid()::text, 2))::uuid, tenant_id, session_id, chat, id, gen_random_uuid(), id, 1, 'x', 'x', now(),
           now() + interval '1 day' FROM turns`,
    );
    const chat = aContact();
    await shop.write(chat, 'When do you open?');
    await shop.ended(chat);
    await expect(approve(shop, draft)).rejects.toMatchObject({ code: 'DRAFT_NOT_FOUND' });
  });
});

test('a draft that was approved leaves the conversation to the assistant', async () => {
  const shop = await asShop();
  const { tenantId, sessionId } = shop;
  const draft = await drafted(shop);
  const { jobId } = await approve(shop, draft);
  const data = {
    ...{ sessionId, jobId, messageId: jobId, keyId: jobId, clientMessageId: null, to: draft.chat },
    ...{ sentBy: 'MEMBER' as const, timestamp: new Date().toISOString() },
  };
  await shop.publish(envelopeOf(MessageSent, { tenantId }, data));
  const marker = aContact();
  const byHand = { ...data, jobId: tenantId, to: marker };
  await shop.publish(envelopeOf(MessageSent, { tenantId }, byHand));
  await waitFor("the other one to be a person's", async () => {
    const rows = await scene.service.database.query(`SELECT FROM assistant.handoff WHERE chat = '${marker}'`);
    return rows.length > 0;
  });
  await drafted(shop, draft.chat, 2);
});

test('a conversation that is handed over is so at once, with the text as a draft', async () => {
  const shop = await scene.shop({
    mode: 'draft',
    handoffWords: ['agent'],
    handoffText: 'A colleague comes.',
  });
  const chat = aContact();
  await shop.write(chat, 'agent');
  expect(await shop.ended(chat)).toEqual([{ outcome: 'HANDED_OFF', detail: 'CONTACT_ASKED' }]);
  expect(await draftsOf(shop)).toMatchObject([{ chat, text: 'A colleague comes.' }]);
  expect(scene.around.textsOf(shop.sessionId)).toEqual([]);
});

test('a draft is shown to nobody else, and not approved by them', async () => {
  const shop = await asShop();
  const stranger = await scene.shop();
  const draft = await drafted(shop);
  expect(await draftsOf({ ...stranger, sessionId: shop.sessionId } as Shop)).toEqual([]);
  await expect(approve(stranger, draft)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(discard(stranger, draft)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(await draftsOf(shop)).toEqual([draft]);
});

test('contacts beyond the share get the other mode, always the same ones, and none that goes further', async () => {
  const shop = await scene.shop({ mode: 'auto', contactsPercent: 50, otherMode: 'draft' });
  const chats = Array.from({ length: 12 }, aContact);
  const outcomes = async (count: number): Promise<string[]> => {
    await Promise.all(chats.map((chat) => shop.write(chat, 'Hello?')));
    return Promise.all(chats.map(async (chat) => String((await shop.ended(chat, count)).at(-1)?.outcome)));
  };
  const first = await outcomes(1);
  expect(new Set(first)).toEqual(new Set(['ANSWERED', 'DRAFTED']));
  expect(await outcomes(2)).toEqual(first);
  await shop.settings({ mode: 'shadow', contactsPercent: 50, otherMode: 'auto' });
  expect(new Set(await outcomes(3))).toEqual(new Set(['SHADOWED']));
});
