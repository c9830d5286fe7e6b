import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { aContact, Scene } from './scene.js';

let scene: Scene;
let server: Server;
let pieces: object[][] = [];
beforeAll(async () => {
  scene = await Scene.start();
  server = createServer((_, response) => {
    const deltas = pieces.map((tool_calls) => ({ choices: [{ index: 0, delta: { tool_calls } }] }));
    const all = [...deltas, { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }];
    const lines = all.map((chunk) => `data: ${JSON.stringify({ id: 'a', model: 'm', ...chunk })}\n\n`);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`${lines.join('')}data: [DONE]\n\n`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await scene.stop();
});

const call = (fields: object, name?: string, said = '{}') => ({
  ...fields,
  function: { ...(name ? { name } : {}), arguments: said },
});

test.each<[string, object[][]]>([
  ['piece by piece', [[call({ index: 0, id: 'a' }, 'hand_over', '')], [call({ index: 0 }, undefined, '{}')]]],
  ['without places', [[call({ id: 'a' }, 'hand_over')]]],
  ['without places and ids', [[call({}, 'nothing'), call({}, 'hand_over')]]],
  [
    'all at one place',
    [[call({ index: 0, id: 'a' }, 'nothing')], [call({ index: 0, id: 'b' }, 'hand_over')]],
  ],
])('a model hands the conversation over, though its server writes calls %s', async (_, written) => {
  pieces = written;
  const shop = await scene.shop();
  const { port } = server.address() as AddressInfo;
  await shop.provider({ baseUrl: `http://127.0.0.1:${port}/v1` });
  const chat = aContact();
  await shop.write(chat, 'I want a person');
  expect(await shop.ended(chat)).toEqual([{ outcome: 'HANDED_OFF', detail: 'MODEL_ASKED' }]);
});
