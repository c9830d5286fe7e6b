import { beforeAll, describe, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { Actor, expectStatus, inventPhone } from '../../src/stack/actor.js';
import type { Stack } from '../../src/stack/stack.js';
import { stackOfRun, withReceiver } from '../stage/stage.js';

const LONG = 60_000;

let stack: Stack;
const receiver = withReceiver();
beforeAll(async () => {
  stack = await stackOfRun();
});

/** Switches the assistant of the actor's session on; it asks the stand-in for models, which says what it was told last. */
async function switchOn(actor: Actor, settings: object = {}): Promise<void> {
  const path = `/v1/sessions/${actor.sessionId}/assistant`;
  expectStatus(
    await actor.api('PUT', path, { settings: { mode: 'auto', debounceMs: 2_500, ...settings } }),
    200,
  );
  expectStatus(await actor.api('POST', `${path}/publish`), 200);
}

const textsOf = async (actor: Actor, contact: string): Promise<(string | null)[]> =>
  (await actor.inbox(contact)).map(({ text }) => text);

describe('a number whose assistant is on', () => {
  let actor: Actor;
  beforeAll(async () => {
    actor = await Actor.create(stack);
    await switchOn(actor);
  });

  test('answers each contact once, as who the tenant sees it, and the tokens are counted', async () => {
    const contact = inventPhone();
    await actor.write(contact, 'Do you have bread?');
    await waitFor('the answer', async () => (await textsOf(actor, contact)).length > 0, LONG);
    expect(await textsOf(actor, contact)).toEqual(['You wrote: Do you have bread?']);
    const { body } = await actor.api<{ items: object[] }>('GET', '/v1/messages?direction=OUTBOUND&limit=1');
    expect(body.items).toMatchObject([{ sentBy: 'ASSISTANT', sessionId: actor.sessionId }]);
    await waitFor('the tokens', async () => {
      const { body: usage } = await actor.api<{ tokens: { used: number } }>('GET', '/v1/usage');
      return usage.tokens.used > 0;
    });
  });

  test('answers what a contact writes in several pieces together', async () => {
    const contact = inventPhone();
    for (const piece of ['Hello', 'I need', 'a cake']) await actor.write(contact, piece);
    await waitFor('the answer', async () => (await textsOf(actor, contact)).length > 0, LONG);
    // Another contact is answered later: by then a second answer to the first one would be there.
    const other = inventPhone();
    await actor.write(other, 'And you?');
    await waitFor('the other answer', async () => (await textsOf(actor, other)).length > 0, LONG);
    expect(await textsOf(actor, contact)).toEqual(['You wrote: a cake']);
  });

  test('leaves a contact to a person who writes on the phone', async () => {
    const [contact, other] = [inventPhone(), inventPhone()];
    await stack.platform('POST', `/accounts/${actor.phone}/messages`, { to: contact, text: 'I am at it.' });
    await waitFor('the person', async () => (await textsOf(actor, contact)).length > 0, LONG);
    await actor.write(contact, 'Thank you!');
    await actor.write(other, 'Hello');
    await waitFor('the answer to another', async () => (await textsOf(actor, other)).length > 0, LONG);
    expect(await textsOf(actor, contact)).toEqual(['I am at it.']);
  });
});

test('a number that nobody has asked to answer answers nobody', async () => {
  const [silent, talkative] = [await Actor.create(stack), await Actor.create(stack)];
  await switchOn(talkative);
  const contact = inventPhone();
  const { body } = await silent.api('GET', `/v1/sessions/${silent.sessionId}`);
  expect(body).toMatchObject({ botMode: 'MANAGED', answers: 'nobody' });
  await silent.write(contact, 'Hello?');
  await talkative.write(contact, 'Hello?');
  await waitFor('the other answer', async () => (await textsOf(talkative, contact)).length > 0, LONG);
  expect(await textsOf(silent, contact)).toEqual([]);
});

/** Lists the texts that a contact of a sandbox has got. */
async function answersTo(actor: Actor, contact: string): Promise<string[]> {
  const path = `/v1/sandbox/sessions/${actor.sessionId}/contacts/${encodeURIComponent(contact)}/messages`;
  const { body } = await actor.api<{ items: { text: string }[] }>('GET', path);
  return body.items.map(({ text }) => text);
}

test('a number whose own bot is away is answered by its assistant until the bot is back', async () => {
  const actor = await Actor.inSandbox(stack);
  await switchOn(actor, { debounceMs: 0 });
  const config = `/v1/sessions/${actor.sessionId}/external-config`;
  const webhookUrl = `${receiver.get().origin}/failover`;
  const events = ['message.received', 'session.bot_mode_changed'];
  const failover = { afterMinutes: 5 };
  expectStatus(await actor.api('PUT', config, { enabled: true, webhookUrl, events, failover }), 200);
  const reads = async (botMode: string, botModeReason: string | null): Promise<void> => {
    await waitFor(botMode, async () => (await actor.api('GET', config)).body['botMode'] === botMode, LONG);
    const { body } = await actor.api('GET', `/v1/sessions/${actor.sessionId}`);
    expect(body).toMatchObject({ botMode, botModeReason });
  };
  const write = (from: string, text: string) =>
    actor.api('POST', `/v1/sandbox/sessions/${actor.sessionId}/messages`, { from, text });
  const moveClock = (seconds: number) => actor.api('POST', '/v1/sandbox/clock', { advanceSeconds: seconds });
  /** Lists the calls of models for a contact; without one no token is used, and nobody is seen to type. */
  const callsFor = async (contact: string): Promise<object[]> => {
    const path = `/v1/sessions/${actor.sessionId}/assistant/turns`;
    const { body } = await actor.api<{ items: { chat: string; calls: object[] }[] }>('GET', path);
    return body.items.filter(({ chat }) => `+${chat}`.startsWith(contact)).flatMap(({ calls }) => calls);
  };
  const heard = () =>
    receiver
      .get()
      .bodies('/failover')
      .map(({ payload }) => payload['keyId'] ?? payload['reason']);
  const [before, during, after] = ['+4915550007001', '+4915550007002', '+4915550007003'] as const;
  // The assistant keeps silent while the bot is away for less than its minutes.
  receiver.get().answerWith(500);
  await write(before, 'Hello?');
  await waitFor('the bot to be asked again: its failure is written', () => heard().length > 1, LONG);
  expect(await callsFor(before)).toEqual([]);
  expectStatus(await moveClock(301), 200);
  await write(before, 'Still nobody?');
  await reads('MANAGED', 'FAILOVER');
  await write(during, 'Anybody there?');
  await waitFor('the answer', async () => (await answersTo(actor, during)).length > 0, LONG);
  expect(await answersTo(actor, during)).toEqual(['You wrote: Anybody there?']);
  expect(await answersTo(actor, before)).not.toContain('You wrote: Hello?');
  receiver.get().answerWith(200);
  await write(during, 'Thank you.');
  await reads('EXTERNAL', null);
  await write(after, 'And now?');
  await waitFor('the bot to be told', () => heard().includes('FAILBACK'), LONG);
  expect(await answersTo(actor, after)).toEqual([]);
  expect(await callsFor(during)).not.toEqual([]);
  expect(await callsFor(after)).toEqual([]);
});

test('a number whose assistant drafts sends what a person approves, once, and what it was edited to', async () => {
  const actor = await Actor.create(stack);
  await switchOn(actor, { mode: 'draft', debounceMs: 0 });
  const drafted = async (contact: string): Promise<string> => {
    await actor.write(contact, 'Hello?');
    return waitFor(
      'the draft',
      async () => {
        const { body } = await actor.api<{ items: { id: string; contact: string }[] }>('GET', '/v1/drafts');
        return body.items.find((draft) => draft.contact.startsWith(contact))?.id;
      },
      LONG,
    );
  };
  const [contact, other] = [inventPhone(), inventPhone()];
  const [id, otherId] = [await drafted(contact), await drafted(other)];
  expect(await textsOf(actor, contact)).toEqual([]);
  const approvals = [1, 2].map(() => actor.api('POST', `/v1/drafts/${id}/approve`));
  for (const approval of await Promise.all(approvals)) expectStatus(approval, 200);
  expectStatus(await actor.api('POST', `/v1/drafts/${otherId}/edit`, { text: 'By hand.' }), 200);
  await waitFor('the edited one', async () => (await textsOf(actor, other)).length > 0, LONG);
  await waitFor('the approved one', async () => (await textsOf(actor, contact)).length > 0, LONG);
  expect(await textsOf(actor, contact)).toEqual(['You wrote: Hello?']);
  expect(await textsOf(actor, other)).toEqual(['By hand.']);
  const again = await drafted(contact);
  await actor.send(contact, 'A notice.');
  const late = await actor.api('POST', `/v1/drafts/${again}/approve`);
  expect([late.status, late.body['code']]).toEqual([409, 'DRAFT_CONFLICT']);
});
