import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { Actor, createTenant, expectStatus, inventPhone } from '../../src/stack/actor.js';
import type { Stack } from '../../src/stack/stack.js';
import { stackOfRun } from '../stage/stage.js';

const run = promisify(execFile);
const SVC = join(dirname(createRequire(import.meta.url).resolve('@svc/sdk/package.json')), 'dist/cli/svc.js');
/** Key with which the assistant of a stack asks the stand-in for models. */
const KEY = 'operator';
const folder = mkdtempSync(join(tmpdir(), 'svc-evals-'));

const SETTINGS = {
  ...{ mode: 'auto', tools: ['look_up_order'], onlyFromSources: true },
  ...{ handoffWords: ['agent'], handoffText: 'A colleague comes.' },
  ...{ openingText: 'Welcome!', disclosureText: 'A computer answers you.' },
};
/** Rules of the stand-in, in place of a model that has read the settings. */
const RULES = [
  { when: { text: 'as you asked before' }, text: '1. no: it names no price' },
  { when: { text: 'It names bread' }, text: '1. yes' },
  { when: { afterTool: 'look_up_order' }, text: 'Your order is on its way.' },
  { when: { text: 'order' }, toolCalls: [{ name: 'look_up_order', arguments: '{"number":"7"}' }] },
  { when: { text: 'bread', turn: 2 }, text: 'Rye bread, as you asked before.' },
  { when: { text: 'bread' }, text: 'We have bread.\n\nRye bread, too.' },
];
const EVALS = [
  {
    name: 'bread',
    steps: [
      {
        contact: 'Do you have bread?',
        expect: {
          ...{ contains: ['welcome!', 'a computer answers', 'rye'], containsNone: ['sorry'], tools: [] },
          ...{ minSources: 1, maxMessages: 1, maxCharacters: 200, matches: '^Welcome', outcome: 'ANSWERED' },
        },
      },
      { contact: 'Which bread?', expect: { contains: ['as you asked before'], maxTokens: 5_000 } },
    ],
  },
  {
    name: 'a person',
    steps: [
      {
        contact: 'Agent!',
        expect: { outcome: 'HANDED_OFF', detail: 'CONTACT_ASKED', contains: ['A colleague comes.'] },
      },
    ],
  },
  {
    name: 'an order',
    steps: [
      { contact: 'Where is my order?', expect: { tools: ['look_up_order'], contains: ['on its way'] } },
    ],
  },
  {
    name: 'what nobody knows',
    steps: [{ contact: 'Weather tomorrow?', expect: { outcome: 'HANDED_OFF', detail: 'NO_SOURCE' } }],
  },
];
const TOMORROW = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'][(new Date().getUTCDay() + 2) % 7];
/** Changes of the settings that make the assistant worse, each with the sentence by which it is noticed. */
const REGRESSIONS: [what: string, change: object, sentence: string][] = [
  [
    'no word for a person',
    { handoffWords: [] },
    'the outcome is HANDED_OFF (NO_SOURCE), not HANDED_OFF (CONTACT_ASKED)',
  ],
  [
    'a word too many',
    { handoffWords: ['agent', 'which bread'] },
    'the answer does not contain "as you asked before"',
  ],
  [
    'another text of the handoff',
    { handoffText: 'Wait.' },
    'the answer does not contain "A colleague comes."',
  ],
  ['no welcome', { openingText: '' }, 'the answer does not contain "welcome!"'],
  ['no disclosure', { disclosureText: '' }, 'the answer does not contain "a computer answers"'],
  [
    'answers without a source',
    { onlyFromSources: false },
    'the outcome is ANSWERED, not HANDED_OFF (NO_SOURCE)',
  ],
  ['no tool', { tools: [] }, 'the tools are none, not look_up_order'],
  ['split answers', { splitAnswers: true }, 'more than 1'],
  ['no memory', { historyMessages: 1 }, 'the answer does not contain "as you asked before"'],
  [
    'the wrong hours',
    { hours: { timezone: 'UTC', open: [{ day: TOMORROW, from: '09:00', to: '10:00' }] } },
    'the outcome is OUTSIDE_HOURS, not ANSWERED',
  ],
];

