import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { InvalidAnswer } from './answer-head.js';
import { AnswerReader } from './answer-reader.js';

/** Reads pieces that come one after the other, all in the same buffer. */
function readAll(pieces: Buffer[], { ends = false } = {}) {
  const statuses: number[] = [];
  const body: Buffer[] = [];
  const reader = new AnswerReader({
    onStatus: (status) => void statuses.push(status),
    onData: (bytes) => void body.push(Buffer.from(bytes)),
  });
  const buffer = Buffer.alloc(Math.max(1, ...pieces.map(({ length }) => length)));
  for (const piece of pieces) {
    // The bytes that an earlier piece left behind are not part of it.
    buffer.fill('\r\n\r\n0\r\n\r\n');
    piece.copy(buffer);
    reader.read(buffer, piece.length);
  }
  if (ends) reader.end();
  const { isComplete, keepAliveSeconds } = reader;
  return { statuses, body: Buffer.concat(body), isComplete, keepAliveSeconds };
}

const read = (text: string, options?: { ends: boolean }) => readAll([Buffer.from(text, 'latin1')], options);

/** Cuts bytes into pieces at these places. */
function cut(bytes: Buffer, places: number[]): Buffer[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...ends].map((start, n) => bytes.subarray(start, ends[n] ?? bytes.length));
}

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const sized = bytes.map((body) => ({ body, framing: `Content-Length: ${body.length}`, sent: body }));
const chunked = fc
  .record({
    chunks: fc.array(fc.uint8Array({ minLength: 1, maxLength: 100 }), { maxLength: 5 }),
    extension: fc.constantFrom('', ';a=b', ' ; a="\\"b"', '\t'),
    trailers: fc.constantFrom('', 'Expires: never\r\n', 'a: b\r\nc: d\r\n'),
  })
  .map(({ chunks, extension, trailers }) => {
    const parts = chunks.map((chunk) =>
      Buffer.concat([
        Buffer.from(`${chunk.length.toString(16)}${extension}\r\n`),
        chunk,
        Buffer.from('\r\n'),
      ]),
    );
    const sent = Buffer.concat([...parts, Buffer.from(`0\r\n${trailers}\r\n`)]);
    return { body: Buffer.concat(chunks), framing: 'Transfer-Encoding: chunked', sent };
  });

