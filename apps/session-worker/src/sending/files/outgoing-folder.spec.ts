import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { PeriodicTasks } from '@svc/service';
import type { WorkerConfig } from '../../config.js';
import { OutgoingFolder } from './outgoing-folder.js';

const before = process.env['TMPDIR'];
const mediaDir = mkdtempSync(join(tmpdir(), 'media-'));
afterEach(() => {
  rmSync(mediaDir, { recursive: true });
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
});

test('a folder that was there already is closed to others as well', async () => {
  await mkdir(join(mediaDir, 'outgoing'));
  await chmod(join(mediaDir, 'outgoing'), 0o755);
  const config = { mediaDir, mediaSendTimeoutMs: 1_000 } as WorkerConfig;
  await new OutgoingFolder(config, { add: () => undefined } as unknown as PeriodicTasks).onModuleInit();
  expect(statSync(join(mediaDir, 'outgoing')).mode & 0o777).toBe(0o700);
});
