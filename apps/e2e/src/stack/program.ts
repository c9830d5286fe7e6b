import { type ChildProcess, fork } from 'node:child_process';
import { bareProgram } from '../repository.js';

/** A program of `bare/` as a process of its own, which is asked one thing at a time. */
export class Program {
  private constructor(private readonly process: ChildProcess) {}

  /** Starts a program and returns its first message. `nodeOptions`: what Node is started with beyond the program. */
  static async start<T>(
    file: string,
    { env = {}, nodeOptions = [] }: { env?: Record<string, string>; nodeOptions?: string[] } = {},
  ): Promise<{ program: Program; first: T }> {
    const child = fork(bareProgram(file), {
      execArgv: nodeOptions,
      env: { ...process.env, ...env },
    });
    const program = new Program(child);
    return { program, first: (await program.answer()) as T };
  }

  get pid(): number {
    return this.process.pid as number;
  }

  /**
   * Asks the program for an answer.
   * @throws Error when the program ends instead.
   */
  ask(name: string, argument?: unknown): Promise<unknown> {
    const answer = this.answer();
    this.process.send({ name, argument });
    return answer;
  }

  stop(): void {
    if (this.process.connected) this.process.disconnect();
  }

  private answer(): Promise<unknown> {
    return new Promise((done, failed) => {
      const ended = (): void => failed(new Error('The program ended.'));
      this.process.once('exit', ended);
      this.process.once('message', (message) => {
        this.process.off('exit', ended);
        done(message);
      });
    });
  }
}
