import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { ProxyAgent } from './proxy-agent.js';

let server: Server | undefined;
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  server?.close();
});

/** Starts a proxy that answers each piece with the next of these. */
async function proxy(scheme: string, ...answers: (string | number[])[]): Promise<ProxyAgent> {
  server = createServer((socket) => {
    const left = [...answers];
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => {
      const answer = left.shift();
      if (answer !== undefined) socket.write(Buffer.from(answer as never));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return new ProxyAgent({ url: new URL(`${scheme}://127.0.0.1:${port}`), port, servername: '127.0.0.1' });
}

function ask(agent: ProxyAgent, host: string): ClientRequest {
  const sent = request({ agent, host, port: 80, path: '/' }).end();
  return sent.on('error', () => undefined); // also of a socket that the test ends
}

const errorOf = async (sent: ClientRequest): Promise<Error> => ((await once(sent, 'error')) as [Error])[0];

describe('a request through a proxy', () => {
  test('fails where SOCKS knows no name as long as its host, and nothing else does', async () => {
    const agent = await proxy('socks5', [5, 0]);
    const error = await errorOf(ask(agent, `${'a.'.repeat(150)}example`));
    expect(error.message).toContain('no name that long');
    expect(agent.failed()).toBe(true);
  });

  test('fails with its connection when it is abandoned before the proxy lets through', async () => {
    const agent = await proxy('http');
    const failed = errorOf(ask(agent, 'example.com'));
    await once(server as Server, 'connection');
    agent.abandon();
    await failed;
    expect(agent.failed()).toBe(true);
  });

  test('reads what comes with the answer of the proxy as the answer of the host', async () => {
    const agent = await proxy('http', 'HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n');
    const [answer] = (await once(ask(agent, 'example.com'), 'response')) as [{ statusCode: number }];
    expect(answer.statusCode).toBe(204);
    expect(agent.failed()).toBe(false);
  });
});
