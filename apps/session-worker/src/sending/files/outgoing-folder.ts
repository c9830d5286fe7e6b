import { chmod, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { log, PeriodicTasks } from '@svc/service';
import { useTemporaryFolder, WorkerConfig } from '../../config.js';

const SWEEP_MS = 60_000;
/** Time beyond the longest transfer, which is twice its limit, in ms. */
const GRACE_MS = 60_000;

/**
 * Holds the folder of the files that are on their way to the platform. They are what tenants send, in the clear: nobody else of the machine
 * reads them, and what a process that was killed left behind is deleted, also by another one that shares the folder.
 */
@Injectable()
export class OutgoingFolder implements OnModuleInit {
  readonly path: string;

  constructor(
    private readonly config: WorkerConfig,
    tasks: PeriodicTasks,
  ) {
    this.path = join(config.mediaDir, 'outgoing');
    tasks.add('outgoing files', SWEEP_MS, () => this.sweep());
  }

  async onModuleInit(): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    await chmod(this.path, 0o700); // also of one that was there
    await this.sweep();
    // The library puts what it encrypts where temporary files are.
    useTemporaryFolder(this.path);
  }

  /** Deletes what no transfer can still need. */
  async sweep(): Promise<void> {
    const names = await readdir(this.path);
    const old = await Promise.all(names.map((name) => this.isOld(join(this.path, name))));
    const left = names.filter((_, n) => old[n]);
    for (const name of left) await rm(join(this.path, name), { force: true });
    if (left.length > 0)
      log().warn({ files: left.length }, 'outgoing files that were left behind are deleted');
  }

  private async isOld(path: string): Promise<boolean> {
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
    return Date.now() - mtimeMs > 2 * this.config.mediaSendTimeoutMs + GRACE_MS;
  }
}
