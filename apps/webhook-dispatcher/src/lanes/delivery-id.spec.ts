import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { v5 } from 'uuid';
import { deliveryId } from './delivery-id.js';

test('a delivery id is the UUID of version 5 of its event and its endpoint', () => {
  const namespace = 'b0d7a3a4-2f0c-5b0e-9a57-6d1f4c1f9f57';
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), (event, endpoint) => {
      expect(deliveryId(event, endpoint)).toBe(v5(event + endpoint, namespace));
    }),
    { numRuns: 1_000 },
  );
});
