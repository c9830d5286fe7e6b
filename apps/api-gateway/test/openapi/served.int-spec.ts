import { get, type IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { gateway, withGateway } from '../support/gateway.js';
import { type Description, operationsOf } from '../support/description.js';

withGateway();

/** Bytes of YAML that one operation may take, all schemas counted. */
const MOST_PER_OPERATION = 4_000;
const PATHS = ['/openapi.yaml', '/openapi.json'];

/** Reads an answer as it is sent: `fetch` would unpack it. */
function read(
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number | undefined; headers: IncomingHttpHeaders; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    get(gateway.service.url + path, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
    }).on('error', reject);
  });
}

test(`the description takes at most ${MOST_PER_OPERATION} bytes of YAML per operation`, async () => {
  const { bytes } = await read('/openapi.yaml');
  const document = (await gateway.call(undefined, 'GET /openapi.json')).body as unknown as Description;
  expect(bytes.length / operationsOf(document).length).toBeLessThanOrEqual(MOST_PER_OPERATION);
});

describe.each(PATHS)('%s', (path) => {
  test('comes as it is to a caller who takes no other form', async () => {
    const { status, headers, bytes } = await read(path);
    expect(status).toBe(200);
    expect(headers['content-encoding']).toBeUndefined();
    expect(headers['vary']).toBe('accept-encoding');
    expect(bytes.toString()).toContain('Messaging Gateway');
  });

  test.each([
    ['gzip', 'gzip', gunzipSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
  ])('comes to a caller who takes %s packed as %s', async (accepted, encoding, unpack) => {
    const plain = await read(path);
    const packed = await read(path, { 'accept-encoding': accepted });
    expect(packed.headers['content-encoding']).toBe(encoding);
    expect(packed.bytes.length * 4).toBeLessThan(plain.bytes.length);
    expect(unpack(packed.bytes).equals(plain.bytes)).toBe(true);
  });

  test('is not sent again to a caller who has it', async () => {
    const { headers } = await read(path, { 'accept-encoding': 'br' });
    const tag = String(headers['etag']);
    for (const known of [tag, tag.replace('W/', ''), `"another", ${tag}`, '*']) {
      const again = await read(path, { 'if-none-match': known });
      expect([known, again.status, again.bytes.length]).toEqual([known, 304, 0]);
      expect(again.headers['etag']).toBe(tag);
    }
    expect((await read(path, { 'if-none-match': '"another"' })).status).toBe(200);
  });
});
