import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type TestDatabase, waitFor } from '@svc/test-servers';
import { createTestDatabase, rawConnection, type Shop, startShop } from './http-service.js';

/** The silence lasts half a minute. */
const WAIT_MS = 120_000;

let database: TestDatabase;
let shop: Shop;

beforeAll(async () => {
  database = await createTestDatabase({ schema: 'shop', migrations: [] });
  shop = await startShop(database.url);
});
afterAll(async () => {
  await shop.stop();
  await database.drop();
});

test(
  'a client that does not end its body is cut off',
  async () => {
    const { socket, received, closed } = await rawConnection(shop.url);
    socket.write('POST /echo HTTP/1.1\r\nhost: shop\r\ncontent-type: application/json\r\n');
    socket.write('content-length: 100\r\n\r\n{"a":');
    await waitFor('the end', closed, WAIT_MS);
    expect(received()).toContain('HTTP/1.1 408');
  },
  WAIT_MS,
);
