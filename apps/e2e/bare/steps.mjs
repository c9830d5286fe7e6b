// This program does the steps of each delivery of `bench webhooks`, and nothing else: taken from the stream, committed, acked, signed,
// posted, its result committed. The libraries of the dispatcher, groups as large as its own, one table each without another index than its
// key, nothing by itself that can be done for a group; none of what it promises: no endpoints, no order, no retries, no deadline, no lease.
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

const [postgres, nats, url] = ['POSTGRES', 'NATS', 'RECEIVER'].map((name) => process.env[name]);
const [events, attempts] = [new pg.Client(postgres), new pg.Client(postgres)];
await Promise.all([events.connect(), attempts.connect()]);
await events.query(TABLES);
const agent = new Agent({ pipelining: 1, connections: POSTS_AT_ONCE, headersTimeout: 0, bodyTimeout: 0 });
const { origin, pathname: path } = new URL(url);
const list = (values) => `{${values.join(',')}}`;

/** Carries out group after group of what came meanwhile, the first after a moment; `room` says whether another one may begin. */
function grouped(lingerMs, carryOut, room = () => true) {
  let waiting = [];
  let busy = false;
  const drain = async () => {
    while (waiting.length > 0 && room()) await carryOut(waiting.splice(0, GROUP));
    busy = false;
  };
  const wake = () => {
    if (busy) return;
    busy = true;
    setTimeout(drain, lingerMs);
  };
  return { wake, add: (item) => (waiting.push(item), wake()) };
}

let ready = [];
let underWay = 0;

const taking = grouped(
  1,
  async (messages) => {
    const group = messages.map((message) => {
      const { id, type, data } = message.json();
      return { id, type, payload: Buffer.from(JSON.stringify(data)) };
    });
    let next = 1;
    const starts = group.map(({ payload: { length } }) => (next += length) - length);
    const payloads = group.map(({ payload }) => payload);
    const sizes = list(payloads.map(({ length }) => length));
    const ids = list(group.map(({ id }) => id));
    await events.query({
      name: 'put',
      text: PUT,
      values: [ids, Buffer.concat(payloads), list(starts), sizes],
    });
    for (const message of messages) message.ack();
    ready.push(...group);
    pump();
  },
  () => ready.length <= GROUP,
);

const recording = grouped(5, async (group) => {
  const values = [list(group.map(({ id }) => id)), list(group.map(({ status }) => status))];
  await attempts.query({ name: 'record', text: RECORD, values });
});

function pump() {
  const count = Math.min(ready.length, POSTS_AT_ONCE - underWay);
  for (const event of ready.splice(0, count)) post(event);
  taking.wake();
}

function requestOf({ id, type, payload }) {
  const head = Buffer.from(`{"event":"${type}","deliveryId":"${id}","payload":`);
  const body = Buffer.concat([head, payload, Buffer.from('}')]);
  const t = Date.now();
  const signature = `t=${t},v1=${createHmac('sha256', SECRET).update(`${t}.`).update(body).digest('hex')}`;
  const own = { Event: type, 'Delivery-Id': id, Timestamp: t, Signature: signature };
  const headers = { 'Content-Type': 'application/json', 'User-Agent': 'steps' };
  for (const name in own) headers[`X-Svc-${name}`] = headers[`X-Webhook-${name}`] = own[name];
  return { origin, path, method: 'POST', headers, body };
}

function post(event) {
  underWay += 1;
  let status = 0;
  const end = () => {
    underWay -= 1;
    recording.add({ id: event.id, status });
    pump();
  };
  agent.dispatch(requestOf(event), {
    onRequestStart: () => undefined,
    onResponseStart: (_controller, answered) => void (status = answered),
    onResponseData: () => undefined,
    onResponseEnd: end,
    onResponseError: end,
  });
}

const connection = await connect({
  servers: nats,
  user: process.env.NATS_USER,
  pass: process.env.NATS_PASSWORD,
});
const manager = await jetstreamManager(connection);
await manager.consumers.add('EVENTS', {
  ...{ durable_name: 'steps', ack_policy: 'explicit', deliver_policy: 'new' },
  ...{ filter_subject: 'evt.>', max_ack_pending: IN_HAND },
});
const consumer = await jetstream(connection).consumers.get('EVENTS', 'steps');
process.on('disconnect', () => process.exit(0));
await consumer.consume({ max_messages: IN_HAND, callback: taking.add });
process.send({ port: 0 });
