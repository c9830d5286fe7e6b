import { afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { log } from '@svc/service';
import { waitFor } from '@svc/testing';
import { Stage } from '../stage.js';

const stage = Stage.ofThisFile();
beforeAll(() => stage.boot());
afterEach(accept);

/** Makes the database refuse rows of a table for a reason that nobody foresaw. */
async function refuse(change: string, condition: string): Promise<void> {
  await stage.database.query(`
    CREATE OR REPLACE FUNCTION webhooks.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION 'nobody foresaw this' USING ERRCODE = '22000'; END $$;
    CREATE TRIGGER refuse BEFORE ${change} FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION webhooks.refuse()`);
}

async function accept(): Promise<void> {
  await stage.database.query('DROP FUNCTION IF EXISTS webhooks.refuse() CASCADE');
}

/** Reads how many deliveries have ended without a dead letter. */
async function dropped(): Promise<number> {
  const text = await (await fetch(`${stage.opsUrl}/metrics`)).text();
  return Number(/deliveries_dropped_total{reason="result"} (\d+)/.exec(text)?.[1] ?? 0);
}

/** Waits until the process has looked twice for deliveries that nobody sends. */
async function reconciled(): Promise<void> {
  const healthy = await stage.subscriber();
  for (let n = 1; n <= 2; n += 1) {
    await stage.orphan(healthy);
    await healthy.delivered(n);
  }
}

test('a result that the database refuses makes a dead letter of its delivery, and costs those beside and behind it nothing', async () => {
  const [sick, healthy] = [await stage.subscriber(), await stage.subscriber()];
  await refuse('INSERT ON webhooks.webhook_attempt', `NEW.endpoint_id = '${sick.endpointId}'`);
  const open = stage.holdBack();
  for (const { tenantId } of [sick, healthy]) await stage.producer.received(tenantId);
  await waitFor('both', () => [sick, healthy].every(({ posts }) => posts().length === 1));
  open();
  await healthy.delivered(1);
  expect(await sick.delivery('DEAD')).toMatchObject({ deadReason: 'RESULT_REFUSED', attempts: [] });
  await stage.producer.received(healthy.tenantId);
  await healthy.delivered(2);
  expect(sick.posts()).toHaveLength(1);
});

test('a delivery whose dead letter is refused, too, ends without one, is counted, and is sent no more', async () => {
  const [sick, healthy] = [await stage.subscriber(), await stage.subscriber()];
  const said = jest.spyOn(log(), 'error');
  const before = await dropped();
  for (const table of ['attempt', 'dlq'])
    await refuse(`INSERT ON webhooks.webhook_${table}`, `NEW.endpoint_id = '${sick.endpointId}'`);
  for (const { tenantId } of [sick, healthy]) await stage.producer.received(tenantId);
  await healthy.delivered(1);
  await waitFor('the end', async () => sick.posts().length > 0 && (await sick.hot()).length === 0);
  await reconciled();
  expect(sick.posts()).toHaveLength(1);
  expect(await sick.deliveries()).toEqual([]);
  expect(await dropped()).toBe(before + 1);
  expect(said.mock.calls).toEqual([
    [
      expect.objectContaining({ endpointId: sick.endpointId, words: expect.stringContaining('foresaw') }),
      expect.stringContaining('ends without'),
    ],
  ]);
  said.mockRestore();
});

test('a delivery that the database refuses to end is sent once, and holds up nobody', async () => {
  const [sick, healthy] = [await stage.subscriber(), await stage.subscriber()];
  await refuse('DELETE ON webhooks.webhook_delivery', `OLD.endpoint_id = '${sick.endpointId}'`);
  for (const { tenantId } of [sick, healthy]) await stage.producer.received(tenantId);
  await healthy.delivered(1);
  await waitFor('the attempt', () => sick.posts().length > 0);
  await reconciled();
  expect(sick.posts()).toHaveLength(1);
  expect(await sick.hot()).toMatchObject([{ state: 'leased', attempt: 1 }]);
});

test('due deliveries that the database refuses to give keep nobody waiting, and go out when it gives them', async () => {
  const [sick, healthy] = [await stage.subscriber(), await stage.subscriber()];
  await refuse(
    'UPDATE ON webhooks.webhook_delivery',
    `NEW.endpoint_id = '${sick.endpointId}' AND NEW.state = 'leased'`,
  );
  stage.receiver.answerWith(503);
  for (const { tenantId, posts, hot } of [sick, healthy]) {
    await stage.producer.received(tenantId);
    await waitFor('the first attempt', async () => posts().length > 0 && (await hot())[0]?.attempt !== 1);
  }
  stage.receiver.answerWith(200);
  await healthy.delivery('DELIVERED');
  expect(sick.posts()).toHaveLength(1);
  await accept();
  await sick.delivery('DELIVERED');
});
