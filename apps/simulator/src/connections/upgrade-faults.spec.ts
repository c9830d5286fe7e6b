import { expect, test } from '@jest/globals';
import { UpgradeFaults } from './upgrade-faults.js';

test('a limited fault concerns so many upgrades, then all are answered', () => {
  const faults = Object.assign(new UpgradeFaults(), { upgradeStatus: 503, count: 2 });
  expect([faults.next(), faults.next(), faults.next()]).toEqual([503, 503, 'auto']);
  expect(faults).toMatchObject({ upgrade: 'auto', upgradeStatus: null, count: null });
});

test('a fault without a number stays, and a status comes before a way of being answered', () => {
  const faults = Object.assign(new UpgradeFaults(), { upgrade: 'mute' });
  expect([faults.next(), faults.next()]).toEqual(['mute', 'mute']);
  faults.upgradeStatus = 500;
  expect(faults.next()).toBe(500);
});

test('upgrades without a fault use nothing up', () => {
  const faults = Object.assign(new UpgradeFaults(), { count: 1 });
  expect(faults.next()).toBe('auto');
  faults.upgrade = 'never';
  expect([faults.next(), faults.next()]).toEqual(['never', 'auto']);
});

test('the port is closed once, and opened by clearing', async () => {
  const faults = new UpgradeFaults();
  const calls: boolean[] = [];
  faults.attachPort(async (open) => void calls.push(open));
  await faults.closePort(true);
  await faults.closePort(true);
  expect(faults.portClosed).toBe(true);
  await faults.clear();
  await faults.clear();
  expect(calls).toEqual([false, true]);
});
