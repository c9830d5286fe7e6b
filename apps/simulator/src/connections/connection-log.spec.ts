import { expect, test } from '@jest/globals';
import { ConnectionLog } from './connection-log.js';

const DEVICE = { phone: '4915550001000', device: 1 };

test('who asks with the cursor of the last answer is told each event once', () => {
  const log = new ConnectionLog();
  expect(log.after(0)).toEqual({ items: [], cursor: 0, lost: 0 });
  log.add({ ...DEVICE, event: 'login' });
  const first = log.after(0);
  log.add({ ...DEVICE, event: 'end' });
  const second = log.after(first?.cursor ?? 0);
  expect([first, second].map((page) => page?.items.map(({ event }) => event))).toEqual([['login'], ['end']]);
  expect(log.after(second?.cursor ?? 0)).toEqual({ items: [], cursor: 2, lost: 0 });
});

test('what was forgotten is counted for those who would have had to be told', () => {
  const log = new ConnectionLog(2);
  for (let device = 1; device <= 5; device++) log.add({ ...DEVICE, device, event: 'login' });
  const devices = (cursor: number) => log.after(cursor)?.items.map(({ device }) => device);
  expect([log.after(0)?.lost, devices(0)]).toEqual([2, [3, 4, 5]]);
  expect([log.after(1)?.lost, devices(1)]).toEqual([1, [3, 4, 5]]);
  expect([log.after(3)?.lost, devices(3)]).toEqual([0, [4, 5]]);
});

test('nothing comes after what has not happened', () => {
  expect(new ConnectionLog().after(1)).toBeUndefined();
});
