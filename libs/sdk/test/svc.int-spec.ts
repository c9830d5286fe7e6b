import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { SAMPLE_PAYLOADS, verifyWebhook } from '../src/index.js';
import { NODE } from './node-under-test.js';
import { answer, refuse, ScriptedServer, type Step } from './scripted-server.js';

const SVC = new URL('../dist/cli/svc.js', import.meta.url).pathname;
const DEFAULT_RECEIVER = 'http://localhost:3001/hook';
const SECRET = 'whsec_of-this-test';

let gateway: ScriptedServer;
let receiver: ScriptedServer;
let running: ChildProcess | undefined;

beforeEach(async () => {
  [gateway, receiver] = [await ScriptedServer.start(), await ScriptedServer.start()];
  receiver.steps = [answer(200)];
});
afterEach(async () => {
  running?.kill('SIGKILL');
  await Promise.all([gateway.stop(), receiver.stop()]);
});

interface Run {
  out: string;
  err: string;
  code: Promise<number | null>;
  /** Resolves as soon as standard output or error holds this. */
  said: (text: string) => Promise<void>;
  stop: () => void;
}

function svc(args: string[], env: Record<string, string> = {}): Run {
  const child = spawn(NODE, [SVC, ...args], { env: { PATH: process.env['PATH'], ...env } });
  running = child;
  const waiting: [string, () => void][] = [];
  const run: Run = {
    ...{ out: '', err: '' },
    code: new Promise((done) => child.once('close', done)),
    said: (text) => new Promise((done) => void (waiting.push([text, done]), look())),
    stop: () => void child.kill('SIGINT'),
  };
  const look = (): void => {
    for (const [text, done] of waiting) if ((run.out + run.err).includes(text)) done();
  };
  child.stdout.on('data', (chunk: Buffer) => void ((run.out += chunk.toString()), look()));
  child.stderr.on('data', (chunk: Buffer) => void ((run.err += chunk.toString()), look()));
  return run;
}

const hook = (): string => `${receiver.origin}/hook`;
const access = (): Record<string, string> => ({ SVC_API_KEY: 'the-key', SVC_BASE_URL: gateway.origin });
const linesOf = ({ out }: Run): Record<string, unknown>[] =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('svc trigger', () => {
  test.each(Object.keys(SAMPLE_PAYLOADS))('posts a sample of %s that the verifier takes', async (event) => {
    const run = svc(['trigger', event, '--forward', hook()], { SVC_WEBHOOK_SECRET: SECRET });
    expect(await run.code).toBe(0);
    const [{ url, headers, body }] = receiver.asked as [(typeof receiver.asked)[0]];
    expect([url, headers['x-svc-event'], headers['x-webhook-event']]).toEqual(['/hook', event, event]);
    const result = verifyWebhook(body, headers, SECRET);
    const payload = SAMPLE_PAYLOADS[event as keyof typeof SAMPLE_PAYLOADS];
    expect(result).toMatchObject({
      ok: true,
      event: { event, payload, deliveryId: headers['x-svc-delivery-id'] },
    });
    expect(run.out).toMatch(/ 200 in \d+ ms\n$/);
  });

  test('posts to the receiver of the documentation where none is given, and says so', async () => {
    const run = svc(['trigger', 'message.received', '--json']);
    // The test does not control whether a server listens there.
    expect(await run.code).not.toBe(2);
    expect(linesOf(run)).toMatchObject([{ event: 'message.received', forward: DEFAULT_RECEIVER }]);
    expect(run.err).toContain(`Posting message.received to ${DEFAULT_RECEIVER}`);
    const help = svc(['trigger', '--help']);
    expect(await help.code).toBe(0);
    expect(help.out).toContain(DEFAULT_RECEIVER);
  });

  test('makes a secret where none is given, and says it', async () => {
    const run = svc(['trigger', 'message.sent', '--forward', hook(), '--json']);
    expect(await run.code).toBe(0);
    const [{ secret, ...result }] = linesOf(run) as [Record<string, unknown>];
    expect(result).toMatchObject({ event: 'message.sent', status: 200, attempts: 1 });
    const [{ headers, body }] = receiver.asked as [(typeof receiver.asked)[0]];
    expect(verifyWebhook(body, headers, secret as string)).toMatchObject({ ok: true });
  });

  test('fails where the receiver never takes it', async () => {
    receiver.steps = [answer(500)];
    const run = svc(['trigger', 'message.sent', '--forward', hook()]);
    expect(await run.code).toBe(1);
    expect(receiver.asked).toHaveLength(3);
    expect(new Set(receiver.asked.map(({ headers }) => headers['x-svc-delivery-id'])).size).toBe(1);
    expect(run.out).toMatch(/ 500 in \d+ ms \(attempt 3\)\n$/);
  });
});

