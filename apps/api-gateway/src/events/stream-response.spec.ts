import { afterEach, expect, test } from '@jest/globals';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StreamResponse } from './stream-response.js';

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Opens one exchange and returns both ends of its answer. */
async function exchange(): Promise<{ raw: ServerResponse; answer: Promise<IncomingMessage> }> {
  server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const asked = new Promise<ServerResponse>((done) =>
    server.once('request', (_, response) => done(response)),
  );
  const { port } = server.address() as AddressInfo;
  const answer = new Promise<IncomingMessage>((done) => get({ port, host: '127.0.0.1' }, done));
  return { raw: await asked, answer };
}

test('gives up on a reader who takes nothing, holding no more than one piece for it', async () => {
  const { raw, answer } = await exchange();
  const out = new StreamResponse(raw, 200);
  out.open({});
  (await answer).pause();
  const piece = 'x'.repeat(64 * 1024);
  while (await out.send(piece)) expect(raw.writableLength).toBeLessThan(2 * piece.length);
  out.close('bye');
  await new Promise((done) => (raw.closed ? done(undefined) : raw.once('close', done)));
  expect(out.isOpen).toBe(false);
});

test('waits for nobody once the reader is gone', async () => {
  const { raw, answer } = await exchange();
  const out = new StreamResponse(raw);
  out.open({});
  const gone = new Promise<void>((done) => out.onLeave(done));
  (await answer).destroy();
  await gone;
  expect([out.isOpen, await out.send('nobody reads this')]).toEqual([false, true]);
});

test('ends with its last word', async () => {
  const { raw, answer } = await exchange();
  const out = new StreamResponse(raw);
  out.open({});
  await out.send('one,');
  out.close('two');
  let text = '';
  for await (const chunk of await answer) text += String(chunk);
  expect(text).toBe('one,two');
});
