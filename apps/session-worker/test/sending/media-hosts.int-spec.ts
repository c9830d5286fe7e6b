import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type MediaStoreConfig, openMediaStore } from '@svc/media-store';
import { waitFor } from '@svc/testing';
import { FILE, MB } from '../file-server.js';
import { keyIdOf, LONG_MS, type Stage } from '../support.js';
import { WorkerProcess } from '../worker-process.js';

const phone = '15550130000';
let stage: Stage;
let worker: WorkerProcess;
let sessionId: string;

beforeAll(async () => {
  ({ stage, worker } = await WorkerProcess.stage({ MEDIA_SEND_TIMEOUT_MS: '3000' }));
  sessionId = await stage.link(phone);
});
afterAll(() => stage.stop());

async function sendImage(contact: string): Promise<string> {
  const store = await openMediaStore({ mediaDir: worker.mediaDir } as MediaStoreConfig);
  const mediaId = randomUUID();
  await store.put(mediaId, [FILE], MB);
  return stage.send(sessionId, contact, { type: 'image', media: { mimeType: 'image/png', mediaId } });
}

test('a platform that does not name its media hosts makes a file fail, and the next one goes out when it does again', async () => {
  await stage.platform.call('PUT', `/accounts/${phone}/faults`, { unanswered: ['w:m'] });
  const { failure } = await stage.event('message.failed', await sendImage('15550230001'));
  expect(failure).toMatchObject({ code: 'MEDIA_UPLOAD_FAILED' });
  await stage.platform.call('DELETE', `/accounts/${phone}/faults`);
  const contact = '15550230002';
  const keyId = keyIdOf(await sendImage(contact));
  const received = async () => (await stage.platform.inbox(contact)).find(({ id }) => id === keyId);
  const { content } = await waitFor('the file', received, LONG_MS);
  expect(content).toMatchObject({ type: 'image', media: { problem: null } });
  expect(stage.eventsOf('session.disconnected', sessionId)).toEqual([]);
});
