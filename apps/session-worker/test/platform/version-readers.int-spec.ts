import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { schemaDataSource } from '@svc/database';
import { createTestDatabase, temporaryDirectory } from '@svc/testing';
import { DataSource } from 'typeorm';
import { schema } from '../../src/migrations/schema.js';
import { SourceReader } from '../../src/versions/source-reader.js';
import { pagesOf, readSources } from '../../src/versions/version-sources.js';
import { VersionStore } from '../../src/versions/version-store.js';
import { Platform } from '../support.js';

const OLD = 1_043_857_760;
const NEW = 1_047_769_893;

let platform: Platform;

beforeAll(async () => {
  platform = await Platform.start();
});
afterAll(() => platform.stop());
afterEach(() => platform.call('DELETE', '/versions'));

const versions = (rules: object): Promise<unknown> => platform.call('PUT', '/versions', rules);

describe('the pages of the platform', () => {
  test('are those of the host of its WebSocket, over TLS where that is', () => {
    expect(pagesOf('wss://web.whatsapp.com/ws/chat')).toEqual([
      'https://web.whatsapp.com/sw.js',
      'https://web.whatsapp.com/',
    ]);
    expect(pagesOf('ws://127.0.0.1:7070/ws/chat')).toEqual([
      'http://127.0.0.1:7070/sw.js',
      'http://127.0.0.1:7070/',
    ]);
  });

  test('name the revision to who looks like a browser', async () => {
    await versions({ swRevision: NEW, pageRevision: NEW + 1 });
    const [sw, page] = await readSources(pagesOf(platform.websocket));
    expect([sw, page]).toMatchObject([{ revision: NEW }, { revision: NEW + 1 }]);
  });

  test('are given up after five seconds, or four megabytes', async () => {
    await versions({ swAnswer: 'hanging', pageAnswer: 'endless' });
    const startedAt = performance.now();
    const [sw, page] = await readSources(pagesOf(platform.websocket));
    expect(performance.now() - startedAt).toBeLessThan(8_000);
    expect(sw).toMatchObject({ problem: 'no answer within 5000 ms' });
    expect(page).toMatchObject({ problem: 'it has more than 4000000 bytes' });
  });

  test('may say no, be somewhere else, be garbage, or not be there', async () => {
    await versions({ swAnswer: 'garbage' });
    const [no, garbage, nobody] = await readSources([
      platform.websocket.replace('ws:', 'http:'),
      pagesOf(platform.websocket)[0] as string,
      'http://127.0.0.1:1/sw.js',
    ]);
    expect([no, garbage]).toMatchObject([{ problem: 'HTTP 426' }, { problem: 'it names no revision' }]);
    expect(nobody).toHaveProperty('problem');
  });
});

test('a file names the revision, bare or as the pages do', async () => {
  const folder = temporaryDirectory('revisions');
  const texts = { bare: `${NEW}\n`, page: `{"client_revision": ${NEW}}`, words: 'the latest' };
  const files = Object.entries(texts).map(([name, text]) => {
    writeFileSync(join(folder, name), text);
    return pathToFileURL(join(folder, name)).href;
  });
  const readings = await readSources([...files, pathToFileURL(join(folder, 'none')).href]);
  expect(readings.map((reading) => ('revision' in reading ? reading.revision : 'none'))).toEqual([
    ...[NEW, NEW, 'none', 'none'],
  ]);
});

test('many workers that find it is time read the sources once', async () => {
  await versions({ swRevision: NEW, pageRevision: NEW });
  const database = await createTestDatabase(schema);
  const dataSource = await new DataSource(
    schemaDataSource({ url: database.url, schema: 'sessions', entities: [], poolSize: 8 }),
  ).initialize();
  try {
    const workers = Array.from({ length: 8 }, () => new VersionStore(dataSource, OLD, null));
    const look = async (store: VersionStore) =>
      new SourceReader(store, pagesOf(platform.websocket)).readIfDue(await store.read());
    await Promise.all(workers.map(look));
    await Promise.all(workers.map(look));
    const { reads } = await platform.call<{ reads: object }>('GET', '/versions');
    expect(reads).toEqual({ sw: 1, page: 1 });
    const { state } = await (workers[0] as VersionStore).read();
    expect(state).toMatchObject({ current: OLD, candidate: { revision: NEW } });
  } finally {
    await dataSource.destroy();
    await database.drop();
  }
});
