import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { isEvent, type StreamOptions, SvcClient, type SvcEvent } from '../src/index.js';
import { refuse, reset, ScriptedServer, type Step } from './scripted-server.js';

let server: ScriptedServer;
beforeAll(async () => void (server = await ScriptedServer.start()));
beforeEach(() => void (server.asked.length = 0));
afterAll(() => server.stop());

const frame = (n: number): string =>
  `id: c${n}\nevent: message.received\ndata: ${JSON.stringify({ id: `e${n}`, event: 'message.received', createdAt: '', payload: { pushName: 'Ada' } })}\n\n`;

/** A stream of these frames; it stays open where `open`, and ends otherwise. */
const stream =
  (frames: string[], { open = false } = {}): Step =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`retry: 10\n: open\n\n${frames.join('')}`);
    if (!open) response.end();
  };

/** Takes so many events of a stream. */
async function take(count: number, steps: Step[], options: StreamOptions = {}): Promise<SvcEvent[]> {
  server.steps = steps;
  const taken: SvcEvent[] = [];
  const client = new SvcClient({ apiKey: 'k', baseUrl: server.origin });
  for await (const event of client.events.stream(options)) {
    taken.push(event);
    if (taken.length === count) break;
  }
  return taken;
}

const lastIds = (): unknown[] => server.asked.map(({ headers }) => headers['last-event-id']);

test('a stream goes on from the last event that was handed out, whatever broke', async () => {
  const half: Step = (response) => {
    response.writeHead(200).write(frame(3) + frame(4).slice(0, 40));
    setImmediate(() => response.destroy());
  };
  const busy = refuse(503, 'UPSTREAM_UNAVAILABLE', { 'retry-after': '0' });
  const taken = await take(4, [
    stream([frame(1), frame(2)]),
    half,
    reset,
    busy,
    stream([frame(4)], { open: true }),
  ]);
  expect(taken.map(({ id, cursor }) => [id, cursor])).toEqual([1, 2, 3, 4].map((n) => [`e${n}`, `c${n}`]));
  expect(lastIds()).toEqual([undefined, 'c2', 'c3', 'c3', 'c3']);
});

test('an id that comes without an event is a place to go on from, too', async () => {
  await take(2, [stream([frame(1), ': still here\nid: c7\n\n']), stream([frame(8)])]);
  expect(lastIds()).toEqual([undefined, 'c7']);
});

test('it asks for what it was asked for, from where it was told', async () => {
  await take(1, [stream([frame(1)])], { after: 'c0', event: 'message.received', sessionId: 's' });
  expect(server.asked[0]).toMatchObject({
    url: '/v1/events/stream?event=message.received&sessionId=s',
    headers: { 'last-event-id': 'c0', accept: 'text/event-stream', authorization: 'Bearer k' },
  });
});

test('it tells of connections that are made and break', async () => {
  const calls: string[] = [];
  await take(2, [stream([frame(1)]), stream([frame(2)])], {
    onOpen: () => calls.push('open'),
    onReconnect: (error) => calls.push((error as Error).name),
  });
  expect(calls).toEqual(['open', 'ConnectionError', 'open']);
});

test.each([
  [401, 'UNAUTHENTICATED'],
  [403, 'FORBIDDEN'],
  [410, 'CURSOR_EXPIRED'],
])('a refusal with %s, which no other attempt would change, is thrown', async (status, code) => {
  await expect(take(2, [stream([frame(1)]), refuse(status, code)])).rejects.toMatchObject({ status, code });
});

test('what is no event at all is a fault, and thrown', async () => {
  await expect(take(1, [stream(['data: {\n\n'])])).rejects.toBeInstanceOf(SyntaxError);
});

test('it ends with its signal, and with the loop that reads it', async () => {
  const ending = new AbortController();
  const gone = new Promise((done) => {
    server.steps = [
      (response) => {
        stream([frame(1)], { open: true })(response, server.asked[0]!);
        response.once('close', done);
      },
    ];
  });
  const client = new SvcClient({ apiKey: 'k', baseUrl: server.origin });
  for await (const event of client.events.stream({ signal: ending.signal })) {
    expect(event.id).toBe('e1');
    setImmediate(() => ending.abort());
  }
  await gone;
});

test('the payload of an event has the type of its name', async () => {
  const [event] = await take(1, [stream([frame(1)])]);
  if (!event || !isEvent(event, 'message.received')) throw new Error('It is another event.');
  expect(event.payload.pushName).toBe('Ada');
});
