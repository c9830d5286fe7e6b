import { expect, test } from '@jest/globals';
import { type NewTenant, Reserve, STREAMS } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import {
  call,
  createTenant,
  database,
  fakes,
  gateway,
  startGateway,
  withGatewayProcess,
} from '../support/gateway-process.js';

withGatewayProcess();

const LONG_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Reads the jobs that were released, as the stream of commands has them. */
async function released(): Promise<Set<string>> {
  const { manager } = fakes.messaging;
  const { state } = await manager.streams.info(STREAMS.commands);
  const jobs = new Set<string>();
  for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq += 1) {
    jobs.add((await manager.streams.getMessage(STREAMS.commands, { seq }))?.json<{ id: string }>().id ?? '');
  }
  return jobs;
}

/** Schedules a message that goes out in an hour. */
async function schedule({ tenantId, apiKey }: NewTenant): Promise<string> {
  const sendAt = new Date(Date.now() + HOUR_MS).toISOString();
  const sessionId = fakes.addSession(tenantId).id;
  const answer = await call(apiKey, 'POST /v1/messages', {
    sessionId,
    to: '+15550001111',
    text: 'x',
    sendAt,
  });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { jobId: string }).jobId;
}

/** Moves the clock of the tenant an hour on. */
async function anHourLater({ tenantId }: NewTenant): Promise<void> {
  const sql = 'INSERT INTO public.svc_clock (tenant_id, offset_ms) VALUES ($1, $2)';
  await database.query(sql, [tenantId, HOUR_MS]);
}

test('a message whose unit was taken when the gateway was killed goes out all the same, with that unit', async () => {
  const tenant = await createTenant('Killed');
  const jobId = await schedule(tenant);
  fakes.mute.add(Reserve.subject); // the gateway is caught waiting for the answer
  await anHourLater(tenant);
  await waitFor('the unit to be taken', () => fakes.reserved.has(jobId), LONG_MS);
  await gateway.stop('SIGKILL');
  fakes.mute.delete(Reserve.subject);
  expect(await released()).not.toContain(jobId);
  await startGateway();
  // The claim of the dead process has ended.
  await database.query('UPDATE gateway.scheduled_message SET look_at = clock_timestamp()');
  await waitFor('the command', async () => (await released()).has(jobId), LONG_MS);
  expect(fakes.reserved.get(jobId)).toBe(2); // asked for twice, under one job
  expect(await database.query('SELECT FROM gateway.scheduled_message')).toEqual([]);
});

test('of several replicas one lets each message go', async () => {
  const first = gateway;
  const tenant = await createTenant('Replicas');
  const jobs = await Promise.all(Array.from({ length: 60 }, () => schedule(tenant)));
  await startGateway(); // a second one, beside the first
  await anHourLater(tenant);
  const waiting = () => database.query('SELECT FROM gateway.scheduled_message');
  await waitFor('all to be let go', async () => (await waiting()).length === 0, LONG_MS);
  expect(jobs.map((jobId) => fakes.reserved.get(jobId))).toEqual(jobs.map(() => 1));
  await first.stop('SIGKILL');
});

test('what a killed gateway has written and not published goes out when the next one begins', async () => {
  const tenant = await createTenant('Left behind');
  const jobId = await schedule(tenant);
  await gateway.stop('SIGKILL');
  await database.query(
    `UPDATE gateway.message SET send_at = NULL, next_publish_at = clock_timestamp() + interval '25 seconds' WHERE id = $1`,
    [jobId],
  );
  await database.query('DELETE FROM gateway.scheduled_message');
  await startGateway();
  await waitFor('the command', async () => (await released()).has(jobId), 20_000);
});