describe('svc send', () => {
  const ARGS = ['send', '--session', 's', '--to', '+4915112345678', '--text', 'hello'];

  test('sends a text and says the job', async () => {
    gateway.steps = [answer(200, { status: 'QUEUED', jobId: 'job-1' })];
    const run = svc([...ARGS, '--client-message-id', 'order-1'], access());
    expect([await run.code, run.out]).toEqual([0, 'QUEUED job-1\n']);
    expect(gateway.asked[0]?.headers.authorization).toBe('Bearer the-key');
    expect(JSON.parse(gateway.asked[0]?.body ?? '')).toEqual({
      ...{ sessionId: 's', to: '+4915112345678', text: 'hello', clientMessageId: 'order-1' },
    });
  });

  test('takes a value behind a sign of equality, whatever it begins with', async () => {
    gateway.steps = [answer(200, { status: 'QUEUED', jobId: 'job-1' })];
    const run = svc(['send', '--session=s', '--to=+4915112345678', '--text=--2 = -2'], access());
    expect(await run.code).toBe(0);
    expect(JSON.parse(gateway.asked[0]?.body ?? '')).toMatchObject({ sessionId: 's', text: '--2 = -2' });
  });

  test('says why it was refused, and fails', async () => {
    gateway.steps = [refuse(400, 'SESSION_NOT_CONNECTED')];
    const run = svc(ARGS, access());
    expect([await run.code, run.out]).toEqual([1, '']);
    // The text is at the end: Node 18 says first that its fetch is an experiment.
    expect(run.err).toMatch(/^400 SESSION_NOT_CONNECTED: It is SESSION_NOT_CONNECTED\. \(request r-1\)\n$/m);
    const json = svc([...ARGS, '--json'], access());
    expect(await json.code).toBe(1);
    expect(linesOf(json)).toEqual([
      { error: expect.objectContaining({ status: 400, code: 'SESSION_NOT_CONNECTED' }) },
    ]);
  });
});

describe('svc listen', () => {
  const tell = (...numbers: number[]): string =>
    numbers
      .map((n) => ({ id: `e${n}`, event: 'message.received', createdAt: '', payload: { b: n, a: `ü${n}` } }))
      .map((event, i) => `id: c${numbers[i]}\nevent: message.received\ndata: ${JSON.stringify(event)}\n\n`)
      .join('');
  const stream =
    (text: string, end = false): Step =>
    (response) => {
      response.writeHead(200).write(`retry: 10\n\n${text}`);
      if (end) response.end();
    };

  test('forwards each event in order as a webhook, over a connection that breaks, and says what came back', async () => {
    gateway.steps = [stream(tell(1, 2), true), stream(tell(3))];
    const run = svc(['listen', '--forward', hook(), '--secret', SECRET, '--json'], access());
    await run.said('"cursor":"c3"');
    run.stop();
    expect(await run.code).toBe(0);
    expect(receiver.asked.map(({ body }) => body)).toEqual(
      [1, 2, 3].map(
        (n) => `{"event":"message.received","deliveryId":"e${n}","payload":{"b":${n},"a":"ü${n}"}}`,
      ),
    );
    for (const { body, headers } of receiver.asked)
      expect(verifyWebhook(body, headers, SECRET)).toMatchObject({ ok: true });
    expect(linesOf(run)[0]).toEqual({ listening: true, forward: hook() });
    expect(linesOf(run)[3]).toMatchObject({
      event: 'message.received',
      deliveryId: 'e3',
      status: 200,
      cursor: 'c3',
    });
    expect(gateway.asked[1]?.headers['last-event-id']).toBe('c2');
    expect(run.out + run.err).not.toContain('the-key');
  });

  test.each([
    ['what an endpoint hears', [], { own: 'false', changes: 'false' }],
    ['what is written on the own phone where it is told to', ['--own'], { changes: 'false' }],
    ['edits and revocations where it is told to', ['--changes'], { own: 'false' }],
    [
      'nothing of groups where it is told so',
      ['--no-groups'],
      { groups: 'false', own: 'false', changes: 'false' },
    ],
    ['all that is said where it is told to', ['--all'], {}],
  ])('forwards %s', async (_what, options, query) => {
    gateway.steps = [stream(tell(1))];
    const run = svc(['listen', '--forward', hook(), ...options], access());
    await run.said('e1 200');
    run.stop();
    await run.code;
    const { searchParams } = new URL(gateway.asked[0]?.url ?? '', 'http://gateway');
    expect(Object.fromEntries(searchParams)).toEqual(query);
  });

  const KINDS = ['call.received', 'webhook.paused', 'session.connected', 'message.poll_vote', 'message.sent'];
  const tellOf = (...kinds: string[]): string =>
    kinds
      .map((event, n) => ({ id: `e${n}`, event, createdAt: '', payload: {} }))
      .map((event, n) => `id: c${n}\nevent: ${event.event}\ndata: ${JSON.stringify(event)}\n\n`)
      .join('');

  test.each([
    ['the nine of the specification, as an endpoint that names none gets', [], [KINDS[2], KINDS[4]]],
    ['every one where it is told to', ['--all'], KINDS],
  ])('forwards, of all kinds, %s', async (_what, options, heard) => {
    gateway.steps = [stream(tellOf(...KINDS))];
    const run = svc(['listen', '--forward', hook(), ...options], access());
    await run.said('message.sent e4 200');
    run.stop();
    await run.code;
    expect(receiver.asked.map(({ headers }) => headers['x-svc-event'])).toEqual(heard);
  });

  test('forwards a kind that is named, whichever it is', async () => {
    gateway.steps = [stream(tellOf('call.received'))];
    const run = svc(['listen', '--forward', hook(), '--event', 'call.received'], access());
    await run.said('call.received e0 200');
    run.stop();
    await run.code;
    expect(gateway.asked[0]?.url).toBe('/v1/events/stream?event=call.received&own=false&changes=false');
  });

  test('does not come back to an event that it left out', async () => {
    gateway.steps = [stream(tellOf('message.sent', 'call.received'), true), stream(tellOf())];
    const run = svc(['listen', '--forward', hook()], access());
    await run.said('Again in');
    run.stop();
    expect(await run.code).toBe(0);
    expect(run.err).toMatch(/Go on from here with --after c1\n$/);
  });

  test('gives a receiver that is away some time, then goes on with the next event', async () => {
    gateway.steps = [stream(tell(1, 2))];
    receiver.steps = [answer(500), answer(500), answer(500), answer(200)];
    const run = svc(
      ['listen', '--forward', hook(), '--after', 'c0', '--event', 'message.received'],
      access(),
    );
    await run.said('e2 200');
    run.stop();
    expect(await run.code).toBe(0);
    expect(receiver.asked.map(({ headers }) => headers['x-svc-delivery-id'])).toEqual([
      'e1',
      'e1',
      'e1',
      'e2',
    ]);
    expect(run.out).toMatch(/message\.received e1 500 in \d+ ms \(attempt 3\)\n.* e2 200 in/);
    expect(run.err).toMatch(
      /Webhook secret of this run: whsec_.*\n(?:.*\n)*Go on from here with --after c2\n$/,
    );
    expect(gateway.asked[0]).toMatchObject({
      url: '/v1/events/stream?event=message.received&own=false&changes=false',
      headers: { 'last-event-id': 'c0' },
    });
  });

  test('that is stopped before its receiver took an event does not pass over it', async () => {
    gateway.steps = [stream(tell(1, 2))];
    const asked = new Promise<void>((done) => {
      receiver.steps = [answer(200), (response, request) => void (answer(500)(response, request), done())];
    });
    const run = svc(['listen', '--forward', hook(), '--secret', SECRET], access());
    await asked;
    run.stop();
    expect(await run.code).toBe(0);
    expect(run.err).toMatch(/Go on from here with --after c1\n$/);
  });

  test('forwards to the receiver of the documentation where none is given, and says so', async () => {
    gateway.steps = [stream('')];
    const run = svc(['listen', '--json'], access());
    await run.said(`Forwarding events to ${DEFAULT_RECEIVER};`);
    run.stop();
    expect(await run.code).toBe(0);
    expect(linesOf(run)).toMatchObject([{ listening: true, forward: DEFAULT_RECEIVER }]);
  });

  test('ends where the key does not work', async () => {
    gateway.steps = [refuse(401, 'UNAUTHENTICATED')];
    expect(await svc(['listen', '--forward', hook()], access()).code).toBe(1);
  });
});

