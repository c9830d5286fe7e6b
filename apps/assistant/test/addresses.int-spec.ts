import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  AddKnowledge,
  type AddKnowledgeBody,
  GetKnowledge,
  type KnowledgeSourceText,
  SearchKnowledge,
  type SessionRef,
} from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { Scene } from './scene.js';

/** A page at an address of a stranger. */
type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let scene: Scene;
let server: Server;
let origin: string;
const pages = new Map<string, Answer>();
const asked: IncomingMessage[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request);
    const answer = pages.get(String(request.url));
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  scene = await Scene.start({ WEBHOOK_ALLOWED_ORIGINS: `http://127.0.0.1:*` });
});
afterAll(async () => {
  await scene.stop();
  server.closeAllConnections();
  server.close();
});

const html =
  (body: string, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);
const aSession = (): SessionRef => ({ tenantId: randomUUID(), sessionId: randomUUID() });
const add = async (ref: SessionRef, source: AddKnowledgeBody): Promise<string> =>
  (await scene.service.rpc.request(AddKnowledge, { ...ref, source })).source.id;
const read = async (ref: SessionRef, id: string): Promise<KnowledgeSourceText> =>
  (await scene.service.rpc.request(GetKnowledge, { ...ref, id })).source;
async function until(ref: SessionRef, id: string, state: string): Promise<KnowledgeSourceText> {
  await waitFor(`the source to be ${state}`, async () => (await read(ref, id)).state === state);
  return read(ref, id);
}
/** Makes the time come at which a source is read again. */
const due = (id: string): Promise<unknown> =>
  scene.service.database.query(
    `UPDATE assistant.knowledge_source SET next_read_at = clock_timestamp() WHERE id = '${id}'`,
  );
const countOf = (path: string): number => asked.filter(({ url }) => url === path).length;

describe('an address', () => {
  test('is read as a person reads it, and searched', async () => {
    pages.set(
      '/hours',
      html(`<html><head><title>Opening &amp; hours</title><style>p{}</style></head><body><!-- <p>x</p> -->
        <script>secret("<p>no</p>")</script><h1>Hours</h1><p>We are <b>open</b> on weekdays.</p><p>a &lt; b</p></body>`),
    );
    const ref = aSession();
    const id = await add(ref, { title: 'Opening & hours', url: `${origin}/hours`, refreshHours: 2 });
    expect(['WAITING', 'READY']).toContain((await read(ref, id)).state);
    const source = await until(ref, id, 'READY');
    expect(source).toMatchObject({
      ...{ kind: 'ADDRESS', title: 'Opening & hours', url: `${origin}/hours`, refreshHours: 2, error: null },
      text: 'Hours\n\nWe are open on weekdays.\n\na < b',
    });
    expect(Date.parse(String(source.nextReadAt)) - Date.now()).toBeGreaterThan(3_600_000);
    const { items } = await scene.service.rpc.request(SearchKnowledge, {
      ...ref,
      query: 'When are you open?',
    });
    expect(items).toMatchObject([{ sourceId: id }]);
  });

  test('that is as it was is not read again in full, and one that has changed is', async () => {
    let text = 'Bread is sold here.';
    pages.set('/changes', (request, response) => {
      const etag = `"${text.length}"`;
      if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
      else response.writeHead(200, { 'content-type': 'text/plain', etag }).end(text);
    });
    const ref = aSession();
    const id = await add(ref, { title: 'Shop', url: `${origin}/changes` });
    const first = await until(ref, id, 'READY');
    await due(id);
    await waitFor('a second reading', async () => (await read(ref, id)).readAt !== first.readAt);
    expect((await read(ref, id)).text).toBe(text);
    text = 'Cake is sold here, too.';
    await due(id);
    await waitFor('the change', async () => (await read(ref, id)).text === text);
    expect((await read(ref, id)).title).toBe('Shop');
    expect(countOf('/changes')).toBe(3);
  });

  test('that fails says why, is tried again sooner, and keeps what was read before', async () => {
    pages.set('/fails', html('<p>Something good</p>'));
    const ref = aSession();
    const id = await add(ref, { title: 'x', url: `${origin}/fails`, refreshHours: 720 });
    await until(ref, id, 'READY');
    pages.set('/fails', (_, response) => response.writeHead(503).end('a secret of the server'));
    await due(id);
    const failed = await until(ref, id, 'FAILED');
    expect(failed).toMatchObject({ error: 'HTTP_503', text: 'Something good' });
    expect(Date.parse(String(failed.nextReadAt)) - Date.now()).toBeLessThan(600_000);
    expect(JSON.stringify(failed)).not.toContain('secret');
  });

  test.each<[string, Answer, string]>([
    ['is too large', html('x'.repeat(2_000_001)), 'TOO_LARGE'],
    ['is no text', html('x', { 'content-type': 'image/png' }), 'NO_TEXT'],
    ['has nothing to read', html('<script>1</script>'), 'EMPTY'],
    [
      'goes round',
      (_, response) => response.writeHead(302, { location: '/case' }).end(),
      'TOO_MANY_REDIRECTS',
    ],
    [
      'goes to a place within',
      (_, response) => response.writeHead(302, { location: 'https://169.254.169.254/' }).end(),
      'DESTINATION_NOT_ALLOWED',
    ],
  ])('that %s fails', async (_, page, error) => {
    pages.set('/case', page);
    const ref = aSession();
    expect(await until(ref, await add(ref, { title: 'x', url: `${origin}/case` }), 'FAILED')).toMatchObject({
      error,
    });
  });

  test.each<[string, AddKnowledgeBody, string]>([
    ['of a place within', { title: 'x', url: 'https://10.0.0.1/' }, 'url'],
    ['of this machine', { title: 'x', url: 'https://localhost/' }, 'url'],
    ['without https', { title: 'x', url: 'http://example.com/' }, 'url'],
    ['that is none', { title: 'x', url: 'bakery' }, 'url'],
    ['with a text', { title: 'x', url: 'https://example.com/', text: 'x' }, 'text'],
    ['that is left out, but not its hours', { title: 'x', text: 'x', refreshHours: 1 }, 'refreshHours'],
  ])('%s is refused', async (_, source, field) => {
    await expect(add(aSession(), source)).rejects.toMatchObject({
      ...{ code: 'VALIDATION_FAILED', message: expect.stringContaining(field) },
    });
  });
});
