import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { MessageSent, type OutboundMessageV1, SessionDeleted, SessionModeChanged } from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { aContact, Scene, Shop } from './scene.js';

let scene: Scene;

beforeAll(async () => {
  scene = await Scene.start();
});
afterAll(() => scene.stop());
beforeEach(() => {
  scene.around.onAnswer = () => ({ outcome: 'ACCEPTED' });
  scene.around.history = [];
  scene.around.botMode = 'MANAGED';
  scene.around.isSandbox = false;
});

describe('a contact who writes', () => {
  test('gets one answer, from a model that has read the instructions and the message', async () => {
    const shop = await scene.shop({ instructions: 'You sell bread.' });
    await scene.model.rules(shop.key, [{ text: 'We open at seven.' }]);
    const chat = aContact();
    await shop.write(chat, 'When do you open?');
    expect(await shop.ended(chat)).toEqual([{ outcome: 'ANSWERED', detail: null }]);
    expect(scene.around.textsOf(shop.sessionId)).toEqual(['We open at seven.']);
    const [call] = await scene.model.calls(shop.key);
    expect(call?.messages[0]?.content).toContain('You sell bread.');
    expect(call?.messages.slice(1)).toEqual([{ role: 'user', content: 'When do you open?' }]);
  });

  test('gets an answer without half signs and without the character 0, which a model may write', async () => {
    const shop = await scene.shop();
    await scene.model.rules(shop.key, [{ text: 'Seven\u0000 \ud83d\ude00 o\ud83d clock' }]);
    const chat = aContact();
    await shop.write(chat, 'When do you open?');
    expect(await shop.ended(chat)).toEqual([{ outcome: 'ANSWERED', detail: null }]);
    expect(scene.around.textsOf(shop.sessionId)).toEqual(['Seven 😀 o\ufffd clock']);
    expect(await scene.model.calls(shop.key)).toHaveLength(1);
  });

  test('gets no further call of the model where ten were left without an end, and a person has the conversation', async () => {
    const shop = await scene.shop({ debounceMs: 1_000 });
    const chat = aContact();
    await shop.write(chat, 'When do you open?');
    const { database } = scene.service;
    const where = `session_id = '${shop.sessionId}'`;
    await waitFor(
      'the turn',
      async () => (await database.query(`SELECT FROM assistant.turn WHERE ${where}`)).length > 0,
    );
    await database.query(`INSERT INTO assistant.model_call (id, turn_id, tenant_id, model, state)
      SELECT gen_random_uuid(), id, tenant_id, 'stand-in', 'LOST' FROM assistant.turn, generate_series(1, 10) WHERE ${where}`);
    expect(await shop.ended(chat)).toEqual([{ outcome: 'PROVIDER_FAILED', detail: 'TOO_MANY_CALLS' }]);
    expect(await scene.model.calls(shop.key)).toEqual([]);
  });

  test('five messages in a burst gets one answer to all of them, in their order', async () => {
    const shop = await scene.shop({ debounceMs: 300 });
    const chat = aContact();
    const texts = ['Hello', 'I have', 'a question', 'about', 'bread'];
    for (const text of texts) await shop.write(chat, text);
    await shop.ended(chat);
    expect(scene.around.textsOf(shop.sessionId)).toHaveLength(1);
    const calls = await scene.model.calls(shop.key);
    expect(calls.map(({ messages }) => messages.slice(1).map(({ content }) => content))).toEqual([texts]);
  });

  test('on while the answer is made gets one answer, to all of it, and both calls are told to billing', async () => {
    const shop = await scene.shop({ debounceMs: 0 });
    await scene.model.rules(shop.key, [
      { times: 1, delayMs: 500, text: 'An answer to half of it.' },
      { text: 'An answer to all of it.' },
    ]);
    const chat = aContact();
    await shop.write(chat, 'A croissant');
    await waitFor('the model to be asked', async () => (await scene.model.calls(shop.key)).length === 1);
    await shop.write(chat, 'and a coffee');
    await shop.ended(chat);
    expect(scene.around.textsOf(shop.sessionId)).toEqual(['An answer to all of it.']);
    await waitFor('both calls to be told', () => shop.told().length === 2);
  });

  test('for a third time while the second answer is made gets an answer to that in a turn of its own', async () => {
    const shop = await scene.shop({ debounceMs: 0 });
    await scene.model.rules(shop.key, [
      { times: 1, delayMs: 300, text: 'One.' },
      { times: 1, delayMs: 600, text: 'One and two.' },
      { text: 'Three.' },
    ]);
    const chat = aContact();
    const asked = (count: number) =>
      waitFor(`call ${count}`, async () => (await scene.model.calls(shop.key)).length === count);
    await shop.write(chat, 'one');
    await asked(1);
    await shop.write(chat, 'two');
    await asked(2);
    await shop.write(chat, 'three');
    await shop.ended(chat, 2);
    expect(scene.around.textsOf(shop.sessionId)).toEqual(['One and two.', 'Three.']);
  });

  test('is told once to billing, with the tokens that the model counted', async () => {
    const shop = await scene.shop();
    await scene.model.rules(shop.key, [
      { text: 'Yes.', usage: { promptTokens: 90, completionTokens: 10, cachedTokens: 40 } },
    ]);
    const chat = aContact();
    await shop.write(chat, 'Is there bread?');
    await shop.ended(chat);
    await waitFor('the call to be told', () => shop.told().length > 0);
    const kinds = {
      promptTokens: 90,
      completionTokens: 10,
      cachedTokens: 40,
      estimated: false,
      model: 'stand-in',
    };
    expect(shop.told()).toMatchObject([
      { sessionId: shop.sessionId, source: 'assistant', tokens: 100, ...kinds },
    ]);
  });

  test('again after it was told twice by the stream gets no second answer', async () => {
    const shop = await scene.shop();
    const chat = aContact();
    const messageId = await shop.write(chat, 'Once');
    await shop.ended(chat);
    await shop.write(chat, 'Once', { messageId });
    const other = aContact();
    await shop.write(other, 'Something else');
    await shop.ended(other);
    expect(scene.around.textsOf(shop.sessionId)).toHaveLength(2);
  });

  test('reads bold as the platform shows it', async () => {
    const shop = await scene.shop();
    await scene.model.rules(shop.key, [{ text: '**Bread** costs *three* euros.' }]);
    const chat = aContact();
    await shop.write(chat, 'Price?');
    await shop.ended(chat);
    expect(scene.around.textsOf(shop.sessionId)).toEqual(['*Bread* costs _three_ euros.']);
  });
});

