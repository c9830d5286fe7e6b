import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { NODE } from './node-under-test.js';
import { answer, refuse, ScriptedServer } from './scripted-server.js';

const run = promisify(execFile);
const SVC = new URL('../dist/cli/svc.js', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'svc-evals-'));
const SAID = {
  ...{ texts: ['We open at seven.'], outcome: 'ANSWERED', detail: null, version: null },
  ...{ sources: ['a'], toolCalls: [{ tool: 'look_up', outcome: 'DONE' }], tokens: 40 },
};

let gateway: ScriptedServer;
beforeEach(async () => {
  gateway = await ScriptedServer.start();
  gateway.steps = [answer(200, SAID)];
});
afterEach(() => gateway.stop());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the evals of a file with this content. */
async function evals(content: unknown, ...more: string[]): Promise<Ended> {
  const file = join(folder, 'evals.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  const env = {
    ...{ PATH: process.env['PATH'], SVC_API_KEY: 'the-key', SVC_BASE_URL: gateway.origin },
    // Node 18 warns on stderr that its own fetch is new.
    NODE_NO_WARNINGS: '1',
  };
  const args = [SVC, 'evals', 'run', file, '--session', 'a-session', ...more];
  return run(NODE, args, { env }).then(
    (ended) => ({ code: 0, ...ended }),
    (error: unknown) => error as Ended,
  );
}

const withStep = (expected: object): object => ({
  conversations: [{ name: 'Hours', steps: [{ contact: 'When?', expect: expected }] }],
});

