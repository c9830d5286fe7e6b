import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { FailureScope, Watchdog } from './watchdog.js';

let stanzas: EventEmitter;
let found: string[];
/** Doubts as they are told; `none`: they are over. */
let doubts: string[];
let watchdog: Watchdog;
/** Reaction of the library to the next frame or message. */
let library: () => Promise<void>;

beforeEach(() => {
  jest.useFakeTimers();
  stanzas = new EventEmitter();
  [found, doubts] = [[], []];
  library = () => Promise.resolve();
  for (const event of ['message', 'CB:message']) stanzas.on(event, () => library());
  watchdog = new Watchdog(
    { keepAliveMs: 15_000, stallMs: 40_000 },
    {
      giveUp: (reason) => {
        found.push(reason);
        watchdog.stop();
      },
      doubt: (reason) => void doubts.push(reason ?? 'none'),
    },
  );
  watchdog.supervise(stanzas);
});
afterEach(() => {
  watchdog.stop();
  jest.useRealTimers();
});

/** Lets time pass on a socket that gets frames now and then, or none. */
async function pass(seconds: number, isAlive = true): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    if (isAlive) stanzas.emit('frame');
    await jest.advanceTimersByTimeAsync(1_000);
  }
}
/** Hands a message to the library; the function that this returns ends it. */
function message(): () => void {
  let done: () => void = () => undefined;
  library = () => new Promise<void>((resolve) => (done = resolve));
  stanzas.emit('CB:message');
  return done;
}

test('a socket on which nothing is heard is given up within half a minute', async () => {
  await pass(25, false);
  expect(found).toEqual([]);
  await pass(1, false);
  expect(found).toEqual(['KEEP_ALIVE_TIMEOUT']);
});

test('a socket that hears the answers to its pings, and no more, is left alone', async () => {
  for (let ping = 0; ping < 10; ping += 1) {
    stanzas.emit('frame');
    await pass(20, false);
  }
  expect(found).toEqual([]);
});

test('a socket is given up at the first frame that cannot be read', async () => {
  library = () => Promise.reject(new Error('Unsupported state or unable to authenticate data'));
  stanzas.emit('message');
  await pass(1);
  expect(found).toEqual(['STREAM_UNREADABLE']);
});

test('a socket is given up when the library fails on a message', async () => {
  library = () => Promise.reject(new Error('cannot be acknowledged'));
  stanzas.emit('CB:message');
  await pass(1);
  expect(found).toEqual(['LIBRARY_ERROR']);
});

test('a socket whose messages go in and do not come out is given up', async () => {
  message();
  await pass(40);
  expect(found).toEqual([]);
  await pass(1);
  expect(found).toEqual(['PROCESSING_STALLED']);
});

test('a socket is doubted halfway to its end, once', async () => {
  await pass(20, false);
  expect(doubts).toEqual([]);
  await pass(5, false);
  expect([doubts, found]).toEqual([['KEEP_ALIVE_TIMEOUT'], []]);
  await pass(1, false);
  expect([doubts, found]).toEqual([['KEEP_ALIVE_TIMEOUT'], ['KEEP_ALIVE_TIMEOUT']]);
});

test('a socket whose messages stand still for half of the limit is doubted', async () => {
  message();
  await pass(20);
  expect(doubts).toEqual([]);
  await pass(1);
  expect(doubts).toEqual(['PROCESSING_STALLED']);
});

test('a doubt is over when two pings went by without another, and not before', async () => {
  watchdog.unanswered(true);
  await pass(10);
  watchdog.unanswered(false);
  await pass(29);
  watchdog.unanswered(true);
  await pass(1);
  watchdog.unanswered(false);
  await pass(29);
  expect(doubts).toEqual(['UNANSWERED']);
  await pass(1);
  expect([doubts, found]).toEqual([['UNANSWERED', 'none'], []]);
  await pass(60);
  expect(doubts).toHaveLength(2);
});

test('a long queue is no reason as long as it moves', async () => {
  const queue = Array.from({ length: 5 }, () => message());
  for (const done of queue) {
    await pass(30);
    done();
  }
  await pass(100);
  expect(found).toEqual([]);
});

test('work that gets done speaks for its own kind only', async () => {
  message();
  for (let second = 0; second < 41; second += 1) {
    await watchdog.watch('hand-over', Promise.resolve());
    await pass(1);
  }
  expect(found).toEqual(['PROCESSING_STALLED']);
});

test('a rest before the next piece of work counts for nothing', async () => {
  message()();
  await pass(100);
  message();
  await pass(39);
  expect(found).toEqual([]);
});

test('what watched work comes to is told to whoever asked for it', async () => {
  await expect(watchdog.watch('hand-over', Promise.resolve('sent'))).resolves.toBe('sent');
  await expect(watchdog.watch('hand-over', Promise.reject(new Error('no')))).rejects.toThrow('no');
});

test('nothing is found on a socket that was closed', async () => {
  watchdog.stop();
  await pass(100, false);
  expect(found).toEqual([]);
});

test('a pause of hand-overs is no stall, and the next one has all of the time', async () => {
  const hangs = (): Promise<unknown> => watchdog.watch('hand-over', new Promise(() => undefined));
  void hangs();
  await pass(39);
  void hangs(); // speaks for nothing: it has not got done
  await pass(1);
  expect(found).toEqual([]);
  await pass(1);
  expect(found).toEqual(['PROCESSING_STALLED']);
});

test('what fails unheard, however long after, ends the socket that it was for, until that is closed', async () => {
  const ended: string[] = [];
  const [one, other] = ['one', 'other'].map((name) => new FailureScope(() => void ended.push(name))) as [
    FailureScope,
    FailureScope,
  ];
  const later = one.run(async () => {
    await Promise.resolve();
    FailureScope.failed();
    return 'done';
  });
  expect(await later).toBe('done');
  expect(ended).toEqual(['one']);
  one.close();
  one.run(() => FailureScope.failed());
  other.run(() => FailureScope.failed());
  FailureScope.failed(); // for no socket at all
  expect(ended).toEqual(['one', 'other']);
});
