import { connect } from 'node:net';
import type { Answer } from './gateway.js';

/** Sends these bytes as they are and reads the one answer: for what no client library would send. */
export async function rawRequest(url: string, bytes: Buffer | string): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    socket.on('end', resolve).on('close', resolve).on('error', reject);
    // The socket writes all it has before it reads the first byte, as many a client does.
    socket.pause();
    socket.write(bytes, () => socket.on('data', (chunk: Buffer) => chunks.push(chunk)).resume());
  });
  const [head = '', ...rest] = Buffer.concat(chunks).toString('utf8').split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Headers(lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]));
  const text = rest.join('\r\n\r\n');
  return {
    status: Number(statusLine.split(' ')[1]),
    headers,
    body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : { text },
  };
}

/** Writes the bytes of a POST with this body, which closes the connection after the answer. */
export function rawPost(path: string, key: string, body: Buffer, contentType = 'application/json'): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: gateway',
    `authorization: Bearer ${key}`,
    `content-type: ${contentType}`,
    `content-length: ${body.length}`,
    'connection: close',
    '',
    '',
  ].join('\r\n');
  return Buffer.concat([Buffer.from(head), body]);
}
