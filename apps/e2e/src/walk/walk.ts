import { setTimeout as delay } from 'node:timers/promises';
import { verifyWebhook } from '@svc/sdk';
import { waitFor, WebhookReceiver } from '@svc/testing';
import { Actor, expectStatus, inventPhone } from '../stack/actor.js';
import { Stack } from '../stack/stack.js';
import { type Calls, Coverage, filesOfWork } from './coverage.js';

/** Order in which a message comes to the services; others, which may get its events, follow. */
const ORDER = ['api-gateway', 'billing', 'limits', 'session-worker', 'webhook-dispatcher', 'assistant'];
/** The walk ends before these processes. */
const FAR_SIDE = ['postgres', 'nats-server', 'simulator'];
/** Number of rounds; it is odd, so that there is a middle one. */
const ROUNDS = 5;
/** Length of a round and of an idle window alike, in ms: both hold the same tasks that come with time. */
const WINDOW_MS = 4_000;
/** Windows before the rounds, and as many after them: together longer than most periods of such tasks, some of which run once in a while only. */
const IDLE_WINDOWS = 6;
const WARM_UP_SENDS = 3;

/** Files of ours that one send runs through, by project, in the order of the way; libs last. */
export type Walk = Record<string, string[]>;

/** The scene of the sends: who sends to whom, and who receives the webhooks. */
interface Scene {
  actor: Actor;
  receiver: WebhookReceiver;
  contact: string;
  secret: string;
}

/** Follows one `POST /v1/messages` to the signed posts of `message.sent` and `message.delivered`, on a stack of its own, and counts the files that ran. */
export async function walk(say: (line: string) => void): Promise<Walk> {
  const stack = await Stack.start();
  const receiver = await WebhookReceiver.start();
  const coverages: Coverage[] = [];
  try {
    const actor = await Actor.create(stack);
    const scene = { actor, receiver, contact: inventPhone(), secret: await actor.listen(receiver) };
    const services = servicesOf(stack);
    for (const service of services) coverages.push(await Coverage.of(stack, service));
    for (let n = 0; n < WARM_UP_SENDS; n += 1) await send(scene);
    say(
      `  ${IDLE_WINDOWS} idle windows of ${WINDOW_MS / 1000} s, ${ROUNDS} sends, ${IDLE_WINDOWS} idle windows`,
    );
    const before = await windows(coverages, IDLE_WINDOWS, async () => undefined);
    const rounds = await windows(coverages, ROUNDS, () => send(scene));
    const after = await windows(coverages, IDLE_WINDOWS, async () => undefined);
    const idle = [...before, ...after];
    const files = services.flatMap((_, n) => filesOfWork(of(rounds, n), of(idle, n)));
    return byProject(services, files);
  } finally {
    for (const coverage of coverages) coverage.close();
    await receiver.stop();
    await stack.stop();
  }
}

/** Lists the services of the stack, in the order of the way. */
function servicesOf({ file }: Stack): string[] {
  const rank = (name: string): number => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
  const names = file.processes.map(({ name }) => name).filter((name) => !FAR_SIDE.includes(name));
  return names.sort((a, b) => rank(a) - rank(b));
}

/** Sends one text and waits until both of its webhooks have come with a genuine signature. */
async function send({ actor, receiver, contact, secret }: Scene): Promise<void> {
  const answer = await actor.send(contact, 'Hello');
  expectStatus(answer, 200);
  const { jobId } = answer.body;
  const posted = (event: string): boolean =>
    receiver
      .bodies()
      .some(
        ({ event: name, payload }, n) =>
          name === event && payload['jobId'] === jobId && isGenuine(receiver, n, secret),
      );
  await waitFor('both webhooks', () => posted('message.sent') && posted('message.delivered'));
}

function isGenuine({ received }: WebhookReceiver, n: number, secret: string): boolean {
  const post = received[n];
  return post !== undefined && verifyWebhook(post.raw, post.headers, secret).ok;
}

/** Counts the calls in windows of the same length, in each of which this work is done; by window, then by service. */
async function windows(coverages: Coverage[], count: number, work: () => Promise<void>): Promise<Calls[][]> {
  const found: Calls[][] = [];
  while (found.length < count) {
    await Promise.all(coverages.map((coverage) => coverage.take()));
    await Promise.all([work(), delay(WINDOW_MS)]);
    found.push(await Promise.all(coverages.map((coverage) => coverage.take())));
  }
  return found;
}

const of = (found: Calls[][], service: number): Calls[] => found.map((calls) => calls[service] as Calls);

/** Groups the files by project; a file of a lib counts once, whichever services run it. */
function byProject(services: string[], files: string[]): Walk {
  const projects = services.map((service) => `apps/${service}`);
  const libs = [...new Set(files.filter((file) => file.startsWith('libs/')).map(projectOf))].sort();
  const walk = [...projects, ...libs].map((project) => {
    const own = files.filter((file) => projectOf(file) === project);
    return [project, [...new Set(own)].sort()] as const;
  });
  return Object.fromEntries(walk.filter(([, own]) => own.length > 0));
}

const projectOf = (file: string): string => file.split('/').slice(0, 2).join('/');
