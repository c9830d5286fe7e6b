import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { aContact, Scene } from './scene.js';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.start();
});
afterAll(() => scene.stop());

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
