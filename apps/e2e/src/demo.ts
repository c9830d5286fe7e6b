import { verifyWebhook } from '@svc/sdk';
import { waitFor, WebhookReceiver } from '@svc/testing';
import { Actor, createTenant, expectStatus, inventPhone, type NewTenant } from './stack/actor.js';
import { Stack } from './stack/stack.js';

const LIMIT_MS = 60_000;

/** The scene of the story, which its steps fill. */
interface Scene {
  stack: Stack;
  receiver: WebhookReceiver;
  contact: string;
  tenant: NewTenant;
  actor: Actor;
  secret: string;
  jobId: string;
}

type Step = [name: string, play: (scene: Scene) => Promise<void>];

const findEvent = (scene: Scene, event: string) =>
  scene.receiver
    .bodies()
    .find((body) => body.event === event && body.payload['sessionId'] === scene.actor.sessionId);

const waitForEvent = (event: string) => async (scene: Scene) => {
  await waitFor(event, () => findEvent(scene, event));
};

const STEPS: Step[] = [
  ['tenant and key', async (scene) => void (scene.tenant = await createTenant(scene.stack))],
  [
    'session created, QR scanned, connected',
    async (scene) => void (scene.actor = await Actor.link(scene.stack, scene.tenant)),
  ],
  [
    'EXTERNAL mode on, webhook bound',
    async (scene) => void (scene.secret = await scene.actor.listen(scene.receiver)),
  ],
  [
    'text out arrives, decrypted by the contact',
    async (scene) => {
      const answer = await scene.actor.send(scene.contact, 'Hello from the gateway', 'demo-1');
      expectStatus(answer, 200);
      scene.jobId = String(answer.body['jobId']);
      await waitFor(
        'the text',
        async () => (await scene.actor.inbox(scene.contact))[0]?.text === 'Hello from the gateway',
      );
    },
  ],
  ['webhook message.sent', waitForEvent('message.sent')],
  ['webhook message.delivered', waitForEvent('message.delivered')],
  [
    'contact reads, webhook message.read',
    async (scene) => {
      await scene.stack.platform('POST', `/contacts/${scene.contact}/read`, { from: scene.actor.phone });
      await waitForEvent('message.read')(scene);
    },
  ],
  [
    'text in, webhook message.received',
    async (scene) => {
      await scene.actor.write(scene.contact, 'Hello back');
      await waitForEvent('message.received')(scene);
      const body = findEvent(scene, 'message.received')?.payload['body'] as { text?: string };
      if (body.text !== 'Hello back') throw new Error(`The webhook says ${JSON.stringify(body)}`);
    },
  ],
  [
    'every webhook signature is genuine',
    async ({ receiver, secret }) => {
      const forged = receiver.received.filter(
        ({ raw, headers }) => !verifyWebhook(raw, headers, secret).ok,
      ).length;
      if (forged > 0) throw new Error(`${forged} of ${receiver.received.length} signatures do not verify`);
    },
  ],
  [
    'same clientMessageId again: same job, no second text',
    async (scene) => {
      const again = await scene.actor.send(scene.contact, 'Hello from the gateway', 'demo-1');
      expectStatus(again, 200);
      if (again.body['jobId'] !== scene.jobId) throw new Error('another job id');
      expectStatus(await scene.actor.send(scene.contact, 'last', 'demo-2'), 200);
      const inbox = await waitFor('the last text', async () => {
        const items = await scene.actor.inbox(scene.contact);
        return items.some(({ text }) => text === 'last') && items;
      });
      if (inbox.length !== 2) throw new Error(`the contact has ${inbox.length} texts instead of 2`);
    },
  ],
];

/** Plays the story of the README headless, on the running stack or on one of its own; returns the exit code. */
export async function demo(): Promise<number> {
  const startedAt = performance.now();
  const stack = await findStage(startedAt);
  const receiver = await WebhookReceiver.start();
  const scene = { stack, receiver, contact: inventPhone() } as Scene;
  try {
    for (const [name, play] of STEPS) {
      const startedAt = performance.now();
      try {
        await play(scene);
        tick(name, startedAt);
      } catch (error) {
        tick(name, startedAt, '✗');
        say(`    ${error instanceof Error ? error.message : String(error)}`);
        return 1;
      }
    }
  } finally {
    await receiver.stop();
    await stack.stop();
  }
  const total = performance.now() - startedAt;
  say(`All held, in ${(total / 1000).toFixed(1)} s.`);
  return total <= LIMIT_MS ? 0 : 1;
}

/** Finds the running stack, if contacts can be played on it. */
async function findStage(startedAt: number): Promise<Stack> {
  const running = Stack.running();
  if (running?.hasSimulator) {
    say(`Using the running stack of ${running.dataDir}`);
    return running;
  }
  if (running)
    say(`The running stack of ${running.dataDir} has no simulator, so nobody there can play the contact.`);
  say('Starting a stack of its own …');
  // Two stacks in one database would take each other's sessions.
  const stack = await Stack.start(running ? { DATABASE_URL: '', NATS_URL: '' } : {});
  tick('stack started', startedAt);
  return stack;
}

function tick(name: string, startedAt: number, mark = '✓'): void {
  say(`  ${mark} ${name.padEnd(56)} ${((performance.now() - startedAt) / 1000).toFixed(2).padStart(6)} s`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
