// What each delivery of `bench webhooks` goes through, and nothing else: taken from the stream, committed, acked, signed, posted, its result
// committed. The libraries of the dispatcher, groups as large as its own, one table each without another index than its key; none of what it
// promises: no endpoints, no order, no retries, no deadline, no lease. Less than this no dispatcher on these libraries can cost.
import { createHmac } from 'node:crypto';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import pg from 'pg';
import { Agent } from 'undici';

const GROUP = 256;
const POSTS_AT_ONCE = 128;
const IN_HAND = 2_048;
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const TABLES = `CREATE TABLE steps_event (id uuid PRIMARY KEY, payload bytea);
  CREATE TABLE steps_attempt (id uuid PRIMARY KEY, status int)`;
const PUT = `INSERT INTO steps_event SELECT id, substring($2::bytea FROM start FOR size)
  FROM unnest($1::uuid[], $3::int[], $4::int[]) AS event (id, start, size) ON CONFLICT DO NOTHING`;
const RECORD = `INSERT INTO steps_attempt SELECT * FROM unnest($1::uuid[], $2::int[]) ON CONFLICT DO NOTHING`;

const list = (values) => `{${values.join(',')}}`;

function putValues(events) {
  let next = 1;
  const starts = events.map(({ payload: { length } }) => (next += length) - length);
  const payloads = events.map(({ payload }) => payload);
  const sizes = payloads.map(({ length }) => length);
  return [list(events.map(({ id }) => id)), Buffer.concat(payloads), list(starts), list(sizes)];
}

const recordValues = (events) => [list(events.map(({ id }) => id)), list(events.map(({ status }) => status))];

/** One statement at a time, for all that came meanwhile. */
function grouped(client, name, text, valuesOf) {
  let waiting = [];
  let busy = false;
  const run = async () => {
    while (waiting.length > 0) {
      const group = waiting.splice(0, GROUP);
      await client.query({ name, text, values: valuesOf(group.map(([event]) => event)) });
      for (const [, done] of group) done();
    }
    busy = false;
  };
  return (event) =>
    new Promise((done) => {
      waiting.push([event, done]);
      if (!busy) setImmediate(run);
      busy = true;
    });
}

const [postgres, nats, url] = ['POSTGRES', 'NATS', 'RECEIVER'].map((name) => process.env[name]);
const [events, attempts] = [new pg.Client(postgres), new pg.Client(postgres)];
await Promise.all([events.connect(), attempts.connect()]);
await events.query(TABLES);
const put = grouped(events, 'put', PUT, putValues);
const record = grouped(attempts, 'record', RECORD, recordValues);
const agent = new Agent({ pipelining: 1, connections: POSTS_AT_ONCE });
const { origin, pathname: path } = new URL(url);

function requestOf({ id, type, payload }) {
  const body = Buffer.concat([
    Buffer.from(`{"event":"${type}","deliveryId":"${id}","payload":`),
    payload,
    Buffer.from('}'),
  ]);
  const t = Date.now();
  const signature = `t=${t},v1=${createHmac('sha256', SECRET).update(`${t}.`).update(body).digest('hex')}`;
  const own = { Event: type, 'Delivery-Id': id, Timestamp: t, Signature: signature };
  const headers = { 'Content-Type': 'application/json', 'User-Agent': 'steps' };
  for (const name in own) headers[`X-Svc-${name}`] = headers[`X-Webhook-${name}`] = own[name];
  return { origin, path, method: 'POST', headers, body };
}

async function deliver(message) {
  const { id, type, data } = message.json();
  const event = { id, type, payload: Buffer.from(JSON.stringify(data)) };
  await put(event);
  message.ack();
  const answer = await agent.request(requestOf(event));
  await answer.body.dump();
  await record({ id, status: answer.statusCode });
}

const connection = await connect({ servers: nats });
const manager = await jetstreamManager(connection);
await manager.consumers.add('EVENTS', {
  ...{ durable_name: 'steps', ack_policy: 'explicit', deliver_policy: 'new' },
  ...{ filter_subject: 'evt.>', max_ack_pending: IN_HAND },
});
const consumer = await jetstream(connection).consumers.get('EVENTS', 'steps');
process.on('disconnect', () => process.exit(0));
process.send({ port: 0 });
for await (const message of await consumer.consume({ max_messages: IN_HAND })) void deliver(message);
