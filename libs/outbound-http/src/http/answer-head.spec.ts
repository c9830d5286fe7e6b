import { describe, expect, test } from '@jest/globals';
import { InvalidAnswer, readHead } from './answer-head.js';

const head = (...lines: string[]) => readHead(lines.join('\r\n'));

describe('the end of a body is known', () => {
  test.each([
    ['by its length', ['HTTP/1.1 200 OK', 'Content-Length: 12'], 12],
    ['by its length, however that is written', ['HTTP/1.1 200 OK', 'cOnTeNt-LeNgTh:12\t'], 12],
    ['by its length, said twice', ['HTTP/1.1 200 OK', 'Content-Length: 12', 'Content-Length: 12'], 12],
    ['by its chunks', ['HTTP/1.1 200 OK', 'Transfer-Encoding: gzip', 'transfer-encoding: Chunked'], 'chunks'],
    [
      'by its chunks rather than a length',
      ['HTTP/1.1 200', 'Content-Length: 5', 'Transfer-Encoding: chunked'],
      'chunks',
    ],
    [
      'by the end of the connection where chunks are not the last coding',
      ['HTTP/1.1 200 OK', 'Transfer-Encoding: chunked, gzip'],
      'connection',
    ],
    ['by the end of the connection where nothing is said', ['HTTP/1.1 500 Oh no'], 'connection'],
    ['because 204 has none', ['HTTP/1.1 204 No Content', 'Content-Length: 12'], 0],
    [
      'because an answer that is still to come has none',
      ['HTTP/1.1 103 Early Hints', 'Content-Length: 12'],
      0,
    ],
    ['because 304 has none', ['HTTP/1.1 304 Not Modified', 'Transfer-Encoding: chunked'], 0],
  ])('%s', (_, lines, framing) => {
    expect(head(...lines).framing).toBe(framing);
  });
});

describe('a connection stays open', () => {
  test.each([
    ['as long as nobody says', ['HTTP/1.1 200 OK'], undefined],
    [
      'as long as the receiver says',
      ['HTTP/1.1 200 OK', 'Connection: keep-alive', 'Keep-Alive: max=7, timeout=5'],
      5,
    ],
    ['as long as the receiver says first', ['HTTP/1.1 200 OK', 'Keep-Alive: timeout=15, max=7'], 15],
    [
      'not at all when it is to be closed',
      ['HTTP/1.1 200 OK', 'Connection: x', 'connection: Close', 'Keep-Alive: timeout=5'],
      0,
    ],
    ['not at all in HTTP/1.0', ['HTTP/1.0 200 OK'], 0],
    ['in HTTP/1.0 when it says so', ['HTTP/1.0 200 OK', 'Connection: Keep-Alive'], undefined],
    [
      'not at all when a length and chunks contradict',
      ['HTTP/1.1 200 OK', 'Content-Length: 5', 'Transfer-Encoding: chunked'],
      0,
    ],
  ])('%s', (_, lines, seconds) => {
    expect(head(...lines).keepAliveSeconds).toBe(seconds);
  });
});

test.each([
  ['another protocol', ['SSH-2.0-OpenSSH']],
  ['another version', ['HTTP/2.0 200 OK']],
  ['a status line with something before it', [' HTTP/1.1 200 OK']],
  ['a status line with LF in it', ['HTTP/1.1 200 OK\nContent-Length: 0']],
  ['a status of two digits', ['HTTP/1.1 20 OK']],
  ['a status of four digits', ['HTTP/1.1 2000 OK']],
  ['a status that is none', ['HTTP/1.1 099 OK']],
  ['a header without a colon', ['HTTP/1.1 200 OK', 'nonsense']],
  ['a header without a name', ['HTTP/1.1 200 OK', ': nothing']],
  ['a header that goes on in the next line', ['HTTP/1.1 200 OK', 'a: b', ' c: d']],
  ['a line that ends with LF alone', ['HTTP/1.1 200 OK', 'a: b\nContent-Length: 5']],
  ['a header with CR in it', ['HTTP/1.1 200 OK', 'a: b\rContent-Length: 5']],
  ['a name with a blank behind it', ['HTTP/1.1 200 OK', 'Transfer-Encoding : chunked']],
  ['a length with another blank than that of ASCII', ['HTTP/1.1 200 OK', 'Content-Length: \xa05']],
  ['a length that is no number', ['HTTP/1.1 200 OK', 'Content-Length: five']],
  ['a negative length', ['HTTP/1.1 200 OK', 'Content-Length: -5']],
  ['two lengths', ['HTTP/1.1 200 OK', 'Content-Length: 5', 'Content-Length: 6']],
])('%s is no answer', (_, lines) => {
  expect(() => head(...lines)).toThrow(InvalidAnswer);
});

test.each([
  ['before a character that is none', `A:${' '.repeat(16_000)}\0`],
  ['within a value', `A:x${' '.repeat(16_000)}y`],
  ['within a length', `Content-Length: 1${' '.repeat(16_000)}1`],
  ['within a coding', `Transfer-Encoding: x${' '.repeat(16_000)}chunked`],
  ['within a time', `Keep-Alive: ${' '.repeat(16_000)}timeou`],
])('many blanks %s are read, though a pattern could try them for minutes', (_, line) => {
  const read = () => head('HTTP/1.1 200 OK', line);
  if (/\0|1$/.test(line)) expect(read).toThrow(InvalidAnswer);
  else expect(read()).toMatchObject({ status: 200, framing: 'connection' });
});
