import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { closeWhenSilent, schemaDataSource, schemaRole } from './schema-connection.js';

const options = (more: { poolSize?: number } = {}) =>
  schemaDataSource({ url: 'postgres://u:p@127.0.0.1/db', schema: 'limits', entities: [], ...more });

test('a service connects with the role and the search path of its own schema', () => {
  expect(schemaRole('limits')).toBe('svc_limits');
  expect(options()).toMatchObject({
    schema: 'limits',
    applicationName: 'svc-limits',
    extra: { options: '-c role=svc_limits -c search_path=limits,public -c enable_seqscan=off' },
  });
});

test('the entities never change the schema by themselves', () => {
  expect(options()).toMatchObject({ synchronize: false, installExtensions: false });
});

test('no statement may hang for ever', () => {
  expect(options()).toMatchObject({
    extra: { statement_timeout: 15_000, idle_in_transaction_session_timeout: 30_000 },
  });
});

test('takes ten connections unless told otherwise', () => {
  expect(options()).toMatchObject({ poolSize: 10 });
  expect(options({ poolSize: 3 })).toMatchObject({ poolSize: 3 });
});

test('a connection on which a statement hangs is closed, one that waits in the pool is kept', async () => {
  const server = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stream = connect((server.address() as AddressInfo).port, '127.0.0.1');
  try {
    await once(stream, 'connect');
    const client = { connection: { stream }, readyForQuery: true };
    closeWhenSilent(client, 50);
    await once(stream, 'timeout');
    expect(stream.destroyed).toBe(false);
    const failed = once(stream, 'close').catch((error: unknown) => error);
    client.readyForQuery = false;
    stream.write('a statement');
    expect(await failed).toMatchObject({
      code: 'ETIMEDOUT',
      message: expect.stringContaining('0.05 seconds'),
    });
  } finally {
    stream.destroy();
    server.close();
  }
});