describe('svc evals run', () => {
  test('plays a conversation step by step, with what was answered before', async () => {
    const steps = [{ contact: 'When?' }, { contact: 'Really?', expect: { contains: ['SEVEN'] } }];
    const ended = await evals({ conversations: [{ name: 'Hours', steps }] }, '--published');
    expect([ended.code, ended.stderr]).toEqual([0, '']);
    expect(ended.stdout).toMatch(/^✓ Hours\nAll hold: 1 conversation, 80 tokens, [\d.]+ s\.\n$/);
    expect(gateway.asked.map(({ url }) => url)).toEqual(
      [1, 2].map(() => '/v1/sessions/a-session/assistant/playground'),
    );
    expect(JSON.parse(gateway.asked[1]?.body ?? '')).toEqual({
      messages: [
        { from: 'contact', text: 'When?' },
        { from: 'business', text: 'We open at seven.' },
        { from: 'contact', text: 'Really?' },
      ],
      published: true,
    });
  });

  test.each<[object, string]>([
    [{ contains: ['eight'] }, 'the answer does not contain "eight"'],
    [{ containsNone: ['Seven'] }, 'the answer contains "Seven"'],
    [{ matches: '^seven' }, 'the answer does not match "^seven"'],
    [{ outcome: 'HANDED_OFF' }, 'the outcome is ANSWERED, not HANDED_OFF'],
    [{ outcome: 'ANSWERED', detail: 'X' }, 'the outcome is ANSWERED, not ANSWERED (X)'],
    [{ tools: [] }, 'the tools are look_up, not none'],
    [{ minSources: 2 }, 'it has 1 sources, fewer than 2'],
    [{ maxMessages: 0 }, 'it has 1 messages, more than 0'],
    [{ maxCharacters: 10 }, 'it has 17 characters, more than 10'],
    [{ maxTokens: 39 }, 'it has 40 tokens, more than 39'],
  ])('stops at %j, and shows the answer', async (rule, sentence) => {
    const { code, stdout } = await evals(withStep(rule));
    expect(code).toBe(1);
    expect(stdout).toContain(`✗ Hours, step 1:\n    ${sentence}\n    │ We open at seven.\n`);
    expect(stdout).toContain('1 does not hold: 1 conversation,');
  });

  test('stops where there is no answer, though no rule speaks of that', async () => {
    gateway.steps = [answer(200, { ...SAID, texts: [], outcome: 'PROVIDER_FAILED', detail: 'HTTP_401' })];
    const { code, stdout } = await evals(withStep({}), '--json');
    expect(code).toBe(1);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toMatchObject([
      { name: 'Hours', holds: false, step: 1, broken: ['there is no answer: PROVIDER_FAILED (HTTP_401)'] },
      { conversations: 1, failed: 1, tokens: 40 },
    ]);
  });

  test('has sentences judged by a model, and shows what is not true and why', async () => {
    const judge = ['It names an hour.', 'It names a day.', 'It is friendly.'];
    const verdicts = [
      ...[
        { holds: true, reason: null },
        { holds: false, reason: 'No day is named.' },
      ],
      { holds: null, reason: 'The model has not said it.' },
    ];
    gateway.steps = [answer(200, SAID), answer(200, { verdicts, tokens: 200 })];
    const { code, stdout } = await evals(withStep({ judge }));
    expect(code).toBe(1);
    expect(stdout).toContain(
      '    not true, "It names a day.": No day is named.\n    not judged, "It is friendly.": The model has not said it.\n    │',
    );
    expect(stdout).toContain('240 tokens');
    expect(gateway.asked[1]?.url).toBe('/v1/sessions/a-session/assistant/judge');
    expect(JSON.parse(gateway.asked[1]?.body ?? '')).toEqual({
      messages: [
        { from: 'contact', text: 'When?' },
        { from: 'business', text: 'We open at seven.' },
      ],
      criteria: judge,
    });
  });

  test('holds where all sentences are true, and asks no model about an answer that there is not', async () => {
    const step = withStep({ judge: ['It names an hour.'] });
    gateway.steps = [
      answer(200, SAID),
      answer(200, { verdicts: [{ holds: true, reason: null }], tokens: 1 }),
    ];
    expect(await evals(step)).toMatchObject({ code: 0 });
    gateway.steps = [answer(200, { ...SAID, texts: [], outcome: 'HANDED_OFF' })];
    const { code, stdout } = await evals(step);
    expect([code, stdout]).toEqual([1, expect.stringContaining('there is no answer to judge')]);
    expect(gateway.asked).toHaveLength(3);
  });

  test('tells the gateway how it ended, of the revision with which it began', async () => {
    gateway.steps = [answer(200, { revision: 7 }), answer(200, SAID), answer(200, {})];
    const { code, stdout } = await evals(withStep({ contains: ['eight'] }), '--report');
    expect([code, stdout]).toEqual([1, expect.stringMatching(/Told of the draft at revision 7\.\n$/)]);
    expect(gateway.asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /v1/sessions/a-session/assistant',
      'POST /v1/sessions/a-session/assistant/playground',
      'POST /v1/sessions/a-session/assistant/evals',
    ]);
    expect(JSON.parse(gateway.asked[2]?.body ?? '')).toEqual({ revision: 7, conversations: 1, failed: 1 });
    expect(await evals(withStep({}), '--report', '--published')).toMatchObject({ code: 2 });
  });

  test('ends where the gateway refuses', async () => {
    gateway.steps = [refuse(404, 'SESSION_NOT_FOUND')];
    const conversations = Array.from({ length: 20 }, () => ({
      name: 'Hours',
      steps: [{ contact: 'When?' }],
    }));
    const { code, stderr } = await evals({ conversations });
    expect(code).toBe(1);
    expect(stderr).toContain('404 SESSION_NOT_FOUND');
    expect(gateway.asked.length).toBeLessThan(20);
  });

  test.each<[unknown, string]>([
    ['{', 'cannot be read as JSON'],
    [[], 'the file must be an object'],
    [{}, 'conversations must be a list of 1 to 1000'],
    [{ conversations: [{ name: 'x', steps: [] }] }, 'conversations[0].steps must be a list of 1 to 20'],
    [{ conversations: [{ steps: [{ contact: 'a' }] }] }, 'conversations[0].name must be a text'],
    [withStep({ contians: ['x'] }), 'conversations[0].steps[0].expect.contians: there is no such field'],
    [withStep({ contains: 'x' }), 'conversations[0].steps[0].expect.contains must be a list of texts'],
    [withStep({ maxTokens: -1 }), 'conversations[0].steps[0].expect.maxTokens must be a whole number'],
    [withStep({ judge: ['x'.repeat(501)] }), 'conversations[0].steps[0].expect.judge must have 10 sentences'],
    [{ reviewed: false, conversations: [] }, 'look through it, take out what still names a person'],
    [withStep({ matches: '(' }), 'conversations[0].steps[0].expect.matches must be a regular expression'],
  ])('refuses a file that is wrong, and names the place: %j', async (content, words) => {
    const { code, stderr } = await evals(content);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
    expect(gateway.asked).toEqual([]);
  });

  test('says how it is called', async () => {
    const ended = (await run(NODE, [SVC, 'evals', '--help'])).stdout;
    expect(ended).toContain('svc evals run FILE');
    await expect(run(NODE, [SVC, 'evals', 'list'])).rejects.toMatchObject({ code: 2 });
  });
});
