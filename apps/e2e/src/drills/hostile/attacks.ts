import { connect } from 'node:net';
import { Actor, inventPhone } from '../../stack/actor.js';
import type { Attacker } from './attacker.js';

const MB = 1024 * 1024;
const YEAR_S = 366 * 86_400;
const DAY_MS = 86_400_000;

/** One way in which a customer attacks the others. */
export interface Attack {
  name: string;
  /** Time for which it goes on. */
  seconds: number;
  /** Begins it; what it opens is taken back when the attacker ends. */
  begin(attacker: Attacker): Promise<void>;
}

/** Creates sessions whose proxy does not do what proxies do. */
const proxies =
  (behaviour: string, count: number): Attack['begin'] =>
  async (attacker) => {
    const url = await attacker.openHost('http-proxy', behaviour);
    for (let n = 0; n < count; n += 1) {
      const { body } = await attacker.call('POST', '/v1/sessions', { name: behaviour, proxy: url });
      attacker.atEnd(() => attacker.call('DELETE', `/v1/sessions/${String(body['id'])}`));
    }
  };

/** Moves the clock of a sandbox as far as one call may, with everything in wait that asks for the time (S1). */
async function clock(attacker: Attacker): Promise<void> {
  const { stack, receivers } = attacker;
  const sandbox = attacker.deleteAtEnd(await Actor.inSandbox(stack));
  const key = sandbox.tenant.apiKey;
  await attacker.call('POST', '/v1/webhooks', { name: 'broken', url: `${receivers}/broken` }, key);
  const sendAt = new Date(Date.now() + 20 * DAY_MS).toISOString();
  const waiting = { sessionId: sandbox.sessionId, to: `+${inventPhone()}`, text: 'later' };
  await attacker.call('POST', '/v1/messages', { ...waiting, sendAt }, key);
  await attacker.call('POST', '/v1/messages', waiting, key);
  attacker.pace(() => attacker.call('POST', '/v1/sandbox/clock', { advanceSeconds: YEAR_S }, key));
}

/** Keeps as much as it can: files, keys, widgets (S7). */
async function hoard(attacker: Attacker): Promise<void> {
  const { sessionId } = await attacker.link();
  const widget = { sessionId, title: 'widget', greeting: 'Hello', allowedOrigins: ['https://example.com'] };
  attacker.pace(() => attacker.upload(5 * MB), 4); // 20 MB/s
  attacker.pace((n) => attacker.call('POST', '/v1/api-keys', { name: `key ${n}`, rotates: null }), 20);
  attacker.pace(() => attacker.call('POST', '/v1/widgets', widget), 20);
}

/** Sends pictures from a host that never comes to their end. */
async function endlessMedia(attacker: Attacker): Promise<void> {
  const { sessionId } = await attacker.link();
  const url = await attacker.openHost('http-host', 'endless-body');
  const send = { sessionId, to: `+${inventPhone()}`, media: { kind: 'image', url } };
  attacker.pace(() => attacker.call('POST', '/v1/messages', send), 1); // each is read to its bound of 16 MB
}

/** Opens event streams, never reads them, and makes events. */
async function deafStreams(attacker: Attacker): Promise<void> {
  const { sessionId } = await attacker.link();
  const { hostname, port } = new URL(attacker.stack.file.gateway);
  for (let n = 0; n < 20; n += 1) {
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    const head = [
      'GET /v1/events/stream HTTP/1.1',
      `host: ${hostname}`,
      `authorization: Bearer ${attacker.tenant.apiKey}`,
    ];
    socket.pause().write(`${head.join('\r\n')}\r\n\r\n`);
    attacker.atEnd(async () => void socket.destroy());
  }
  const to = `+${inventPhone()}`;
  const text = 'x'.repeat(4_000);
  attacker.pace(() => attacker.call('POST', '/v1/messages', { sessionId, to, text }));
}

/** Makes endpoints, and a stranger writes to its number: one event for each of them. */
async function endpoints(attacker: Attacker): Promise<void> {
  const actor = await attacker.link();
  const contact = inventPhone();
  attacker.pace(async (n) => {
    if (n >= 1_000) return actor.write(contact, `text ${n}`);
    const endpoint = { name: `n${n}`, url: `${attacker.receivers}/slow/${n}` };
    const { status, body } = await attacker.call('POST', '/v1/webhooks', endpoint);
    if (status === 201) attacker.atEnd(() => attacker.call('DELETE', `/v1/webhooks/${String(body['id'])}`));
  });
}

/** Has 20,000 messages become due in one moment. */
async function scheduled(attacker: Attacker): Promise<void> {
  const { sessionId } = await attacker.link();
  const to = `+${inventPhone()}`;
  const sendAt = new Date(Date.now() + 410_000).toISOString();
  attacker.pace(async (n) => {
    if (n < 20_000) await attacker.call('POST', '/v1/messages', { sessionId, to, text: `text ${n}`, sendAt });
  });
}

const WHILE_S = 40;

/** Attacks by an ordinary customer, with the names that the findings gave them where they have one. */
export const ATTACKS: readonly Attack[] = [
  { name: 'clock of a sandbox (S1)', seconds: WHILE_S, begin: clock },
  { name: 'proxy with an endless head (S2)', seconds: WHILE_S, begin: proxies('endless-head', 1) },
  { name: 'proxies that drip (S3a)', seconds: WHILE_S, begin: proxies('drip', 20) },
  { name: 'proxies that say nothing (S3b)', seconds: WHILE_S, begin: proxies('silence', 19) },
  { name: 'files, keys, widgets (S7)', seconds: WHILE_S, begin: hoard },
  { name: 'endless media', seconds: WHILE_S, begin: endlessMedia },
  { name: 'streams that are not read', seconds: WHILE_S, begin: deafStreams },
  { name: '1,000 endpoints', seconds: WHILE_S, begin: endpoints },
  { name: '20,000 scheduled sends', seconds: 450, begin: scheduled },
];
