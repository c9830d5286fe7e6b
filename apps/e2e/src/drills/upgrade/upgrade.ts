import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { baseCommit, checkOut, releasedCommit } from '../../compare/base-checkout.js';
import { type Crowd, disperse, gather, untilReplaced } from '../../load/crowd.js';
import { isClean, Load } from '../../load/load.js';
import { countUnits } from '../../load/units.js';
import { sessionGaps } from '../../load/webhook-facts.js';
import type { NamedRun, RunOptions } from '../../named-run.js';
import { migrationOf } from '../../repository.js';
import { Actor } from '../../stack/actor.js';
import type { Stack } from '../../stack/stack.js';
import { Calls } from './calls.js';
import { Refusals } from './refusals.js';
import { PROCESSES, type ProcessName, ROUNDS, serviceOf, type Step } from './rounds.js';

const SESSIONS = 6;
const PER_SECOND = 4;
/** More messages than the steps take time for. */
const MOST_MESSAGES = 20_000;
/** Time in which the versions that run have to do with each other before the next step, in ms. */
const HOLD_MS = 3_000;
const SERVICES = [...new Set(PROCESSES.map(serviceOf))];
/** Folder of the version before, by process. */
type Roots = Record<ProcessName, string>;

/** Drill of an upgrade, service by service and in either order, and of the way back. */
export const upgrade: NamedRun = {
  summary:
    'the last release of every service, then this commit, service by service in either order, and back, under load [--base <ref>]',
  bound:
    '0 lost, 0 doubles, every webhook arrived, every message counted once; nothing but 503 is refused (no answer while the one gateway is replaced), and goes through when it is repeated',
  async run({ seed, base, say }) {
    const { commits, roots } = await versionBefore(base, say);
    const crowd = await gather({ workers: 2, sessions: SESSIONS, roots }, say);
    const { stack, actors, receiver, watch } = crowd;
    const asking = await Actor.link(stack, (actors[0] as Actor).tenant);
    await asking.listen(receiver);
    const refusals = new Refusals();
    const onRefused = (reason: string): void => refusals.add(reason);
    const plan = { label: 'upgrade', messages: MOST_MESSAGES, perSecond: PER_SECOND, onRefused };
    const load = new Load(actors, receiver, plan);
    const calls = new Calls(asking, receiver, onRefused);
    const running = Promise.all([load.run(), calls.run()]);
    await bringSchemasUpToDate(stack, say);
    const longestMs = await playRounds(crowd, { roots, refusals, say });
    load.end();
    calls.end();
    await running;
    await watch.calm();
    const counted = await load.count();
    // The session that asks has its receiver taken away now and then, and is not told all.
    const told = receiver.bodies().filter(({ payload }) => payload['sessionId'] !== asking.sessionId);
    const { longestMs: longestGapMs, stillAway } = sessionGaps(told);
    const { overAdmitted, leaked, uncounted } = await countUnits(stack.file.postgres, new Set());
    await disperse(crowd);
    const { messages } = load;
    const units = { overAdmitted, leaked, uncounted };
    const asked = calls.figures();
    const isCounted = Object.values(units).every((count) => count === 0);
    const isRefused = Object.keys({ ...refusals.others, ...asked.abandoned }).length > 0;
    return {
      figures: {
        ...{ seed, base: commits, steps: ROUNDS.flatMap(({ steps }) => steps).length, longestMs, messages },
        ...{ ...counted, ...units, ...asked, longestGapMs, stillAway },
        ...{ refused: refusals.allowed, refusedWrongly: refusals.others },
      },
      holds: isClean(counted, messages) && isCounted && !isRefused && stillAway === 0,
    };
  },
};

/** Builds the version before of each service; returns its commit by service and its folder by process. */
async function versionBefore(
  base: string | undefined,
  say: RunOptions['say'],
): Promise<{ commits: Record<string, string>; roots: Roots }> {
  const found = SERVICES.map(
    async (service) => [service, await (base ? baseCommit(base) : releasedCommit(service))] as const,
  );
  const commits = Object.fromEntries(await Promise.all(found));
  const folderOf = await checkOut(Object.values(commits), say);
  const roots = PROCESSES.map((process) => [process, folderOf(commits[serviceOf(process)] as string)]);
  return { commits, roots: Object.fromEntries(roots) as Roots };
}

/** Runs the migrations of this commit, while all services are of the version before. */
async function bringSchemasUpToDate(stack: Stack, say: RunOptions['say']): Promise<void> {
  await delay(HOLD_MS);
  const env = { PATH: process.env['PATH'], DATABASE_URL: stack.file.postgres };
  for (const service of SERVICES)
    await promisify(execFile)(process.execPath, [migrationOf(service)], { env });
  say('  the schemas are those of this commit');
  await delay(HOLD_MS);
}

/**
 * Plays all steps.
 * @returns the longest time from the end of a process until the next one was ready, in ms
 */
async function playRounds(
  { stack, watch }: Crowd,
  { roots, refusals, say }: { roots: Roots; refusals: Refusals; say: RunOptions['say'] },
): Promise<number> {
  const old: Partial<Roots> = { ...roots };
  const times: number[] = [];
  for (const { name, steps } of ROUNDS) {
    for (const step of steps) {
      if (step.isNew) delete old[step.process];
      else old[step.process] = roots[step.process];
      stack.startFrom(old);
      refusals.during(step);
      const ms = await replace(stack, step, roots[step.process]);
      times.push(ms);
      await delay(HOLD_MS);
      if (serviceOf(step.process) === 'session-worker') await watch.calm();
      say(`  ${name}: ${step.process} ${step.isNew ? 'forward' : 'back'} after ${ms} ms`);
    }
    const { allowed, others } = refusals;
    say(`  refused so far: ${JSON.stringify(allowed)}, wrongly: ${JSON.stringify(others)}`);
  }
  return Math.max(...times);
}

/** @throws Error when what runs then is not of the version of the step */
async function replace(stack: Stack, { process: name, isNew }: Step, oldRoot: string): Promise<number> {
  const pid = stack.pidOf(name);
  const startedAt = performance.now();
  process.kill(pid, 'SIGTERM');
  await untilReplaced(stack, name, pid);
  const commandLine = readFileSync(`/proc/${stack.pidOf(name)}/cmdline`, 'utf8');
  if (commandLine.includes(`${oldRoot}/`) === isNew) throw new Error(`${name} is not of the other version`);
  return Math.round(performance.now() - startedAt);
}
