import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { PlatformSocket } from '../../platform/port.js';
import type { LedgerMessage } from '../ledger/ledger.js';
import { FilesAhead } from './files-ahead.js';

/** Makes files whose transfers end when the test says so. */
function stage() {
  const transfers: { jobId: string; end: () => void }[] = [];
  const stored: string[] = [];
  const upload = ({ jobId }: LedgerMessage) => {
    const uploaded = new Promise<Uint8Array>((resolve) =>
      transfers.push({ jobId, end: () => resolve(Buffer.from(jobId)) }),
    );
    return { uploaded, ended: uploaded.then(() => undefined) };
  };
  const keepUpload = async (_scope: object, jobId: string): Promise<void> => void stored.push(jobId);
  let done = 0;
  const files = new FilesAhead(
    { scope: { sessionId: 'session' } as never, ledger: { keepUpload }, files: { upload } },
    { done: () => void (done += 1), failed: () => 3 },
  );
  files.attach({} as PlatformSocket);
  const add = (n: number): void => files.add({ jobId: `job ${n}`, to: `chat ${n}` } as LedgerMessage);
  return { files, add, transfers, stored, done: () => done };
}

test('three files of a session are on their way at a time, the next one when one has come', async () => {
  const { add, transfers, stored, done } = stage();
  for (let n = 1; n <= 5; n += 1) add(n);
  expect(transfers.map(({ jobId }) => jobId)).toEqual(['job 1', 'job 2', 'job 3']);
  transfers[1]!.end();
  await turn();
  expect(transfers.map(({ jobId }) => jobId)).toEqual(['job 1', 'job 2', 'job 3', 'job 4']);
  expect([stored, done()]).toEqual([['job 2'], 1]);
});

test('a chat waits for its file and no longer; with 100 that wait the whole session does', async () => {
  const { files, add, transfers } = stage();
  for (let n = 1; n <= 99; n += 1) add(n);
  expect([files.chats.length, files.isFull]).toEqual([99, false]);
  add(100);
  expect([files.chats.length, files.isFull]).toEqual([100, true]);
  transfers[0]!.end();
  await turn();
  expect([files.chats.includes('chat 1'), files.isFull]).toEqual([false, false]);
});

test('without its socket nothing waits: all begins anew with the next one', async () => {
  const { files, add, transfers, stored, done } = stage();
  for (let n = 1; n <= 4; n += 1) add(n);
  files.detach();
  expect([files.chats, files.isFull]).toEqual([[], false]);
  for (const { end } of transfers) end();
  await turn();
  expect([stored, done(), transfers.length]).toEqual([[], 0, 3]);
});
