import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { PeriodicTask } from './periodic-task.js';

/**
 * This provider runs what its service does again and again. A provider adds its tasks in its constructor; Nest starts them when all are
 * made and stops them before the service shuts down, so that no provider has hooks of its own for that.
 */
@Injectable()
export class PeriodicTasks implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly tasks: PeriodicTask[] = [];
  private readonly stopping = new AbortController();
  private isStarted = false;

  /**
   * Adds a task. Its first run comes when the interval has passed, and none begins before the run before it has ended.
   * @param run is told by the signal that the service stops, which waits for its end.
   */
  add(name: string, intervalMs: number, run: (stopping: AbortSignal) => Promise<unknown>): void {
    const task = new PeriodicTask(name, intervalMs, () => run(this.stopping.signal));
    this.tasks.push(task);
    if (this.isStarted) task.start();
  }

  /** Starts the tasks; Nest calls it. */
  onApplicationBootstrap(): void {
    this.isStarted = true;
    for (const task of this.tasks) task.start();
  }

  /** Stops the tasks; resolves when no run is under way. Nest calls it. */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.tasks.map((task) => task.stop()));
  }
}
