import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { gateway, withGateway } from '../support/gateway.js';

withGateway();

let drip: NodeJS.Timeout | undefined;
afterEach(() => clearInterval(drip));

test('a body that comes byte by byte is refused at once, and keeps its connection for a few seconds more', async () => {
  const { hostname, port } = new URL(gateway.service.url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  let answeredAt = Infinity;
  socket.on('data', (bytes) => {
    answer += bytes.toString();
    answeredAt = Math.min(answeredAt, performance.now());
  });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const head = [
    'POST /v1/messages HTTP/1.1',
    'host: x',
    'content-type: application/json',
    'content-length: 100000',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n{`);
  const begin = performance.now();
  drip = setInterval(() => socket.write(' '), 100);
  await once(socket, 'close');
  expect(answeredAt - begin).toBeLessThan(1_000);
  expect(performance.now() - begin).toBeLessThan(10_000);
  expect(answer).toContain('HTTP/1.1 401');
  expect(answer).toMatch(/content-length: (\d+)/i);
  expect(answer.split('\r\n\r\n')[1]).toHaveLength(Number(/content-length: (\d+)/i.exec(answer)?.[1]));
  expect(answer.toLowerCase()).toContain('connection: close');
}, 60_000);
