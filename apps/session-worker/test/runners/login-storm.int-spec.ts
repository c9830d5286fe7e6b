import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { LONG_MS, Stage } from '../support.js';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.start({ LOGINS_AT_ONCE: '1', LOGIN_TIMEOUT_MS: '4000' });
});
afterAll(() => stage.stop());

const drop = (phone: string): Promise<unknown> =>
  stage.platform.call('POST', `/accounts/${phone}/disconnect`, { mode: 'drop' });

test(
  'sessions that wait for their turn to log in get it, and can be disconnected while they wait',
  async () => {
    const phones = ['15550112001', '15550112002', '15550112003', '15550112004'];
    const [stuck, ...others] = phones as [string, string, string, string];
    const ids = new Map<string, string>();
    for (const phone of phones) ids.set(phone, await stage.link(phone));
    const idOf = (phone: string): string => ids.get(phone) as string;
    await stage.platform.call('PUT', `/accounts/${stuck}/faults`, { login: 'never' });
    await drop(stuck);
    await stage.firstLoss(idOf(stuck));
    await waitFor('the login that is never answered', async () => {
      return (await stage.get(idOf(stuck))).status === 'RECONNECTING';
    });
    for (const phone of others) await drop(phone);
    for (const phone of others) await stage.firstLoss(idOf(phone));

    await stage.change(idOf(others[2]), 'disconnect');
    expect(await stage.reached(idOf(others[2]), 'DISCONNECTED')).toMatchObject({
      statusReason: 'USER_REQUEST',
    });
    // The stuck login gives its place back at its time limit.
    for (const phone of others.slice(0, 2)) await stage.reached(idOf(phone), 'CONNECTED');
    await stage.platform.call('DELETE', `/accounts/${stuck}/faults`);
    await stage.reached(idOf(stuck), 'CONNECTED');
    const jobId = await stage.send(idOf(stuck), '15550212001', 'back again');
    await stage.event('message.sent', jobId);
  },
  LONG_MS * 2,
);
