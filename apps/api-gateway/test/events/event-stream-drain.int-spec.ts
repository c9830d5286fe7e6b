import { expect, test } from '@jest/globals';
import { createTenant, gateway, withGatewayProcess } from '../support/gateway-process.js';
import { StreamReader } from '../support/stream-reader.js';

withGatewayProcess();

test('a gateway that is told to stop ends its streams with a word, and then itself', async () => {
  const { apiKey } = await createTenant('follows');
  const url = `http://127.0.0.1:${Number(gateway.ready['port'])}/v1/events/stream`;
  const readers = await Promise.all(
    [1, 2].map(() => StreamReader.open(url, { authorization: `Bearer ${apiKey}` })),
  );
  const code = gateway.stop('SIGTERM');
  expect(await Promise.all(readers.map((reader) => reader.reason()))).toEqual([
    'SHUTTING_DOWN',
    'SHUTTING_DOWN',
  ]);
  expect(await code).toBe(0);
});
