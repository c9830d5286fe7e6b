import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';

/** Text that begins as a document does. */
export const PDF = Buffer.from('%PDF-1.7\n% an offer\n');
/** Bytes of the head of a picture, and of a body that no test reads. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
/** A picture that a tenant keeps. */
export const FILE = Buffer.concat([PNG, randomBytes(70_000)]);
/** Sound, or a film: its first bytes do not say what it is. */
export const SOUND = randomBytes(70_000);
/** A sticker. */
export const STICKER = Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1'), randomBytes(70_000)]);
/** A picture of text, which no phone shows. */
export const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
/** Head of a picture as phones take them, which no phone shows. */
export const HEIC = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1');
export const MB = 1_048_576;

/** Paths that were asked for, at the tenant's server and at one of our own network. */
export const asked: string[] = [];
export const askedInside: string[] = [];

/** Answers of the tenant's server, by path. */
export const ANSWERS: Record<string, (response: ServerResponse) => unknown> = {
  file: (response) => response.setHeader('content-type', 'image/png').end(FILE),
  page: (response) => response.setHeader('content-type', 'text/html').end('<p>Log in, please</p>'),
  empty: (response) => response.setHeader('content-type', 'image/png').end(),
  pdf: (response) => response.setHeader('content-type', 'application/octet-stream').end(PDF),
  'offer%202026.pdf?key=1': (response) => response.end(PDF),
  named: (response) =>
    response
      .setHeader('content-type', 'application/pdf')
      .setHeader(
        'content-disposition',
        `attachment; filename="x.pdf"; filename*=UTF-8''%C3%9Cberblick%202026.pdf`,
      )
      .end(PDF),
  heic: (response) => response.end(HEIC),
  // Phones record sound in a container that films have, too.
  m4a: (response) =>
    response
      .setHeader('content-type', 'audio/mp4')
      .end(Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1')),
  opus: (response) => response.setHeader('content-type', 'audio/ogg; codecs=opus').end(SOUND),
  octets: (response) => response.setHeader('content-type', 'binary/octet-stream').end(PNG),
  'octets-of-sound': (response) => response.setHeader('content-type', 'application/octet-stream').end(SOUND),
  untyped: (response) => response.end(PNG),
  gzip: (response) => response.setHeader('content-encoding', 'gzip').end(gzipSync(PNG)),
  svg: (response) => response.setHeader('content-type', 'image/png').end(SVG),
  br: (response) => response.setHeader('content-encoding', 'br').end(brotliCompressSync(PNG)),
  zstd: (response) => response.setHeader('content-encoding', 'zstd').end(PNG),
  redirect: (response) => response.writeHead(302, { location: '/file' }).end(),
  inside: (response) => response.writeHead(302, { location: `http://127.0.0.1:${portOf(inside)}/` }).end(),
  round: (response) => response.writeHead(302, { location: '/round' }).end(),
  large: (response) => response.setHeader('content-length', 2 * MB).end(Buffer.alloc(2 * MB)),
  endless: (response) => {
    for (let n = 0; n < 40; n += 1) response.write(Buffer.alloc(65_536));
  },
  broken: (response) =>
    response.writeHead(200, { 'content-length': 100 }).write('half', () => response.destroy()),
  unavailable: (response) => response.writeHead(503).end(),
  silent: () => undefined,
  dripping: (response) => void response.writeHead(200, { 'content-type': 'image/png' }).write(FILE),
  slow: (response) => void slow.push(response),
};
/** Answers that a test lets go. */
export const slow: ServerResponse[] = [];
const tenantServer: RequestListener = ({ url = '' }, response) => {
  asked.push(url);
  const answer = ANSWERS[url.slice(1)];
  if (answer) answer(response);
  else response.writeHead(404).end();
};
export const outside = createServer(tenantServer);
export const inside = createServer(({ url = '' }, response) => {
  askedInside.push(url);
  response.end(FILE);
});
export const portOf = (server: Server): number => (server.address() as AddressInfo).port;
export const at = (path: string): string => `http://127.0.0.1:${portOf(outside)}/${path}`;
