import { expect, test } from '@jest/globals';
import { packSnapshot, unpackSnapshot } from './snapshot.js';

test.each(['763:763:', '18014398509481000:18014398509481984:18014398509481000,18014398509481012'])(
  'a snapshot comes out of a cursor as it went in: %s',
  (snapshot) => expect(unpackSnapshot(packSnapshot(snapshot))).toBe(snapshot),
);

test('a snapshot of a busy server has room in a cursor', () => {
  const running = Array.from({ length: 500 }, (_, n) => 9_000_000_000 + n * 3);
  expect(packSnapshot(`9000000000:9000002000:${running.join(',')}`).length).toBeLessThan(280);
});