describe('the model reads what was said before', () => {
  test('from the gateway, oldest first, and each message once', async () => {
    const shop = await scene.shop();
    const chat = aContact();
    const messageId = randomUUID();
    const said = (id: string, text: string, fromMe: boolean, minutes: number) => ({
      ...{ messageId: id, fromMe, body: { type: 'text', text }, sentBy: fromMe ? 'ASSISTANT' : null },
      createdAt: new Date(Date.now() - minutes * 60_000).toISOString(),
    });
    scene.around.history = [
      said(messageId, 'And rolls?', false, 0),
      said(randomUUID(), 'Yes, fresh.', true, 1),
      said(randomUUID(), 'Is there bread?', false, 2),
    ];
    await shop.write(chat, 'And rolls?', { messageId });
    await shop.ended(chat);
    const [call] = await scene.model.calls(shop.key);
    expect(call?.messages.slice(1)).toEqual([
      { role: 'user', content: 'Is there bread?' },
      { role: 'assistant', content: 'Yes, fresh.' },
      { role: 'user', content: 'And rolls?' },
    ]);
  });
});

describe('nobody is answered', () => {
  const asked = async (shop: Awaited<ReturnType<Scene['shop']>>): Promise<number> =>
    (await scene.model.calls(shop.key)).length;

  test('by a session of which no settings were published, or whose mode is off', async () => {
    const shop = await scene.shop({ mode: 'off' });
    const chat = aContact();
    await shop.write(chat, 'Hello?');
    const other = await scene.shop();
    const marker = aContact();
    await other.write(marker, 'Hello?');
    await other.ended(marker);
    expect(scene.around.textsOf(shop.sessionId)).toEqual([]);
    expect(await asked(shop)).toBe(0);
  });

  test('by a session of an external bot, without a call of a model', async () => {
    const shop = await scene.shop();
    scene.around.botMode = 'EXTERNAL';
    const chat = aContact();
    await shop.write(chat, 'Hello?');
    expect(await shop.ended(chat)).toEqual([{ outcome: 'NOT_MANAGED', detail: null }]);
    expect([await asked(shop), scene.around.textsOf(shop.sessionId)]).toEqual([0, []]);
  });

  test('in shadow mode, while the answer is kept', async () => {
    const shop = await scene.shop({ mode: 'shadow' });
    await scene.model.rules(shop.key, [{ text: 'Nobody reads this.' }]);
    const chat = aContact();
    await shop.write(chat, 'Hello?');
    expect(await shop.ended(chat)).toEqual([{ outcome: 'SHADOWED', detail: null }]);
    expect(scene.around.textsOf(shop.sessionId)).toEqual([]);
    const [turn] = await scene.service.database.query<{ parts: string[] }>(
      `SELECT parts FROM assistant.turn WHERE chat = '${chat}'`,
    );
    expect(turn?.parts).toEqual(['Nobody reads this.']);
  });

  test.each([
    ['a message of an hour ago', { receivedAt: new Date(Date.now() - 3_600_000).toISOString() }],
    ['a group that does not name the number', { isGroup: true }],
    ['a reaction', { body: { type: 'reaction' as const, emoji: '👍' } }],
  ])('on %s', async (_, fields) => {
    const shop = await scene.shop();
    const chat = aContact();
    await shop.write(chat, 'Hello?', fields);
    const marker = aContact();
    await shop.write(marker, 'Hello?');
    await shop.ended(marker);
    expect(await asked(shop)).toBe(1);
    expect(scene.around.textsOf(shop.sessionId)).toHaveLength(1);
  });

  test('where nobody has said which model', async () => {
    const shop = new (await import('./scene.js')).Shop(scene);
    await shop.settings();
    const chat = aContact();
    await shop.write(chat, 'Hello?');
    expect(await shop.ended(chat)).toEqual([{ outcome: 'NOT_CONFIGURED', detail: null }]);
  });
});

