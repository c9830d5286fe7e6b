import { type ChildProcess, fork } from 'node:child_process';
import { resolve } from 'node:path';
import type { Memory } from '../inspector.js';
import type { Stack } from '../stack.js';

/** What the reference says after each command. */
export interface BareFigures {
  /** CPU of the command, in milliseconds. */
  cpuMs: number;
}

/** The library without a gateway around it, in a process of its own, on the simulator of a stack (`bare/baileys.mjs`). */
export class BareBaileys {
  private constructor(private readonly process: ChildProcess) {}

  /** `nodeOptions`: what the process is started with beyond the program. */
  static async start({ file: { platform } }: Stack, nodeOptions: string[] = []): Promise<BareBaileys> {
    const child = fork(resolve(import.meta.dirname, '../../bare/baileys.mjs'), {
      execArgv: nodeOptions,
      env: {
        ...process.env,
        PLATFORM_URL: platform.websocket,
        PLATFORM_TRUST_ROOT: platform.trustRoot,
        PLATFORM_CONTROL: String(platform.control),
      },
    });
    const bare = new BareBaileys(child);
    await bare.answer();
    return bare;
  }

  /** Carries out one command; resolves when it is done. */
  async run(name: 'link' | 'send', argument: unknown): Promise<BareFigures> {
    return (await this.command(name, argument)) as BareFigures;
  }

  /** What the process holds when nothing is left to collect; started with `--expose-gc`. */
  async memory(): Promise<Memory> {
    return ((await this.command('memory')) as { result: Memory }).result;
  }

  get pid(): number {
    return this.process.pid as number;
  }

  stop(): void {
    if (this.process.connected) this.process.disconnect();
  }

  private command(name: string, argument?: unknown): Promise<unknown> {
    const answer = this.answer();
    this.process.send({ name, argument });
    return answer;
  }

  private answer(): Promise<unknown> {
    return new Promise((done, failed) => {
      const ended = (): void => failed(new Error('The bare reference ended.'));
      this.process.once('exit', ended);
      this.process.once('message', (message) => {
        this.process.off('exit', ended);
        done(message);
      });
    });
  }
}
