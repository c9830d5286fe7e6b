import { describe, expect, test } from '@jest/globals';
import { GetSession, GetSubscription, type NewTenant, Reserve, STREAMS } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { SendPublisher } from '../../src/sending/send-publisher.js';
import { type Answer, gateway, type SendCommand, withGateway } from '../support/gateway.js';

withGateway();

async function sendAs({ apiKey, tenantId }: NewTenant): Promise<Answer & { sessionId: string }> {
  const { id: sessionId } = gateway.fakes.addSession(tenantId);
  const answer = await gateway.call(apiKey, 'POST /v1/messages', {
    sessionId,
    to: '+15550001111',
    text: 'x',
  });
  return { ...answer, sessionId };
}

interface Row {
  publish_attempts: number;
  /** Seconds until the next publication. */
  seconds: number;
  next: string;
}

async function rowOf(id: unknown): Promise<Row | undefined> {
  const [row] = await gateway.service.database.query<Row & Record<string, unknown>>(
    `SELECT publish_attempts, next_publish_at::text AS next,
       extract(epoch FROM next_publish_at - clock_timestamp())::float AS seconds
     FROM gateway.message WHERE id = $1`,
    [id],
  );
  return row;
}

describe('without another service', () => {
  test.each([GetSession, Reserve])(
    'a send is refused with 503 and nothing is written: $subject',
    async (contract) => {
      const tenant = await gateway.createTenant();
      const answer = await gateway.fakes.without(contract, () => sendAs(tenant));
      expect(answer).toMatchObject({ status: 503, body: { code: 'UPSTREAM_UNAVAILABLE' } });
      expect(answer.headers.get('retry-after')).toBe('1');
      const written = await gateway.service.database.query(
        'SELECT 1 FROM gateway.message WHERE tenant_id = $1',
        [tenant.tenantId],
      );
      expect(written).toEqual([]);
    },
  );

  test('a send goes by the last word of billing while billing is away, and by nothing else', async () => {
    const [sender, stranger] = [await gateway.createTenant(), await gateway.createTenant()];
    expect((await sendAs(sender)).status).toBe(200);
    await gateway.fakes.without(GetSubscription, async () => {
      expect((await sendAs(sender)).status).toBe(200);
      expect((await sendAs(stranger)).status).toBe(503);
    });
    const { subscriptions } = gateway.fakes;
    const state = subscriptions.get(sender.tenantId);
    if (state) subscriptions.set(sender.tenantId, { ...state, active: false, status: 'UNPAID' });
    gateway.invalidatePermissions();
    expect((await sendAs(sender)).status).toBe(402);
  });
});

/** Reads the commands of a session, once there are so many: the sweeper notices a missing stream after seconds. */
const commandsBack = (sessionId: string, count: number): Promise<SendCommand[]> =>
  waitFor(
    'the commands',
    async () => {
      const found = await gateway.commandsOf(sessionId);
      return found.length === count && found;
    },
    60_000,
  );

