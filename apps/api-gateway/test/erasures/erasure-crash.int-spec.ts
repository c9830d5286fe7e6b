import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { EraseInWebhooks, type Erasure, GetAuditLog } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import {
  call,
  createTenant,
  database,
  fakes,
  gateway,
  rpc,
  startGateway,
  withGatewayProcess,
} from '../support/gateway-process.js';

withGatewayProcess();

const LONG_MS = 60_000;

test('an erasure comes to its end although the gateway was killed in the middle, and counts nothing twice', async () => {
  const { tenantId, apiKey } = await createTenant('Erased');
  const contact = '15550007777@s.whatsapp.net';
  await database.query(
    `INSERT INTO gateway.message (id, tenant_id, session_id, direction, status, contact, body)
     SELECT gen_random_uuid(), $1, $2, 'OUTBOUND', 'SENT', $3, '{"type":"text"}' FROM generate_series(1, 300)`,
    [tenantId, randomUUID(), contact],
  );
  fakes.mute.add(EraseInWebhooks.subject); // the gateway is caught waiting for the answer
  const asked = (await (await call(apiKey, `DELETE /v1/contacts/${contact}`)).json()) as Erasure;
  await waitFor('the dispatcher to be asked', () => fakes.asked.includes(EraseInWebhooks.subject), LONG_MS);
  await gateway.stop('SIGKILL');
  fakes.mute.clear();
  await startGateway();
  await database.query('UPDATE gateway.erasure SET next_at = clock_timestamp()');
  const receipt = await waitFor(
    'the erasure',
    async () => {
      const now = (await (await call(apiKey, `GET /v1/erasures/${asked.id}`)).json()) as Erasure;
      return now.status === 'DONE' && now;
    },
    LONG_MS,
  );
  expect(receipt.erased).toMatchObject({ messages: 300, sends: 1, events: 3 });
  const { items } = await rpc.request(GetAuditLog, { tenantId });
  expect(items.filter(({ action }) => action === 'contact.erased')).toHaveLength(1);
  const left = await database.query('SELECT 1 FROM gateway.erasure t WHERE strpos(t::text, $1) > 0', [
    contact,
  ]);
  expect(left).toEqual([]);
});
