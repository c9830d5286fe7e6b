import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { CreateEndpoint, RotateEndpointSecret } from '@svc/contracts';
import { headerOf, secretKey } from '@svc/service';
import { waitFor } from '@svc/testing';
import Stripe from 'stripe';
import { PATIENCE_MS, Stage } from '../stage.js';

const stage = Stage.ofThisFile();

const stripe = new Stripe('unused');
const TOKEN = 'a-token-that-the-receiver-knows';
const SEALED_SQL = `SELECT encode(secret_enc, 'hex') AS sealed FROM webhooks.webhook_endpoint
  UNION ALL SELECT encode(decode(one ->> 'sealed', 'base64'), 'hex') FROM webhooks.webhook_endpoint, jsonb_array_elements(previous_secrets) AS one
  UNION ALL SELECT encode(decode(value, 'base64'), 'hex') FROM webhooks.webhook_endpoint, jsonb_each_text(headers)`;

test('SECRETS_KEY is changed while webhooks go out: all secrets stay what they are, and are sealed anew', async () => {
  const former = String(stage.env['SECRETS_KEY']);
  const next = randomBytes(32).toString('base64');
  const knowsBoth = await stage.spawn({ SECRETS_KEY_PREVIOUS: next });
  const tenantId = randomUUID();
  const request = { tenantId, name: 'CRM', url: stage.at('/crm'), events: [], headers: { 'X-Token': TOKEN } };
  const { id: endpointId } = (await stage.rpc.request(CreateEndpoint, request)).endpoint;
  const rotated = await stage.rpc.request(RotateEndpointSecret, { tenantId, endpointId });
  const { secret } = rotated.endpoint;
  const delivered = async (count: number): Promise<void> => {
    await stage.producer.received(tenantId);
    await stage.pathsOf(count);
    const post = stage.receiver.received[count - 1];
    // It throws where another secret signed.
    stripe.webhooks.constructEvent(post?.raw ?? '', String(post?.headers['x-svc-signature']), secret);
    expect(post?.headers['x-token']).toBe(TOKEN);
  };
  await delivered(1);

  const changed = { SECRETS_KEY: next, SECRETS_KEY_PREVIOUS: former };
  const replica = await stage.spawn({ ...changed, WORKER_NAME: 'replica' });
  const header = headerOf(secretKey(next)).toString('hex');
  await waitFor(
    'everything to be sealed with the new key',
    async () => {
      const rows = await stage.database.query<{ sealed: string }>(SEALED_SQL);
      return rows.length === 3 && rows.every(({ sealed }) => sealed.startsWith(header));
    },
    PATIENCE_MS,
  );
  await delivered(2);
  await Promise.all([knowsBoth.stop(), replica.stop()]);

  await stage.spawn({ SECRETS_KEY: next });
  await delivered(3);
}, 120_000);
