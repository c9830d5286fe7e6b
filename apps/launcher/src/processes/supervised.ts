import { backOffMs, deathsInARow } from './back-off.js';
import { reasonOf } from '../reason.js';

/** The end of a program; `expected` when we had stopped it. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  expected: boolean;
}

/** A running program: one of the servers, or a service. */
export interface Running {
  readonly pid: number;
  stop(): Promise<void>;
  onExit(listener: (exit: Exit) => void): void;
}

/** Starts the program. `previous` is how it ran before: what others know of it, its port above all, must stay. */
export type Launch<T extends Running> = (previous: T | undefined, aborted: AbortSignal) => Promise<T>;

/** Listener for deaths and returns of a program. */
export interface Listener {
  /** Process ids are no longer what they were. */
  onChange(): void;
  /** Prints a line for the person at the screen. */
  say(line: string): void;
}

/** Keeps one program alive: when it dies it is started again, later and later while it keeps dying. */
export class Supervised<T extends Running> {
  private readonly stopped = new AbortController();
  private current: T | undefined;
  private previous: T | undefined;
  private deaths = 0;
  /** Start that is under way; `stop` waits for it so that nothing comes up behind its back. */
  private starting: Promise<unknown> = Promise.resolve();

  constructor(
    readonly name: string,
    readonly stopOrder: number,
    private readonly launch: Launch<T>,
    private readonly listener: Listener,
  ) {}

  /** Process id; undefined while it is down. */
  get pid(): number | undefined {
    return this.current?.pid;
  }

  /** The first start: a failure is the caller's, there is no second try. */
  async start(): Promise<T> {
    const first = this.begin();
    this.starting = first.catch(() => undefined);
    try {
      return await first;
    } catch (error) {
      throw new Error(`${this.name} ${reasonOf(error)}`, { cause: error });
    }
  }

  async stop(): Promise<void> {
    this.stopped.abort();
    await this.starting;
    await this.current?.stop();
    this.current = undefined;
  }

  private async begin(): Promise<T> {
    this.stopped.signal.throwIfAborted();
    const running = await this.launch(this.previous, this.stopped.signal);
    this.current = running;
    this.previous = running;
    const since = performance.now();
    running.onExit((exit) => {
      this.current = undefined;
      this.deaths = deathsInARow(this.deaths, performance.now() - since);
      this.listener.onChange();
      this.starting = this.bringBack(`ended (${exit.signal ?? `code ${exit.code}`})`);
    });
    return running;
  }

  private async bringBack(reason: string): Promise<void> {
    const { signal } = this.stopped;
    for (let problem = reason; !signal.aborted;) {
      const waitMs = backOffMs(this.deaths++);
      this.listener.say(`${this.name} ${problem}\n  starting it again in ${waitMs / 1000} s`);
      await pause(waitMs, signal);
      try {
        const { pid } = await this.begin();
        this.listener.say(`${this.name} runs again (process ${pid})`);
        this.listener.onChange();
        return;
      } catch (error) {
        problem = reasonOf(error);
      }
    }
  }
}

function pause(ms: number, aborted: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      aborted.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    aborted.addEventListener('abort', done);
  });
}
