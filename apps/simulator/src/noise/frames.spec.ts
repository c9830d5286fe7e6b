import { describe, expect, test } from '@jest/globals';
import { frame, FrameReader, PROLOGUE } from './frames.js';

const PREAMBLE = Buffer.from([0x45, 0x44, 0, 1, 0, 0, 3, 9, 9, 9]);

describe('frames', () => {
  test('are found whatever the pieces they come in', () => {
    const bodies = [Buffer.from('one'), Buffer.alloc(0), Buffer.alloc(70_000, 1)];
    const bytes = Buffer.concat([PREAMBLE, PROLOGUE, ...bodies.map(frame)]);
    for (const size of [1, 2, 3, 7, 1000, bytes.length]) {
      const reader = new FrameReader();
      const found: Buffer[] = [];
      for (let start = 0; start < bytes.length; start += size) {
        found.push(...reader.push(bytes.subarray(start, start + size)));
      }
      expect(found).toEqual(bodies);
    }
  });

  test('may follow the prologue without a routing preamble', () => {
    const found = new FrameReader().push(Buffer.concat([PROLOGUE, frame(Buffer.from('hello'))]));
    expect(found.map(String)).toEqual(['hello']);
  });

  test.each(['GET / HTTP/1.1', 'WB', 'EX', 'W\u0000'])('do not start with %j', (start) => {
    expect(() => new FrameReader().push(Buffer.from(start))).toThrow('prologue');
  });

  test('have a limit that their length field sets', () => {
    expect(() => frame(Buffer.alloc(1 << 24))).toThrow('does not fit');
  });
});
