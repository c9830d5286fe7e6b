import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { type AssistantSettings, type BusinessHours, SetAssistantSettings, WEEKDAYS } from '@svc/contracts';
import { aContact, Scene, type Shop } from './scene.js';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.start();
});
afterAll(() => scene.stop());

/** Hours of a business that is open on the other days of the week alone. */
function closedToday(): BusinessHours {
  const names = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', weekday: 'short' });
  const today = names.format(new Date()).toUpperCase();
  const open = WEEKDAYS.filter((day) => day !== today).map((day) => ({ day, from: '09:00', to: '17:00' }));
  return { timezone: 'UTC', open };
}

/** A contact writes, and the turn ends. @returns the outcome of the last turn. */
async function talk(shop: Shop, chat: string, text: string, turn = 1, phone?: string): Promise<object> {
  await shop.write(chat, text, phone ? { phone } : {});
  return (await shop.ended(chat, turn)).at(-1) as object;
}

describe('outside the hours', () => {
  test('a contact reads the text for it, once, and no model is asked', async () => {
    const shop = await scene.shop({ hours: closedToday(), awayText: 'We are closed.' });
    const [chat, other] = [aContact(), aContact()];
    const closed = { outcome: 'OUTSIDE_HOURS' };
    expect(await talk(shop, chat, 'Hello?')).toMatchObject(closed);
    expect(await talk(shop, chat, 'Are you there?', 2)).toMatchObject(closed);
    expect(await talk(shop, other, 'Hello?')).toMatchObject(closed);
    expect(scene.around.textsOf(shop.sessionId)).toEqual(['We are closed.', 'We are closed.']);
    expect(await scene.model.calls(shop.key)).toEqual([]);
    expect(scene.around.taken).toEqual([]);
  });

  test('a contact may still ask for a person', async () => {
    const shop = await scene.shop({ hours: closedToday(), handoffWords: ['agent'] });
    expect(await talk(shop, aContact(), 'agent')).toMatchObject({ outcome: 'HANDED_OFF' });
  });

  test.each([
    [{ timezone: 'Mars/Base', open: [{ day: 'MON', from: '09:00', to: '17:00' }] }, /timezone/],
    [{ timezone: 'UTC', open: [{ day: 'MON', from: '9', to: '17:00' }] }, /from must be a time/],
    [{ timezone: 'UTC', open: [] }, /open/],
  ])('%j are refused as hours', async (hours, message) => {
    const shop = await scene.shop();
    const { tenantId, sessionId } = shop;
    const settings = { hours } as unknown as AssistantSettings;
    await expect(
      scene.service.rpc.request(SetAssistantSettings, { tenantId, sessionId, settings }),
    ).rejects.toThrow(message);
  });
});

