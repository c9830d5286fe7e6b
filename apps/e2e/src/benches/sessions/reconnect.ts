import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@svc/testing';
import { createTenant, inventPhone, linkActors } from '../../stack/actor.js';
import { devicesOf, playScenario } from '../../stack/devices.js';
import type { Benchmark } from '../../named-run.js';
import { cpuMsWhenIdle, cpuMsOf } from '../../stack/process-figures.js';
import { Stack } from '../../stack/stack.js';
import { BareBaileys } from '../bare-baileys.js';
import { compareSides } from '../sides.js';

const SESSIONS = 200;
const ROUNDS = 3;
const LIMIT_MS = 180_000;
const LOOK_EVERY_MS = 100;
const MOST_RATIO = 2;

/** Benchmark of reconnecting: the platform drops all connections together, and the time counts until all are back. */
export const reconnect: Benchmark = {
  summary: `${SESSIONS} sessions dropped at once until all are logged in again, against bare Baileys`,
  bound: `ratio <= ${MOST_RATIO}`,
  judged: { ratio: 'lower', cpuRatio: 'lower' },
  async run({ say }) {
    const stack = await Stack.start();
    const bare = await BareBaileys.start(stack);
    try {
      const phones = Array.from({ length: SESSIONS }, inventPhone);
      await bare.run('link', phones);
      const tenant = await createTenant(stack, '--plan', 'ENTERPRISE', '--internal');
      const actors = await linkActors(stack, tenant, SESSIONS);
      const ourPhones = actors.map(({ phone }) => phone);
      const sides = {
        bare: droppedSide(stack, phones, () => bare.pid),
        ours: droppedSide(stack, ourPhones, () => stack.pidOf('session-worker')),
      };
      const { bare: reference, ours, ratio } = await compareSides(sides, ROUNDS, say);
      return {
        figures: { bare: reference, ours, ratio: ratio.ms, cpuRatio: ratio.cpuMsEach },
        holds: ratio.ms <= MOST_RATIO,
      };
    } finally {
      bare.stop();
      await stack.stop();
    }
  },
};

/**
 * Makes a side whose round cuts every connection without a farewell, until each number has logged in to the end.
 */
function droppedSide(
  stack: Stack,
  phones: string[],
  pidOf: () => number,
): () => Promise<Record<'ms' | 'halfMs' | 'cpuMsEach', number>> {
  const countBack = async (since: number): Promise<number> => {
    await delay(LOOK_EVERY_MS);
    const devices = await devicesOf(stack);
    const isBack = (phone: string): boolean =>
      devices.get(phone)?.some((one) => one.active && Date.parse(one.connectedAt ?? '') >= since) ?? false;
    return phones.filter(isBack).length;
  };
  return async () => {
    await waitFor('everybody to be there', () => isEverybodyThere(stack, phones), LIMIT_MS);
    const pid = pidOf();
    const cpuBefore = cpuMsOf(pid);
    const startedAt = Date.now();
    await playScenario(
      stack,
      phones.map((phone) => ({ action: 'disconnect', phone, body: { mode: 'drop' } })),
    );
    let halfMs: number | undefined;
    const areBack = async (): Promise<boolean> => {
      const back = await countBack(startedAt);
      if (back >= phones.length / 2) halfMs ??= Date.now() - startedAt;
      return back === phones.length;
    };
    await waitFor('everybody to be back', areBack, LIMIT_MS);
    const ms = Date.now() - startedAt;
    return {
      ms,
      halfMs: halfMs ?? ms,
      cpuMsEach: Math.round(((await cpuMsWhenIdle(pid)) - cpuBefore) / phones.length),
    };
  };
}

/**
 * Says whether the owner of every number is there: right after it was linked a number may not say so yet, because it has no name to say it
 * under.
 */
async function isEverybodyThere(stack: Stack, phones: string[]): Promise<boolean> {
  const devices = await devicesOf(stack);
  return phones.every((phone) => devices.get(phone)?.every(({ online, queued }) => online && queued === 0));
}
