import { expect, test } from '@jest/globals';
import { AddressGuard } from '../addresses/address-guard.js';
import { OutboundHttp } from './outbound-http.js';

const LIMITS = { timeoutMs: 10_000, headBytes: 10, drainBytes: 10 };

test('of 10,000 addresses it remembers how to post to them, and with the next one it begins anew', async () => {
  // The guard refuses every connection.
  const client = new OutboundHttp(new AddressGuard());
  const post = async (n: number): Promise<string | null> =>
    (await client.post(`https://10.0.0.1/${n}`, {}, Buffer.alloc(0), LIMITS)).error;
  const remembered = (): number => client['targets'].size;
  try {
    for (let n = 1; n <= 10_000; n += 1) expect(await post(n)).toBe('DESTINATION_NOT_ALLOWED');
    await post(1);
    expect(remembered()).toBe(10_000);
    await post(10_001);
    expect(remembered()).toBe(1);
  } finally {
    client.close();
  }
});
