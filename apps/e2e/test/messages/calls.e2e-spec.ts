import { beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { Actor, expectStatus, inventPhone } from '../../src/stack/actor.js';
import type { Stack } from '../../src/stack/stack.js';
import { stackOfRun } from '../stage/stage.js';

const LONG = 60_000;

let stack: Stack;
let actor: Actor;
beforeAll(async () => {
  stack = await stackOfRun();
  actor = await Actor.create(stack);
});

test('a number that takes no calls rejects them, and its callers read why', async () => {
  const caller = inventPhone();
  const callReply = 'We take no calls here. Please write to us.';
  const settings = { rejectCalls: true, callReply };
  expectStatus(await actor.api('PATCH', `/v1/sessions/${actor.sessionId}`, settings), 200);
  const { id } = await stack.platform<{ id: string }>('POST', `/contacts/${caller}/calls`, {
    to: actor.phone,
  });
  const stateOf = async (): Promise<string> =>
    (await stack.platform<{ state: string }>('GET', `/contacts/${caller}/calls/${id}`)).state;
  await waitFor('the rejection', async () => (await stateOf()) === 'rejected', LONG);
  await waitFor('the text', async () => (await actor.inbox(caller)).length > 0, LONG);
  expect((await actor.inbox(caller)).map(({ text }) => text)).toEqual([callReply]);
});
