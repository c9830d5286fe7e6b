import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { type Exit, Supervised } from './supervised.js';

jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
afterEach(() => jest.clearAllTimers());

/** Program in memory: it dies on request. */
class Program {
  stopped = false;
  private readonly listeners: ((exit: Exit) => void)[] = [];
  constructor(
    readonly pid: number,
    readonly follows: Program | undefined,
  ) {}
  onExit(listener: (exit: Exit) => void): void {
    this.listeners.push(listener);
  }
  die(): void {
    for (const listener of this.listeners) listener({ code: null, signal: 'SIGKILL', expected: false });
  }
  async stop(): Promise<void> {
    this.stopped = true;
    this.die();
  }
}

function supervise(): {
  part: Supervised<Program>;
  launched: Program[];
  said: string[];
  changes: () => number;
  fail: (times: number) => void;
} {
  const launched: Program[] = [];
  const said: string[] = [];
  let changes = 0;
  let failures = 0;
  const launch = async (previous: Program | undefined): Promise<Program> => {
    if (failures-- > 0) throw new Error('ended with code 1');
    const program = new Program(100 + launched.length, previous);
    launched.push(program);
    return program;
  };
  const listener = { onChange: () => void changes++, say: (line: string) => void said.push(line) };
  const part = new Supervised('billing', 1, launch, listener);
  return { part, launched, said, changes: () => changes, fail: (times) => void (failures = times) };
}

const last = (launched: Program[]): Program => launched.at(-1) as Program;

describe('a program that is kept alive', () => {
  test('is started again 200 ms after it died, knowing how it ran before', async () => {
    const { part, launched, said, changes } = supervise();
    await part.start();
    last(launched).die();
    expect(part.pid).toBeUndefined();
    expect(changes()).toBe(1);
    await jest.advanceTimersByTimeAsync(199);
    expect(launched).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(part.pid).toBe(101);
    expect(last(launched).follows).toBe(launched[0]);
    expect(changes()).toBe(2);
    expect(said).toEqual([
      'billing ended (SIGKILL)\n  starting it again in 0.2 s',
      'billing runs again (process 101)',
    ]);
  });

  test('is waited for longer each time it dies soon again, and when it does not come up', async () => {
    const { part, launched, said, fail } = supervise();
    await part.start();
    last(launched).die();
    await jest.advanceTimersByTimeAsync(200);
    fail(2);
    last(launched).die();
    await jest.advanceTimersByTimeAsync(400 + 800 + 1600);
    expect(part.pid).toBe(102);
    expect(said.filter((line) => line.includes('starting')).map((line) => line.split('\n')[1])).toEqual(
      ['0.2', '0.4', '0.8', '1.6'].map((seconds) => `  starting it again in ${seconds} s`),
    );
    await part.stop();
  });

  test('starts anew with a short wait once it was alive for half a minute', async () => {
    const { part, launched, said } = supervise();
    await part.start();
    last(launched).die();
    await jest.advanceTimersByTimeAsync(200);
    await jest.advanceTimersByTimeAsync(30_000);
    last(launched).die();
    expect(said.at(-1)).toContain('again in 0.2 s');
    await part.stop();
  });

  test('is not started again once it was stopped', async () => {
    const { part, launched, said } = supervise();
    await part.start();
    await part.stop();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(last(launched).stopped).toBe(true);
    expect(launched).toHaveLength(1);
    expect(said).toEqual([]);
  });

  test('can be stopped while it waits to be started again', async () => {
    const { part, launched } = supervise();
    await part.start();
    last(launched).die();
    const stopped = part.stop();
    await jest.advanceTimersByTimeAsync(60_000);
    await stopped;
    expect(launched).toHaveLength(1);
  });

  test('fails its first start at once, with its name', async () => {
    const { part, fail } = supervise();
    fail(1);
    await expect(part.start()).rejects.toThrow('billing ended with code 1');
    await part.stop();
  });
});

test('a program that comes up while it is being stopped is stopped too', async () => {
  let arrive: (program: Program) => void = () => undefined;
  const late = new Program(7, undefined);
  const launch = (): Promise<Program> => new Promise((resolve) => (arrive = resolve));
  const part = new Supervised('postgres', 1, launch, { onChange: () => undefined, say: () => undefined });
  const started = part.start();
  const stopped = part.stop();
  arrive(late);
  await Promise.all([started, stopped]);
  expect(late.stopped).toBe(true);
});
