import type { Memory } from '../stack/inspector.js';
import type { Stack } from '../stack/stack.js';
import { Program } from '../stack/program.js';

/** The figures that the reference reports after each command. */
export interface BareFigures {
  /** CPU time of the command, in milliseconds. */
  cpuMs: number;
}

/** Bare library: it runs without a gateway around it, in a process of its own, on the simulator of a stack (`bare/baileys.mjs`). */
export class BareBaileys {
  private constructor(private readonly program: Program) {}

  /** Starts the program; `nodeOptions` are options of Node for its process. */
  static async start({ file: { platform } }: Stack, nodeOptions: string[] = []): Promise<BareBaileys> {
    const env = {
      PLATFORM_URL: platform.websocket,
      PLATFORM_TRUST_ROOT: platform.trustRoot,
      PLATFORM_CONTROL: String(platform.control),
    };
    return new BareBaileys((await Program.start('baileys.mjs', { env, nodeOptions })).program);
  }

  /** Carries out one command; resolves when it is done. */
  async run(name: 'link' | 'send', argument: unknown): Promise<BareFigures> {
    return (await this.program.ask(name, argument)) as BareFigures;
  }

  /** Measures what the process holds when nothing is left to collect; started with `--expose-gc`. */
  async memory(): Promise<Memory> {
    return ((await this.program.ask('memory')) as { result: Memory }).result;
  }

  get pid(): number {
    return this.program.pid;
  }

  stop(): void {
    this.program.stop();
  }
}