describe('a contact', () => {
  test('of the list is never answered', async () => {
    const shop = await scene.shop({ neverAnswer: ['+4915112345678'] });
    expect(await talk(shop, aContact(), 'Hello', 1, '+4915112345678')).toMatchObject({
      outcome: 'CONTACT_LEFT_OUT',
    });
    expect(await talk(shop, aContact(), 'Hello', 1, '+4915112345679')).toMatchObject({ outcome: 'ANSWERED' });
  });

  test('who is not on the list of those that are meant is not answered, nor one whose number is hidden', async () => {
    const shop = await scene.shop({ answerOnly: ['+4915112345678'] });
    expect(await talk(shop, aContact(), 'Hello', 1, '+4915112345679')).toMatchObject({
      outcome: 'CONTACT_LEFT_OUT',
    });
    expect(await talk(shop, aContact(), 'Hello')).toMatchObject({ outcome: 'CONTACT_LEFT_OUT' });
    expect(await talk(shop, aContact(), 'Hello', 1, '+4915112345678')).toMatchObject({ outcome: 'ANSWERED' });
  });

  test('who has opted out is not answered, and no model is asked', async () => {
    const shop = await scene.shop();
    const chat = aContact();
    scene.around.optedOut.add(chat);
    expect(await talk(shop, chat, 'STOP')).toMatchObject({ outcome: 'CONTACT_OPTED_OUT' });
    expect(await scene.model.calls(shop.key)).toEqual([]);
  });

  test('of a tenant that is suspended is not answered, and no model is asked', async () => {
    const shop = await scene.shop();
    scene.around.suspended.add(shop.tenantId);
    expect(await talk(shop, aContact(), 'Hello')).toEqual({
      outcome: 'SUBSCRIPTION',
      detail: 'TENANT_SUSPENDED',
    });
    expect(await scene.model.calls(shop.key)).toEqual([]);
  });

  test('who opts out while the answer is made is not sent it', async () => {
    const shop = await scene.shop();
    const refusal = { code: 'CONTACT_OPTED_OUT', message: 'Opted out.', meta: {} };
    scene.around.onAnswer = () => ({ outcome: 'REFUSED', refusal });
    expect(await talk(shop, aContact(), 'Hello')).toMatchObject({ outcome: 'CONTACT_OPTED_OUT' });
    scene.around.onAnswer = () => ({ outcome: 'ACCEPTED' });
  });

  test('reads before the first answer what the settings have for it, in the same message', async () => {
    const shop = await scene.shop({ openingText: 'Welcome!', disclosureText: 'A computer answers you.' });
    await scene.model.rules(shop.key, [{ text: 'At seven.' }]);
    const chat = aContact();
    await talk(shop, chat, 'When?');
    await talk(shop, chat, 'Really?', 2);
    expect(scene.around.textsOf(shop.sessionId)).toEqual([
      'Welcome!\n\nA computer answers you.\n\nAt seven.',
      'At seven.',
    ]);
  });

  test('whose tokens of the day are used up gets no answer, while another one does', async () => {
    const shop = await scene.shop({ tokensPerContactPerDay: 150 });
    await scene.model.rules(shop.key, [{ text: 'Yes.', usage: { promptTokens: 90, completionTokens: 10 } }]);
    const [chat, other] = [aContact(), aContact()];
    const outcomes = [];
    for (const turn of [1, 2, 3]) outcomes.push(await talk(shop, chat, 'Hello', turn));
    const answered = { outcome: 'ANSWERED', detail: null };
    expect(outcomes).toEqual([answered, answered, { outcome: 'CONTACT_USED_UP', detail: 'TOKENS' }]);
    expect(await talk(shop, other, 'Hello')).toEqual(answered);
    expect(await scene.model.calls(shop.key)).toHaveLength(3);
  });

  test('after the tokens of the session are used up gets no answer, until 24 hours are over', async () => {
    const shop = await scene.shop({ tokensPerDay: 100 });
    await scene.model.rules(shop.key, [{ text: 'Yes.', usage: { promptTokens: 90, completionTokens: 10 } }]);
    const [chat, other] = [aContact(), aContact()];
    const answered = { outcome: 'ANSWERED', detail: null };
    expect(await talk(shop, chat, 'Hello')).toEqual(answered);
    expect(await talk(shop, other, 'Hello')).toEqual({
      outcome: 'TOKENS_USED_UP',
      detail: 'BUDGET_OF_SESSION',
    });
    await scene.service.database.query(
      `UPDATE assistant.model_call SET accounted_at = accounted_at - interval '24 h' WHERE session_id = '${shop.sessionId}'`,
    );
    expect(await talk(shop, other, 'Hello', 2)).toEqual(answered);
  });

  test('who has had all answers of the day gets none, while another one does', async () => {
    const shop = await scene.shop({ answersPerContactPerDay: 2 });
    const [chat, other] = [aContact(), aContact()];
    const outcomes = [];
    for (const turn of [1, 2, 3]) outcomes.push(await talk(shop, chat, 'Hello', turn));
    expect(outcomes).toMatchObject([
      { outcome: 'ANSWERED' },
      { outcome: 'ANSWERED' },
      { outcome: 'CONTACT_USED_UP' },
    ]);
    expect(await talk(shop, other, 'Hello')).toMatchObject({ outcome: 'ANSWERED' });
  });

  test('who answers as a machine does, again and again, is left to a person', async () => {
    const shop = await scene.shop({ debounceMs: 0 });
    const chat = aContact();
    const outcomes = [];
    for (let turn = 1; turn <= 22; turn++) outcomes.push(await talk(shop, chat, 'I am a machine, too', turn));
    expect(outcomes.slice(19)).toMatchObject([
      { outcome: 'ANSWERED' },
      { outcome: 'HANDED_OFF', detail: 'LOOP' },
      { outcome: 'HUMAN_OWNS' },
    ]);
    expect(await scene.model.calls(shop.key)).toHaveLength(20);
  });
});

describe('a session that is away', () => {
  afterEach(() => {
    scene.around.status = 'CONNECTED';
  });

  test('and comes back by itself is answered then', async () => {
    const shop = await scene.shop();
    const chat = aContact();
    scene.around.status = 'CONNECTING';
    await shop.write(chat, 'Hello?');
    await waitFor('a look at the session', () => scene.around.looks > 0);
    expect(scene.around.textsOf(shop.sessionId)).toEqual([]);
    scene.around.status = 'CONNECTED';
    expect(await shop.ended(chat)).toMatchObject([{ outcome: 'ANSWERED' }]);
  });

  test('for good is answered no more, and the turn says why', async () => {
    const shop = await scene.shop();
    scene.around.status = 'LOGGED_OUT';
    expect(await talk(shop, aContact(), 'Hello?')).toMatchObject({
      ...{ outcome: 'SESSION_AWAY', detail: 'LOGGED_IN' },
    });
  });
});
