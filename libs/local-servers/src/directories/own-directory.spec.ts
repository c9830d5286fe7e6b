import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { chmod, mkdir, mkdtemp, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownDirectory } from './own-directory.js';

const NAME = `svc-local-servers-${process.getuid?.()}`;
let parent: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'svc-test-'));
});

afterEach(() => rm(parent, { recursive: true }));

describe('our directory below a shared one', () => {
  test('is readable by all and writable by us, and found again', async () => {
    await chmod(parent, 0o1777);
    const path = await ownDirectory(parent);
    expect(path).toBe(join(parent, NAME));
    expect((await stat(join(parent, NAME))).mode & 0o777).toBe(0o755);
    expect(await ownDirectory(parent)).toBe(path);
  });

  test('is refused when others may write into it', async () => {
    await mkdir(join(parent, NAME));
    await chmod(join(parent, NAME), 0o777);
    expect(await ownDirectory(parent)).toBeUndefined();
  });

  test('is refused when it is a link somewhere else', async () => {
    await mkdir(join(parent, 'elsewhere'));
    await symlink(join(parent, 'elsewhere'), join(parent, NAME));
    expect(await ownDirectory(parent)).toBeUndefined();
  });

  test('is refused where others could replace it', async () => {
    await chmod(parent, 0o777);
    expect(await ownDirectory(parent)).toBeUndefined();
  });

  test('is refused where there is nothing', async () => {
    expect(await ownDirectory(join(parent, 'absent'))).toBeUndefined();
  });
});