let stack: Stack;
let actor: Actor;
beforeAll(async () => {
  stack = await stackOfRun();
  actor = await Actor.link(stack, await createTenant(stack, '--plan', 'ENTERPRISE', '--internal'));
  const tool = {
    ...{ description: 'Looks up an order.', url: 'http://127.0.0.1:9/order', readOnly: true, timeoutMs: 500 },
    parameters: { type: 'object', properties: { number: { type: 'string' } } },
  };
  expectStatus(await actor.api('PUT', '/v1/assistant/tools/look_up_order', tool), 200);
  const text = 'We sell bread: rye bread and white bread. An order comes on the same day.';
  const path = `/v1/sessions/${actor.sessionId}/assistant/knowledge`;
  expectStatus(await actor.api('POST', path, { title: 'Goods', text }), 201);
  await stack.platform('PUT', `/llm/keys/${KEY}/rules`, { rules: RULES });
});
afterAll(async () => {
  await stack.platform('PUT', `/llm/keys/${KEY}/rules`, { rules: [] });
  rmSync(folder, { recursive: true, force: true });
});

interface Ended {
  code: number;
  out: string;
  err: string;
}

async function draft(change: object = {}): Promise<void> {
  const path = `/v1/sessions/${actor.sessionId}/assistant`;
  expectStatus(await actor.api('PUT', path, { settings: { ...SETTINGS, ...change } }), 200);
}

function evals(conversations: object[], ...more: string[]): Promise<Ended> {
  const file = join(folder, 'evals.json');
  writeFileSync(file, JSON.stringify({ conversations }));
  return svc('run', file, ...more);
}

async function svc(...words: string[]): Promise<Ended> {
  const env = {
    PATH: process.env['PATH'],
    ...{
      SVC_API_KEY: actor.tenant.apiKey,
      SVC_BASE_URL: stack.file.gateway,
      SVC_SESSION_ID: actor.sessionId,
    },
  };
  const args = [SVC, 'evals', ...words];
  return run(process.execPath, args, { env, maxBuffer: 10_000_000 }).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    (error: unknown) => {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, out: stdout, err: stderr };
    },
  );
}

describe('evals', () => {
  test('are silent in fifty runs of what is right', async () => {
    await draft();
    const copies = Array.from({ length: 50 }, (_, index) =>
      EVALS.map((one) => ({ ...one, name: `${one.name} ${index}` })),
    ).flat();
    const { code, out, err } = await evals(copies);
    expect([code, err, out.match(/✗.*/g)]).toEqual([0, '', null]);
    expect(out).toMatch(/All hold: 200 conversations, \d+ tokens, [\d.]+ s\.\n$/);
  });

  test.each(REGRESSIONS)('stop %s, and say what is wrong', async (_, change, sentence) => {
    await draft(change);
    const { code, out } = await evals(EVALS);
    expect(code).toBe(1);
    expect(out).toContain(sentence);
    expect(out).toMatch(/\d (does|do) not hold: 4 conversations/);
  });

  test('are demanded before a draft is published, judged by a model, and made of what is answered then', async () => {
    const path = `/v1/sessions/${actor.sessionId}/assistant`;
    const publish = () => actor.api('POST', `${path}/publish`, {});
    const step = (contact: string) => ({ contact, expect: { judge: ['It names bread.'] } });
    await draft({ onlyFromSources: false, debounceMs: 0 });
    expectStatus(await actor.api('PUT', `${path}/evals`, { demanded: true }), 200);
    const refused = await publish();
    expect(refused).toMatchObject({ status: 409, body: { code: 'ASSISTANT_CONFLICT' } });
    const steps = [step('Do you have bread?'), step('Which bread?')];
    const broken = await evals([{ name: 'bread', steps }], '--report');
    expect([broken.code, broken.out]).toEqual([
      1,
      expect.stringContaining('It names bread.": it names no price'),
    ]);
    expectStatus(await publish(), 409);
    const held = await evals([{ name: 'bread', steps: steps.slice(0, 1) }], '--report');
    expect([held.code, held.err]).toEqual([0, '']);
    expectStatus(await publish(), 200);
    const contact = inventPhone();
    await actor.write(contact, 'Do you have bread? Call me: 0151 1234567');
    await waitFor('the answer', async () => (await actor.inbox(contact)).length > 0, 60_000);
    const file = join(folder, 'mined.json');
    expect(await svc('mine', file)).toMatchObject({ code: 0 });
    const { reviewed, conversations } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    expect(reviewed).toBe(false);
    expect(conversations).toMatchObject([{ steps: [{ contact: 'Do you have bread? Call me: NUMBER' }] }]);
  });
});
