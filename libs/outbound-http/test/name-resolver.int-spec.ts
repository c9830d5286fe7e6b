import { createSocket, type Socket } from 'node:dgram';
import type { LookupAddress } from 'node:dns';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { nameResolver } from '../src/addresses/name-resolver.js';
import { AddressGuard, NOT_ALLOWED } from '../src/index.js';
import { OutboundHttp } from '../src/http/outbound-http.js';
import { LIMITS } from './limits.js';

const TYPE_A = 1;
const TYPE_AAAA = 28;
const NO_SUCH_NAME = 3;

/** Records of a zone; a name under `.silent` gets no answer at all, any other one does not exist. */
const ZONE: Record<string, { v4?: number[]; v6?: number[] }> = {
  'both.example': { v4: [93, 184, 216, 34], v6: [0x26, 0x06, 0x47, 0, ...Array<number>(11).fill(0), 0x11] },
  'four.example': { v4: [93, 184, 216, 34] },
  'evil.example': { v4: [127, 0, 0, 1] },
  'mixed.example': { v4: [93, 184, 216, 34], v6: [...Array<number>(15).fill(0), 1] },
};

let server: Socket;
let address: string;

/** Reads the name in a question, and where it ends. */
function questionOf(query: Buffer): { name: string; end: number; type: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(query: Buffer): Buffer | undefined {
  const { name, type, end } = questionOf(query);
  if (name.endsWith('.silent')) return undefined;
  const records = ZONE[name];
  const data = type === TYPE_A ? records?.v4 : type === TYPE_AAAA ? records?.v6 : undefined;
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | (records ? 0 : NO_SUCH_NAME), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(data ? 1 : 0, 6);
  const parts = [header, query.subarray(12, end)];
  if (data) parts.push(Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length, ...data]));
  return Buffer.concat(parts);
}

beforeAll(async () => {
  server = createSocket('udp4');
  server.on('message', (query, { port, address: from }) => {
    const answer = answerTo(query);
    if (answer) server.send(answer, port, from);
  });
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const resolve = (hostname: string): Promise<LookupAddress[] | string> =>
  new Promise((done) => {
    nameResolver([address])(hostname, { all: true }, (error, addresses) =>
      done(error ? String(error.code) : addresses),
    );
  });

test('gives all addresses of a name, of both families', async () => {
  expect(await resolve('both.example')).toEqual([
    { address: '93.184.216.34', family: 4 },
    { address: '2606:4700::11', family: 6 },
  ]);
  expect(await resolve('four.example')).toEqual([{ address: '93.184.216.34', family: 4 }]);
});

test('says of a name that does not exist, and of a name server that is not there, that nothing was found', async () => {
  expect(await resolve('unknown.example')).toBe('ENOTFOUND');
  const nowhere = nameResolver(['127.0.0.1:1']);
  const code = await new Promise((done) => {
    nowhere('four.example', { all: true }, (error) => done(error?.code));
  });
  expect(code).toBe('ENOTFOUND');
});

test('any number of names that never resolve does not hold up another one', async () => {
  const slow = Promise.all(Array.from({ length: 50 }, (_, index) => resolve(`${index}.silent`)));
  const first = await Promise.race([resolve('four.example'), slow.then(() => 'those that never resolve')]);
  expect(first).toHaveLength(1);
  expect(new Set(await slow)).toEqual(new Set(['ENOTFOUND']));
});

test('a name that points at us is refused at save and at connect', async () => {
  const guard = new AddressGuard({ resolve: nameResolver([address]) });
  const client = new OutboundHttp(guard);
  for (const host of ['evil.example', 'mixed.example']) {
    expect(await guard.problemWith(`https://${host}/hooks`)).toBe(NOT_ALLOWED);
    expect(await client.post(`https://${host}/hooks`, {}, Buffer.from('{}'), LIMITS)).toMatchObject({
      status: null,
      error: 'DESTINATION_NOT_ALLOWED',
    });
  }
  expect(await guard.problemWith('https://both.example/hooks')).toBeUndefined();
  expect(await client.post('https://unknown.example/', {}, Buffer.from('{}'), LIMITS)).toMatchObject({
    error: 'NAME_NOT_RESOLVED',
  });
  client.close();
});
