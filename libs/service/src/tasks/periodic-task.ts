import { log } from '../logging/logger.js';

/** Runs a function again and again, never twice at a time; a failure is logged and the next turn comes all the same. */
export class PeriodicTask {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private stopped = false;

  constructor(
    private readonly name: string,
    private readonly intervalMs: number,
    private readonly run: () => Promise<unknown>,
  ) {}

  start(): void {
    this.schedule();
  }

  /** Stops; resolves when the turn that runs has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private schedule(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.running = this.turn().finally(() => this.schedule());
    }, this.intervalMs);
  }

  private async turn(): Promise<void> {
    try {
      await this.run();
    } catch (error) {
      log().warn({ task: this.name, err: error }, 'periodic task failed');
    }
  }
}