describe('a sandbox', () => {
  beforeEach(() => {
    scene.around.isSandbox = true;
  });

  test('is answered by the stand-in, which has rules of its own for each', async () => {
    const [shop, other] = [new Shop(scene), new Shop(scene)];
    await scene.model.rules(shop.tenantId, [{ text: 'A rehearsal.' }]);
    const chat = aContact();
    for (const one of [shop, other]) {
      await one.settings();
      await one.write(chat, 'Hello');
      expect(await one.ended(chat)).toEqual([{ outcome: 'ANSWERED', detail: null }]);
    }
    expect(scene.around.textsOf(shop.sessionId)).toEqual(['A rehearsal.']);
    expect(await scene.model.calls(other.tenantId)).toHaveLength(1);
  });

  test('with a provider of its own is answered by that', async () => {
    const shop = await scene.shop();
    const chat = aContact();
    await shop.write(chat, 'Hello');
    await shop.ended(chat);
    expect(await scene.model.calls(shop.key)).toHaveLength(1);
  });
});

describe('a person of the business', () => {
  test('who writes on the phone has the conversation, for as long as the settings say', async () => {
    const shop = await scene.shop({ humanPauseMinutes: 30 });
    const chat = aContact();
    await shop.write(chat, 'I am on it.', { fromMe: true, remoteJid: '4915100000000@s.whatsapp.net' });
    await shop.write(chat, 'Thank you');
    expect(await shop.ended(chat)).toEqual([{ outcome: 'HUMAN_OWNS', detail: null }]);
    expect(scene.around.textsOf(shop.sessionId)).toEqual([]);
  });

  test('who was faster than the assistant is not talked over', async () => {
    const shop = await scene.shop();
    scene.around.onAnswer = () => ({ outcome: 'OVERTAKEN' });
    const chat = aContact();
    await shop.write(chat, 'Hello?');
    expect(await shop.ended(chat)).toEqual([{ outcome: 'HUMAN_ANSWERED', detail: null }]);
    expect(scene.around.textsOf(shop.sessionId)).toEqual([]);
  });
});

