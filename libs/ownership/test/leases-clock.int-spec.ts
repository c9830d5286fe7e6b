import { expect, test } from '@jest/globals';
import { waitFor } from '@svc/test-servers';
import { PARTITIONS } from './lease-database.js';
import { aGate, database, type Owner, owners, PATIENT, twoRenewals, withOwners } from './lease-owner.js';

withOwners();

const lostBy = (owner: Owner): number => owner.calls.filter(({ what }) => what === 'lost').length;

test('an owner is told of a loss when its time is up, not when it would renew next', async () => {
  const a = await owners.start('a', { ...PATIENT, renewMs: 60_000, selfStopMs: 2_000 });
  await waitFor('the loss, long before the minute is over', () => lostBy(a) === PARTITIONS);
  expect(a.leases.isFresh()).toBe(false);
});

test('an owner that stops while the database hangs is told of the loss by its own clock', async () => {
  const gate = aGate();
  const a = await owners.start('a', {
    ...PATIENT,
    selfStopMs: 2_000,
    onRelease: () => gate.passed,
  });
  const stopping = a.leases.stop();
  await waitFor('its leaving', async () => {
    return (await database.query('SELECT 1 FROM rooms.lease_member')).length === 0;
  });
  const letGo = await owners.block('SELECT 1 FROM partition_lease FOR UPDATE');
  await waitFor('the loss', () => lostBy(a) === PARTITIONS);
  expect(a.leases.held).toEqual([]);
  await letGo();
  gate.open();
  await stopping;
  expect(a.calls.some(({ what }) => what === 'free')).toBe(false);
});

test('a database that refuses everything costs the leases, and only when time is up', async () => {
  const heldAtErrors: number[] = [];
  const a = await owners.start('a', {
    ...PATIENT,
    selfStopMs: 2_000,
    onError: () => heldAtErrors.push(a.leases.held.length),
  });
  await database.query('ALTER TABLE rooms.lease_member RENAME TO gone');
  await database.query('ALTER TABLE rooms.partition_lease RENAME TO gone_too');
  await waitFor('the loss', () => lostBy(a) === PARTITIONS);
  expect(heldAtErrors[0]).toBe(PARTITIONS);
  await database.query('ALTER TABLE rooms.gone RENAME TO lease_member');
  await database.query('ALTER TABLE rooms.gone_too RENAME TO partition_lease');
  await waitFor('the leases to be renewed', () => a.leases.isFresh());
});

test('a write of an earlier epoch that finds its fence fallen says nothing about the present one', async () => {
  const a = await owners.start('a', PATIENT);
  const epoch = a.leases.epochOf(9)!;
  a.leases.lost(9, epoch - 1);
  expect(a.leases.epochOf(9)).toBe(epoch);
  a.leases.lost(9, epoch);
  expect(a.leases.epochOf(9)).toBeUndefined();
  expect(lostBy(a)).toBe(1);
});

test('a listener that fails keeps nobody from hearing of the other losses', async () => {
  const partitions: number[] = [];
  const a = await owners.start('a', {
    ...PATIENT,
    onLost: (partition) => {
      partitions.push(partition);
      throw new Error('the socket is stuck');
    },
  });
  await database.query(`UPDATE rooms.partition_lease SET owner = 'thief', epoch = 2 WHERE partition < 3`);
  await waitFor('all three', () => partitions.length === 3);
  await waitFor('their errors', () => a.errors.length === 3);
  await twoRenewals(3);
  expect(a.leases.held).toHaveLength(PARTITIONS - 3);
});
