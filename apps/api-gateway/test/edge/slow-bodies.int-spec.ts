import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { gateway, withGateway } from '../support/gateway.js';

withGateway();

let drip: NodeJS.Timeout | undefined;
afterEach(() => clearInterval(drip));

test('a body that comes byte by byte and is refused keeps its connection for no longer than it takes to say so', async () => {
  const { hostname, port } = new URL(gateway.service.url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (bytes) => (answer += bytes.toString()));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const head = [
    'POST /v1/messages HTTP/1.1',
    'host: x',
    'content-type: application/json',
    'content-length: 100000',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n{`);
  drip = setInterval(() => socket.write(' '), 100);
  await once(socket, 'close');
  expect(answer).toContain('HTTP/1.1 401');
  expect(answer.toLowerCase()).toContain('connection: close');
}, 60_000);
