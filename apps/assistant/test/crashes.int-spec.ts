import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { aContact, Scene } from './scene.js';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.start();
});
afterAll(() => scene.stop());

/** Begins a call for the turn of a chat, as a process does that dies then. */
async function beginCall(chat: string, isAsked: boolean): Promise<string | undefined> {
  const [row] = await scene.service.database.query<{ id: string }>(
    `INSERT INTO assistant.model_call (id, turn_id, tenant_id, model, state, is_asked)
     SELECT gen_random_uuid(), id, tenant_id, 'stand-in', 'BEGUN', ${isAsked} FROM assistant.turn WHERE chat = '${chat}' RETURNING id`,
  );
  return row?.id;
}

async function stateOf(callId: string): Promise<string | undefined> {
  const sql = `SELECT state FROM assistant.model_call WHERE id = '${callId}'`;
  return (await scene.service.database.query<{ state: string }>(sql))[0]?.state;
}

describe('a turn whose process dies', () => {
  test('while the model answers is answered once by another, and the call that nobody has the answer of is lost', async () => {
    const shop = await scene.shop();
    await scene.model.rules(shop.key, [
      { times: 1, delayMs: 60_000, text: 'Too late.' },
      { text: 'Here I am.' },
    ]);
    const chat = aContact();
    await shop.write(chat, 'Hello?');
    await waitFor('the model to be asked', async () => (await scene.model.calls(shop.key)).length === 1);
    // Another process takes it over: the claim of the first one has run out.
    await scene.service.database.query(
      `UPDATE assistant.turn SET claimed_until = now() - interval '1 s' WHERE chat = '${chat}'`,
    );
    await shop.ended(chat);
    expect(scene.around.textsOf(shop.sessionId)).toEqual(['Here I am.']);
    const calls = await scene.service.database.query(
      `SELECT c.state FROM assistant.model_call c JOIN assistant.turn t ON t.id = c.turn_id WHERE t.chat = '${chat}' ORDER BY begun_at`,
    );
    expect(calls).toEqual([{ state: 'LOST' }, { state: 'ANSWERED' }]);
  });

  test('before the model is asked gives the call back, and is answered by another', async () => {
    const shop = await scene.shop({ debounceMs: 2_000 });
    const chat = aContact();
    await shop.write(chat, 'Hello?');
    const callId = await waitFor('the turn', () => beginCall(chat, false));
    await shop.ended(chat);
    expect(await stateOf(callId)).toBe('FAILED');
    expect(scene.around.givenBack).toContain(callId);
    expect(scene.around.textsOf(shop.sessionId)).toHaveLength(1);
  });

  test.each([
    [false, 'FAILED'],
    [true, 'LOST'],
  ])('and that somebody else has ended leaves no call open (asked: %s)', async (isAsked, state) => {
    const shop = await scene.shop();
    const chat = aContact();
    await shop.write(chat, 'Hello?');
    await shop.ended(chat);
    const callId = await waitFor('the turn', () => beginCall(chat, isAsked));
    await scene.service.database.query(
      `UPDATE assistant.turn SET ended_at = ended_at - interval '1 min' WHERE chat = '${chat}'`,
    );
    await waitFor('the call to be settled', async () => (await stateOf(callId)) === state);
    expect(scene.around.givenBack.includes(callId)).toBe(!isAsked);
  });

  test('after its answer was sent, before anybody knows, sends nothing twice', async () => {
    const shop = await scene.shop();
    const chat = aContact();
    const jobs: string[] = [];
    scene.around.onAnswer = async ({ sessionId, jobId }) => {
      if (sessionId === shop.sessionId) jobs.push(jobId);
      if (jobs.length === 1)
        await scene.service.database.query(
          `UPDATE assistant.turn SET claim = claim + 1000000, claimed_until = now() - interval '1 s' WHERE chat = '${chat}'`,
        );
      return { outcome: 'ACCEPTED' };
    };
    await shop.write(chat, 'Hello?');
    await shop.ended(chat);
    expect([jobs.length, new Set(jobs).size]).toEqual([2, 1]);
    expect(scene.around.textsOf(shop.sessionId)).toHaveLength(1);
    expect(await scene.model.calls(shop.key)).toHaveLength(1);
  });
});
