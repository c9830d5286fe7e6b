import { type ChildProcess, fork } from 'node:child_process';
import { resolve } from 'node:path';
import type { Stack } from '../stack.js';

/** What the reference says after each command. */
export interface BareFigures {
  /** CPU of the command, in milliseconds. */
  cpuMs: number;
}

/** The library without a gateway around it, in a process of its own, on the simulator of a stack (`bare/baileys.mjs`). */
export class BareBaileys {
  private constructor(private readonly process: ChildProcess) {}

  static async start({ file: { platform } }: Stack): Promise<BareBaileys> {
    const child = fork(resolve(import.meta.dirname, '../../bare/baileys.mjs'), {
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
    this.process.send({ name, argument });
    return (await this.answer()) as BareFigures;
  }

  get pid(): number {
    return this.process.pid as number;
  }

  stop(): void {
    if (this.process.connected) this.process.disconnect();
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