test.each([
  [[]],
  [['nonsense']],
  [['constructor']],
  [['trigger']],
  [['trigger', 'message.unknown', '--forward', 'http://localhost:1/']],
  [['trigger', 'message.sent', '--forward', 'ftp://localhost/']],
  [['send', '--session', 's', '--to', 't']],
  [['send', '--unknown']],
  [['listen', '--forward', 'http://localhost:1/', 'more']],
  [['listen', '--forward', 'http://localhost:1/', '--event', 'message.unknown']],
])('svc %j is called wrongly', async (args) => {
  const run = svc(args, { SVC_API_KEY: 'k', SVC_BASE_URL: 'http://127.0.0.1:9' });
  expect(await run.code).toBe(2);
  expect(run.err).toMatch(/^(svc|Usage: svc)/);
  expect(run.out).toBe('');
});

test.each([
  [['--unknown'], '--unknown: there is no such option.'],
  [['--unknown=value'], '--unknown: there is no such option.'],
  [['-x'], '-x: there is no such option.'],
  [['--json=yes'], '--json takes no value.'],
  [['--text'], '--text needs a value'],
  [['--text', '--to', 't'], '--text needs a value; one that begins with a dash is given as --text=-…'],
  [['--json', '--', '--text'], '--text: what is that?'],
])('svc send %j is told why it is wrong', async (args, why) => {
  const run = svc(['send', ...args]);
  expect(await run.code).toBe(2);
  expect(run.err).toContain(`svc send: ${why}`);
});

test.each([['--help'], ['listen --help'], ['send -h'], ['trigger --help']])(
  'svc %s explains itself',
  async (args) => {
    const run = svc(args.split(' '));
    expect(await run.code).toBe(0);
    expect(run.out).toMatch(/^Usage: svc/);
  },
);
