import { setTimeout as delay } from 'node:timers/promises';
import { type Crowd, disperse, gather, untilReplaced } from '../../load/crowd.js';
import { isClean, Load } from '../../load/load.js';
import type { NamedRun } from '../../named-run.js';
import { Actor } from '../../stack/actor.js';
import { COHORTS, type Cohort } from './cohorts.js';
import { Guest } from './guest.js';
import { linkPatiently } from './linking.js';

const WORKERS = 3;
const OF_EACH_COHORT = 5;
const SESSIONS = COHORTS.length * OF_EACH_COHORT;
const PER_SECOND = 10;
const SECONDS = 90;
const PAUSE_MS = 5_000;

/** Drill of a day on the platform of today, with every kind of account that it treats in a way of its own. */
export const platformDay: NamedRun = {
  summary: `${SESSIONS} numbers of ${COHORTS.length} kinds link, talk both ways, and change workers in a rolling deployment`,
  bound:
    'none stuck, 0 lost, 0 doubles, every webhook arrived, no phone silenced at any time, each kind of account played to the end',
  async run({ seed, say }) {
    const cohorts = new Map<Actor, Cohort>();
    let linked = 0;
    const crowd = await gather({ workers: WORKERS, sessions: SESSIONS }, say, async (stack, tenant) => {
      const cohort = COHORTS[linked++ % COHORTS.length] as Cohort;
      const actor = await Actor.link(stack, tenant, linkOf(cohort));
      await cohort.after?.(actor);
      cohorts.set(actor, cohort);
      return actor;
    });
    const guests = crowd.actors.map((actor) => new Guest(actor, cohorts.get(actor) as Cohort));
    const messages = PER_SECOND * SECONDS;
    const load = new Load(guests, crowd.receiver, { label: 'day', messages, perSecond: PER_SECOND });
    await load.acquaint();
    say('  every contact has written and was answered');
    const running = load.run();
    await deploy(crowd, say);
    await running;
    await crowd.watch.calm();
    const counted = await load.count();
    const day = await figuresOf(crowd, guests);
    await disperse(crowd);
    const isWell = [day.stuck, day.silenced, day.notPlayed].every((names) => names.length === 0);
    return { figures: { seed, messages, ...counted, ...day }, holds: isClean(counted, messages) && isWell };
  },
};

/** Makes the way in which a number of a cohort is linked. */
const linkOf =
  (cohort: Cohort): typeof linkPatiently =>
  async (stack, apiKey, phone) => {
    await cohort.before?.(stack, phone);
    return linkPatiently(stack, apiKey, phone);
  };

/** Replaces each worker in turn. */
async function deploy({ stack, watch, workers }: Crowd, say: (line: string) => void): Promise<void> {
  for (const worker of workers) {
    await delay(PAUSE_MS);
    const pid = stack.pidOf(worker);
    process.kill(pid, 'SIGTERM');
    await untilReplaced(stack, worker, pid);
    await watch.calm();
    say(`  ${worker} replaced, and the sessions rest again`);
  }
}

/** The figures of the numbers: each names the cohort of each number with the trouble. */
interface DayFigures {
  stuck: string[];
  silenced: string[];
  notPlayed: string[];
}

async function figuresOf({ receiver }: Crowd, guests: Guest[]): Promise<DayFigures> {
  const figures: DayFigures = { stuck: [], silenced: [], notPlayed: [] };
  for (const { actor, cohort, contacts } of guests) {
    const { body } = await actor.api('GET', `/v1/sessions/${actor.sessionId}`);
    if (body['status'] !== 'CONNECTED') figures.stuck.push(cohort.name);
    if (await wasSilenced(actor)) figures.silenced.push(cohort.name);
    const wasPlayed = await cohort.played?.({ actor, contacts, receiver });
    if (wasPlayed === false) figures.notPlayed.push(cohort.name);
  }
  return figures;
}

/** Says whether the phone of a number has kept a notification from its owner, or would: a device of it says that the owner is there. */
async function wasSilenced({ stack, phone }: Actor): Promise<boolean> {
  const { wouldNotify, devices } = await stack.platform<{
    wouldNotify: boolean;
    devices: { timesAvailable: number }[];
  }>('GET', `/accounts/${phone}`);
  return !wouldNotify || devices.some(({ timesAvailable }) => timesAvailable > 0);
}
