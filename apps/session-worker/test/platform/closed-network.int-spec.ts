import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import { GetPlatformVersion, SetPlatformVersion } from '@svc/contracts';
import { temporaryDirectory, waitFor } from '@svc/testing';
import { LONG_MS, type Stage } from '../support.js';
import { WorkerProcess } from '../worker-process.js';

const OLD = 1_043_857_760;
const NEW = 1_047_769_893;

describe('in a network that reaches no source', () => {
  let stage: Stage;

  afterEach(() => stage.stop());

  const revisionOf = async (phone: string): Promise<number | undefined> => {
    const { devices } = await stage.platform.call<{ devices: { online: boolean; revision: number }[] }>(
      'GET',
      `/accounts/${phone}`,
    );
    return devices.find(({ online }) => online)?.revision;
  };
  const reads = async (): Promise<object> =>
    (await stage.platform.call<{ reads: object }>('GET', '/versions')).reads;

  test('a file names the version, and one session tries it', async () => {
    const file = join(temporaryDirectory('revision'), 'revision');
    writeFileSync(file, `${NEW}\n`);
    ({ stage } = await WorkerProcess.stage({ PLATFORM_VERSION_SOURCES: pathToFileURL(file).href }));
    await stage.link('15550132001');
    await waitFor('the session to try it', async () => (await revisionOf('15550132001')) === NEW, LONG_MS);
    expect(await reads()).toEqual({ sw: 0, page: 0 });
  });

  test('the configuration names it: nothing is read, and an order says where it stands', async () => {
    ({ stage } = await WorkerProcess.stage({ PLATFORM_VERSION: String(OLD + 5) }));
    await stage.link('15550132002');
    expect(await revisionOf('15550132002')).toBe(OLD + 5);
    const shown = await stage.worker.rpc.request(GetPlatformVersion, {});
    expect(shown).toMatchObject({ mode: 'pinned', revision: OLD + 5, nextReadAt: null });
    const order = stage.worker.rpc.request(SetPlatformVersion, { revision: OLD });
    await expect(order).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(await reads()).toEqual({ sw: 0, page: 0 });
  });

  test('a number that waits for another version waits on when another worker takes it over', async () => {
    const { stage: made, worker } = await WorkerProcess.stage();
    stage = made;
    const phone = '15550132003';
    const sessionId = await stage.link(phone);
    await stage.platform.call('PUT', `/accounts/${phone}/faults`, { loginFloor: NEW });
    await stage.platform.call('POST', `/accounts/${phone}/disconnect`, { mode: 'drop' });
    const isWaiting = async () => (await stage.get(sessionId)).statusReason === 'CLIENT_OUTDATED';
    await waitFor('the session to wait', isWaiting, LONG_MS);
    const refusals = (): number => worker.log().match(/"code":405/g)?.length ?? 0;
    expect(refusals()).toBe(1);
    await worker.kill();
    await worker.start();
    // Another session logs in meanwhile: the one that waits would have by then.
    await stage.link('15550132004');
    expect([refusals(), await isWaiting()]).toEqual([0, true]);
    await stage.worker.rpc.request(SetPlatformVersion, { revision: NEW });
    await stage.reached(sessionId, 'CONNECTED');
    expect(await revisionOf(phone)).toBe(NEW);
  });
});