test('an answer is the same however its bytes come', () => {
  fc.assert(
    fc.property(
      fc.oneof(sized, chunked),
      fc.integer({ min: 200, max: 999 }).filter((status) => status !== 204 && status !== 304),
      fc.array(fc.constantFrom(100, 102, 103), { maxLength: 2 }),
      fc.array(fc.nat(), { maxLength: 20 }),
      ({ body, framing, sent }, status, before, places) => {
        const heads = [...before.map((one) => `HTTP/1.1 ${one} Wait\r\nLink: x\r\n\r\n`)].join('');
        const head = Buffer.from(`${heads}HTTP/1.1 ${status} Fine\r\nDate: today\r\n${framing}\r\n\r\n`);
        const pieces = cut(Buffer.concat([head, sent]), places);
        const expected = { statuses: [status], body, isComplete: true, keepAliveSeconds: undefined };
        expect(readAll(pieces)).toEqual(expected);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('whatever comes is an answer, is none, or is not complete yet', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'HTTP/1.1 200 OK\r\n',
      'Content-Length: 5\r\n',
      'Transfer-Encoding: chunked\r\n',
      '\r\n',
      '5\r\nhello\r\n',
      '0\r\n',
    ),
    fc.string({ maxLength: 10 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      try {
        readAll(pieces.map((text) => Buffer.from(text)));
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidAnswer);
      }
    }),
    { numRuns: 2_000 },
  );
});

describe('a body that ends with the connection', () => {
  const text = 'HTTP/1.1 200 OK\r\n\r\nall of it';

  test('is not complete before', () => {
    expect(read(text)).toMatchObject({ statuses: [200], isComplete: false });
  });

  test('is complete then', () => {
    expect(read(text, { ends: true })).toMatchObject({ body: Buffer.from('all of it'), isComplete: true });
  });
});

test.each([
  ['its head', 'HTTP/1.1 200 OK\r\nContent-'],
  ['its body', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfour'],
  ['a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfour'],
  ['its trailers', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\na: b\r\n'],
])('an answer whose connection ends within %s is not complete', (_, text) => {
  expect(read(text, { ends: true })).toMatchObject({ isComplete: false });
});

test('a connection over which more came than the answer is not kept', () => {
  expect(read('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nfineHTTP')).toMatchObject({
    body: Buffer.from('fi'),
    isComplete: true,
    keepAliveSeconds: 0,
  });
});

test('a chunk may be longer than one digit says', () => {
  const body = 'x'.repeat(0x12);
  const text = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n12\r\n${body}\r\n0\r\n\r\n`;
  expect(read(text)).toMatchObject({ body: Buffer.from(body), isComplete: true });
});

describe('16 KB', () => {
  const HINTS = 'HTTP/1.1 103 Early Hints\r\n\r\n';
  const FINAL = 'HTTP/1.1 204 No Content\r\n';
  /** Makes an answer whose heads are so long together, the final one last. */
  const headsOf = (size: number, hints = 1): string => {
    const padding = size - hints * HINTS.length - FINAL.length - 'a: \r\n\r\n'.length;
    return `${HINTS.repeat(hints)}${FINAL}a: ${'x'.repeat(padding)}\r\n\r\n`;
  };
  const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n';
  const trailersOf = (size: number): string => `${CHUNKED}${'a: b\r\n'.repeat((size - 4) / 6)}\r\n`;

  test('of heads are read, of all of them together', () => {
    for (const hints of [0, 1, 100])
      expect(read(headsOf(16 * 1024, hints))).toMatchObject({ statuses: [204], isComplete: true });
  });

  test('of heads and a byte are too many, also where each of them is short', () => {
    for (const hints of [0, 1, 100]) expect(() => read(headsOf(16 * 1024 + 1, hints))).toThrow(InvalidAnswer);
    expect(() => read(HINTS.repeat(1_000))).toThrow(InvalidAnswer);
  });

  test('of a head and a byte are too many, also where its end comes with the last piece', () => {
    const head = Buffer.from(headsOf(16 * 1024 + 5, 0));
    expect(() => readAll(cut(head, [16 * 1024 - 100]))).toThrow(InvalidAnswer);
  });

  test('of trailers are read, and no more', () => {
    expect(read(trailersOf(16 * 1024))).toMatchObject({ isComplete: true });
    expect(() => read(trailersOf(16 * 1024 + 6))).toThrow(InvalidAnswer);
  });
});

test('a line that ends with LF alone is no head, also where the LF begins the next piece', () => {
  const head = Buffer.from('HTTP/1.1 200 OK\nDate: today');
  for (const place of [15, 16]) expect(() => readAll(cut(head, [place]))).toThrow(InvalidAnswer);
});

describe('is no answer:', () => {
  test.each([
    ['another protocol, before its line is complete', 'SSH'],
    ['a head whose lines end with LF alone', 'HTTP/1.1 200 OK\nContent-Length: 0\n\n'],
    ['a head that does not end', `HTTP/1.1 200 OK\r\na: ${'x'.repeat(17_000)}`],
    ['a head of more than 16 KB', `HTTP/1.1 200 OK\r\na: ${'x'.repeat(17_000)}\r\n\r\n`],
    ['a change of the protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n'],
    ['a chunk without a size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\nhello\r\n'],
    [
      'a chunk whose size is no number',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n',
    ],
    [
      'a chunk of more than any body',
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'f'.repeat(13)}\r\n`,
    ],
    ['a chunk longer than its size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhello\r\n'],
    [
      'a size of a chunk that does not end',
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;${'x'.repeat(2_000)}`,
    ],
    [
      'trailers without end',
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${'a: b\r\n'.repeat(5_000)}`,
    ],
  ])('%s', (_, text) => {
    expect(() => read(text)).toThrow(InvalidAnswer);
  });
});
