import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { CreateEndpoint, RotateEndpointSecret, TestEndpoint, UpdateEndpoint } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { PATIENCE_MS, Stage } from '../stage.js';

const stage = Stage.ofThisFile({ LOG_LEVEL: 'debug' });

const TOKEN = 'a-token-nobody-else-may-see';
const TEXT = 'words between two people';

test('two processes beside each other share one test at a time, and log no secret, header or text at their most talkative', async () => {
  const processes = [await stage.spawn(), await stage.spawn({ WORKER_NAME: 'dispatcher-beside-it' })];
  const tenantId = randomUUID();
  const request = { tenantId, name: 'CRM', url: stage.at('/crm'), events: [], standardWebhooks: true };
  const { endpoint } = await stage.rpc.request(CreateEndpoint, { ...request, headers: { 'X-Token': TOKEN } });
  const ref = { tenantId, endpointId: endpoint.id };
  const receive = () => stage.producer.received(tenantId, { body: { type: 'text', text: TEXT } });

  stage.receiver.answerWith(() => (stage.receiver.received.length === 1 ? 503 : 200));
  await receive();
  await stage.pathsOf(2);
  const { secret } = (await stage.rpc.request(RotateEndpointSecret, ref)).endpoint;

  const answer = stage.holdBack(200);
  const tests = Array.from({ length: 8 }, () =>
    stage.rpc.request(TestEndpoint, ref, 15_000).then(
      ({ result }) => result.status,
      (error: { code: string }) => error.code,
    ),
  );
  await waitFor('all but one to be refused', async () => {
    const settled = await Promise.all(tests.map((one) => Promise.race([one, Promise.resolve(null)])));
    return settled.filter((code) => code === 'ENDPOINT_CONFLICT').length === 7;
  });
  answer();
  expect((await Promise.all(tests)).filter((code) => code === 200)).toHaveLength(1);
  await stage.pathsOf(3);

  const refused = stage.rpc.request(UpdateEndpoint, { ...ref, headers: { 'X-Token': `${TOKEN}\n` } });
  await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  const damage = `UPDATE webhooks.webhook_endpoint SET headers = jsonb_build_object('X-Other', headers -> 'X-Token')`;
  await stage.database.query(damage);
  await stage.rpc.request(UpdateEndpoint, { ...ref, name: 'Damaged' });
  await receive();
  const output = (): string => processes.map((one) => one.output()).join('\n');
  await waitFor('the damage to be logged', () => output().includes('does not open'), PATIENCE_MS);
  const key = stage.env['SECRETS_KEY'] ?? '';
  for (const private_ of [
    TOKEN,
    TEXT,
    key,
    endpoint.secret,
    endpoint.secret.slice(6),
    secret,
    secret.slice(6),
  ]) {
    expect(private_.length).toBeGreaterThan(10);
    expect(output()).not.toContain(private_);
  }
  expect(stage.receiver.received).toHaveLength(3);
  await Promise.all(processes.map((one) => one.stop('SIGKILL')));
});