describe('the sweeper', () => {
  test('publishes what NATS did not take, once NATS is back with nothing of what it had', async () => {
    const tenant = await gateway.createTenant();
    await gateway.fakes.messaging.manager.streams.delete(STREAMS.commands);
    const sent = await sendAs(tenant);
    expect(sent.status).toBe(200);
    await gateway.service.nats.restart({ wipe: true });
    const commands = await commandsBack(sent.sessionId, 1);
    expect(commands).toMatchObject([{ id: sent.body['jobId'], data: { jobId: sent.body['jobId'] } }]);
  });

  test('publishes the messages of a session in the order in which they were accepted', async () => {
    const { apiKey, tenantId } = await gateway.createTenant();
    const { id: sessionId } = gateway.fakes.addSession(tenantId);
    await gateway.fakes.messaging.manager.streams.delete(STREAMS.commands);
    const jobs: unknown[] = [];
    for (let i = 0; i < 8; i += 1) {
      const body = { sessionId, to: '+15550001111', text: `${i}` };
      jobs.unshift((await gateway.call(apiKey, 'POST /v1/messages', body)).body['jobId']);
    }
    await gateway.service.get(SendPublisher).settled();
    // The last accepted as the first: neither where the rows lie nor their ids give the order away. They are due as a sweep that is under way
    // would have them be due again.
    await gateway.service.database.query(
      `UPDATE gateway.message SET created_at = accepted_at, next_publish_at = accepted_at + interval '2 seconds'
       FROM (SELECT id AS job, statement_timestamp() - interval '1 second' + place * interval '1 millisecond' AS accepted_at
         FROM unnest($1::uuid[]) WITH ORDINALITY AS job (id, place)) job
       WHERE id = job.job`,
      [jobs],
    );
    await gateway.service.nats.restart({ wipe: true });
    const commands = await commandsBack(sessionId, jobs.length);
    expect(commands.map(({ id }) => id)).toEqual(jobs);
  });

  test('comes to messages that NATS did not take in the order in which they were accepted, however often it tries', async () => {
    const { apiKey, tenantId } = await gateway.createTenant();
    const { id: sessionId } = gateway.fakes.addSession(tenantId);
    const rows = (): Promise<{ id: string; next: Date; version: string }[]> =>
      gateway.service.database.query(
        `SELECT id, next_publish_at AS next, xmin::text AS version FROM gateway.message
         WHERE session_id = $1 ORDER BY created_at, id`,
        [sessionId],
      );
    await gateway.fakes.messaging.manager.streams.delete(STREAMS.commands);
    for (let i = 0; i < 8; i += 1)
      await gateway.call(apiKey, 'POST /v1/messages', { sessionId, to: '+15550001111', text: `${i}` });
    await gateway.service.get(SendPublisher).settled();
    // Accepted half a second apart: their turns come one by one.
    await gateway.service.database.query(
      `UPDATE gateway.message m SET created_at = apart.at - interval '2 seconds', next_publish_at = apart.at
       FROM (SELECT id, clock_timestamp() + row_number() OVER (ORDER BY created_at, id) * interval '500 milliseconds' AS at
             FROM gateway.message WHERE session_id = $1) apart
       WHERE apart.id = m.id`,
      [sessionId],
    );
    const first = new Map((await rows()).map(({ id, version }) => [id, version]));
    const tried = await waitFor(
      'the sweeper to try some of them in vain',
      async () => {
        const found = await rows();
        const soon = found.every(({ next }) => +next < Date.now() + 10_000);
        return soon && found.some(({ id, version }) => first.get(id) !== version) && found;
      },
      30_000,
    );
    const times = tried.map(({ next }) => +next);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    await gateway.service.nats.restart({ wipe: true });
    await commandsBack(sessionId, 8);
  });

  test('leaves a message alone that NATS took, and comes soon to one that it did not', async () => {
    const tenant = await gateway.createTenant();
    const taken = await sendAs(tenant);
    await gateway.service.get(SendPublisher).settled();
    const row = await rowOf(taken.body['jobId']);
    expect(row?.seconds).toBeGreaterThan(120); // the stream drops repeats for as long
    await gateway.fakes.messaging.manager.streams.delete(STREAMS.commands);
    const lost = await sendAs(tenant);
    await gateway.service.get(SendPublisher).settled();
    expect((await rowOf(lost.body['jobId']))?.seconds).toBeLessThanOrEqual(2);
    expect((await rowOf(taken.body['jobId']))?.next).toBe(row?.next);
    await gateway.service.nats.restart({ wipe: true });
    await Promise.all([taken, lost].map(({ sessionId }) => commandsBack(sessionId, 1)));
  });

  test('comes back ever more seldom to a message that nobody takes', async () => {
    const { body } = await sendAs(await gateway.createTenant());
    for (const [attempts, spacing] of [130, 600, 600].entries()) {
      const [due] = await gateway.service.database.query<{ at: string }>(
        'UPDATE gateway.message SET next_publish_at = clock_timestamp() WHERE id = $1 RETURNING next_publish_at::text AS at',
        [body['jobId']],
      );
      const row = await waitFor('the next publication', async () => {
        const found = await rowOf(body['jobId']);
        return found && found.publish_attempts > attempts && found;
      });
      expect(row.seconds).toBeLessThanOrEqual(spacing);
      expect(Date.parse(row.next) - Date.parse(due!.at)).toBeGreaterThanOrEqual(spacing * 1_000);
    }
  });

  test('leaves alone what is not queued any more', async () => {
    const { body } = await sendAs(await gateway.createTenant());
    const { body: other } = await sendAs(await gateway.createTenant());
    await gateway.service.database.query(
      `UPDATE gateway.message SET next_publish_at = clock_timestamp() - interval '1 minute',
         status = CASE WHEN id = $1 THEN 'SENT' ELSE status END WHERE id IN ($1, $2)`,
      [body['jobId'], other['jobId']],
    );
    await waitFor('the other row', async () => (await rowOf(other['jobId']))?.publish_attempts === 1);
    expect((await rowOf(body['jobId']))?.publish_attempts).toBe(0);
  });
});