describe('somebody else answers', () => {
  test('where a member has written by hand, and not where software has sent a notice', async () => {
    const shop = await scene.shop();
    const { tenantId, sessionId } = shop;
    const sent = (to: string, sentBy: 'MEMBER' | 'API'): Promise<unknown> => {
      const jobId = randomUUID();
      const data: OutboundMessageV1 = {
        ...{ sessionId, jobId, messageId: jobId, keyId: '3EB0C0FFEE', clientMessageId: null, to, sentBy },
        timestamp: new Date().toISOString(),
      };
      return shop.publish(envelopeOf(MessageSent, { tenantId }, data));
    };
    const [byHand, bySoftware] = [aContact(), aContact()];
    await sent(byHand, 'MEMBER');
    await sent(bySoftware, 'API');
    await shop.write(byHand, 'Thank you');
    await shop.write(bySoftware, 'Thank you');
    expect(await shop.ended(byHand)).toMatchObject([{ outcome: 'HUMAN_OWNS' }]);
    expect(await shop.ended(bySoftware)).toMatchObject([{ outcome: 'ANSWERED' }]);
  });

  test('as soon as the session is switched to an external bot, also in the middle of an answer', async () => {
    const shop = await scene.shop();
    const { tenantId, sessionId } = shop;
    await scene.model.rules(shop.key, [{ delayMs: 60_000, text: 'Too late.' }]);
    const chat = aContact();
    await shop.write(chat, 'Hello?');
    await waitFor('the model to be asked', async () => (await scene.model.calls(shop.key)).length === 1);
    const data = {
      sessionId,
      before: 'MANAGED' as const,
      botMode: 'EXTERNAL' as const,
      modeVersion: 1,
      timestamp: new Date().toISOString(),
    };
    await shop.publish(envelopeOf(SessionModeChanged, { tenantId }, data));
    expect(await shop.ended(chat)).toEqual([{ outcome: 'NOT_MANAGED', detail: null }]);
    const sql = `SELECT state FROM assistant.model_call WHERE tenant_id = '${tenantId}'`;
    await waitFor('the model to be asked no further', async () => {
      const [call] = await scene.service.database.query<{ state: string }>(sql);
      return call?.state === 'LOST';
    });
    expect(scene.around.textsOf(sessionId)).toEqual([]);
  });
});

describe('the text of a turn', () => {
  test('is gone when the turn has ended', async () => {
    const shop = await scene.shop();
    const chat = aContact();
    await shop.write(chat, 'My secret is 4711.');
    await shop.ended(chat);
    const rows = await scene.service.database.query(
      `SELECT body, parts FROM assistant.turn t JOIN assistant.turn_message m ON m.turn_id = t.id WHERE chat = '${chat}'`,
    );
    expect(rows).toEqual([{ body: null, parts: null }]);
  });
});

test('a session that is deleted leaves nothing', async () => {
  const shop = await scene.shop();
  const chat = aContact();
  await shop.write(chat, 'Hello?');
  await shop.ended(chat);
  const { tenantId, sessionId } = shop;
  const left = async (): Promise<number> => {
    const tables = ['assistant', 'settings_version', 'handoff', 'turn', 'turn_message', 'model_call'];
    const counts = tables.map(
      (table) => `(SELECT count(*) FROM assistant.${table} WHERE tenant_id = '${tenantId}')`,
    );
    const [row] = await scene.service.database.query<{ left: string }>(
      `SELECT ${counts.join(' + ')} AS left`,
    );
    return Number(row?.left);
  };
  expect(await left()).toBeGreaterThan(0);
  await shop.publish(
    envelopeOf(SessionDeleted, { tenantId }, { sessionId, timestamp: new Date().toISOString() }),
  );
  await waitFor('the rows of the session to be gone', async () => (await left()) === 0);
});
