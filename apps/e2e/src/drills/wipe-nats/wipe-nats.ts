import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@svc/testing';
import type { NamedRun } from '../../named-run.js';
import { disperse, gather, untilReplaced } from '../../load/crowd.js';
import { isClean, Load } from '../../load/load.js';
import type { Actor } from '../../stack/actor.js';
import type { Stack } from '../../stack/stack.js';
import { Bursts } from './burst.js';
import { WipedBroker } from './wiped-broker.js';

const SESSIONS = 12;
const PER_SECOND = 10;
const SECONDS = 70;
/** Pause before each wipe. */
const PAUSE_MS = 7_000;
const TEXTS_OF_CONTACT = 10;
/** Events of a burst that are unread when the storage goes; the rest of the burst is on its way. */
const LEAST_UNREAD = 40;
/** Apps that read nothing more until NATS has lost its storage, one at a time; once, all of them read. */
const STOPPED = ['webhook-dispatcher', undefined, 'limits', 'api-gateway'];
const ARRIVAL_LIMIT_MS = 90_000;

/** A wipe and what it met. */
interface Wipe {
  /** App that stood still. */
  stopped: string | null;
  /** Number of events that this app had not read. */
  unread: number;
  downMs: number;
}

/** Drill of a broker that dies and comes back without anything it knew: streams, consumers, commands under way, events that nobody had read. */
export const wipeNats: NamedRun = {
  summary: `kill -9 of nats-server under load and its storage deleted, ${STOPPED.length} times, each in a burst of inbound texts, and with a reader that had not read them`,
  bound:
    'all sends accepted and out, no inbound text lost, nothing twice, every webhook arrived, every message known to the gateway',
  async run({ seed, say }) {
    const crowd = await gather({ workers: 2, sessions: SESSIONS }, say);
    const { stack, actors, receiver, watch } = crowd;
    const messages = PER_SECOND * SECONDS;
    const load = new Load(actors, receiver, { label: 'nats', messages, perSecond: PER_SECOND });
    const bursts = new Bursts(actors, receiver);
    const broker = await WipedBroker.of(stack);
    const running = load.run();
    const wipes: Wipe[] = [];
    let lastAt = 0;
    for (const app of STOPPED) {
      await delay(PAUSE_MS);
      lastAt = Date.now();
      const wipe = await wipeInBurst({ stack, bursts, broker }, app);
      wipes.push(wipe);
      say(`  wiped: ${JSON.stringify(wipe)}`);
    }
    await running;
    await waitFor('the bursts', () => bursts.missing() === 0, ARRIVAL_LIMIT_MS).catch(() => undefined);
    await watch.calm();
    const burst = await bursts.count();
    const counted = await load.count();
    const atGateway = await messagesOf(actors, {
      inbound: counted.written + burst.written,
      sent: counted.accepted,
    });
    const recoveredMs = load.recoveredMs(lastAt);
    await broker.stop();
    await disperse(crowd);
    const figures = { seed, messages, wipes, burst, atGateway, recoveredMs, ...counted };
    return {
      figures: { ...figures, ...(await watch.figures()) },
      holds:
        isClean(counted, messages) &&
        burst.written === STOPPED.length * SESSIONS * TEXTS_OF_CONTACT &&
        burst.lost + burst.twice + burst.notInJournal === 0 &&
        atGateway.inbound === counted.written + burst.written &&
        atGateway.sent === counted.accepted &&
        wipes.every(({ stopped, unread }) => stopped === null || unread >= LEAST_UNREAD) &&
        recoveredMs !== null,
    };
  },
};

/**
 * Wipes the storage in the middle of a burst, while a reader stands still. That one is ended with it: what it has received and not handled
 * would otherwise outlive the stream in its socket.
 */
async function wipeInBurst(
  { stack, bursts, broker }: { stack: Stack; bursts: Bursts; broker: WipedBroker },
  app: string | undefined,
): Promise<Wipe> {
  const pid = app && stack.pidOf(app);
  if (pid) process.kill(pid, 'SIGSTOP');
  const writing = bursts.write(TEXTS_OF_CONTACT);
  let unread = 0;
  const hasUnread = async (): Promise<boolean> => {
    unread = app ? await broker.unreadBy(app) : 0;
    return !app || unread >= LEAST_UNREAD;
  };
  await waitFor('events that are unread', hasUnread, ARRIVAL_LIMIT_MS);
  if (pid) process.kill(pid, 'SIGKILL');
  const downMs = await broker.wipe();
  if (pid) await untilReplaced(stack, app, pid);
  await writing;
  return { stopped: app ?? null, unread, downMs };
}

interface Messages {
  inbound: number;
  /** Number of messages that are sent, or delivered already. */
  sent: number;
}

/** Counts the messages that the gateway tells of, which reads events, too. Waits for a while until there are as many as expected. */
async function messagesOf(actors: Actor[], expected: Messages): Promise<Messages> {
  let found: Messages = { inbound: 0, sent: 0 };
  const hasAll = async (): Promise<boolean> => {
    const items = (await Promise.all(actors.map(listMessages))).flat();
    const isSent = ({ status }: Listed): boolean => status === 'SENT' || status === 'DELIVERED';
    found = {
      inbound: items.filter(({ direction }) => direction === 'INBOUND').length,
      sent: items.filter((one) => one.direction === 'OUTBOUND' && isSent(one)).length,
    };
    return found.inbound >= expected.inbound && found.sent >= expected.sent;
  };
  await waitFor('the gateway to know all', hasAll, ARRIVAL_LIMIT_MS).catch(() => undefined);
  return found;
}

interface Listed {
  direction: 'INBOUND' | 'OUTBOUND';
  status: string;
}

async function listMessages(actor: Actor): Promise<Listed[]> {
  const items: Listed[] = [];
  for (let before: string | null = ''; before !== null;) {
    const from: string = before && `&before=${encodeURIComponent(before)}`;
    const path = `/v1/messages?sessionId=${actor.sessionId}&limit=200${from}`;
    const { body } = await actor.api<{ items: Listed[]; nextCursor: string | null }>('GET', path);
    items.push(...body.items);
    before = body.nextCursor;
  }
  return items;
}
