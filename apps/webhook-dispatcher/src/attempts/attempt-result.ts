import { answerRuleOf, type RunEffect } from '@svc/contracts';
import type { QueuedDelivery } from '../lanes/queued-delivery.js';
import type { ReceiverResponse } from '../lanes/lane.js';

/** Result of one attempt, as it goes into the database. */
export interface AttemptResult {
  item: QueuedDelivery;
  startedAt: Date;
  durationMs: number;
  status: number | null;
  error: string | null;
  head: Buffer;
  /** End of the attempt, on the process's monotonic clock. */
  endedAtMs: number;
  /** Delay from then to the next attempt; undefined after a success or when none is left. */
  retryInMs: number | undefined;
  /** Generation of the endpoint when the attempt started: answers from before a reactivation do not count. */
  generation: number;
  /** The endpoint was reactivated and nothing had been delivered since. */
  recovering: boolean;
  /** The attempt was signed with a secret that the receiver may not know yet: until when. */
  newSecretUntil: Date | null;
}

/** The outcome of an attempt for its delivery. */
export type Outcome = 'delivered' | 'retry' | 'dead';

export function outcomeOf(result: AttemptResult): Outcome {
  if (result.error === null) return 'delivered';
  return result.retryInMs === undefined ? 'dead' : 'retry';
}

/** Says how the receiver responded. */
export function responseOf({ error, status }: AttemptResult): ReceiverResponse {
  if (error === null) return 'ok';
  return status === null ? 'silent' : 'error';
}

/** Computes what is left of the delay: it counts from the end of the attempt, however long the result waits to be written. */
export function remainingMs({ retryInMs, endedAtMs }: AttemptResult, nowMs: number): number | null {
  if (retryInMs === undefined) return null;
  return Math.max(0, Math.ceil(retryInMs - (nowMs - endedAtMs)));
}

/**
 * Largest part of a delay that jitter adds: a retry is never before its delay. A retry begins within 5 % of its delay: the rest is for what
 * comes after the clock, from the timer to the POST.
 */
const MAX_JITTER = 0.04;

/**
 * Computes the delay between the end of an attempt that failed and the next one; undefined when none is left.
 * @param failed number of the attempt that failed, from 1.
 * @param delaysMs delay before each attempt, the first one included.
 * @param random from 0 (inclusive) to 1.
 */
export function retryDelay(
  failed: number,
  delaysMs: readonly number[],
  random: number = Math.random(),
): number | undefined {
  const delay = delaysMs[failed];
  return delay === undefined ? undefined : Math.ceil(delay * (1 + random * MAX_JITTER));
}

/** Says what a result does to the run of its endpoint. */
export function runEffectOf({
  status,
  newSecretUntil,
}: Pick<AttemptResult, 'status' | 'newSecretUntil'>): Exclude<RunEffect, 'COUNTS_LATER'> {
  const { run } = answerRuleOf(status);
  if (run !== 'COUNTS_LATER') return run;
  return newSecretUntil === null ? 'COUNTS' : 'NONE';
}

/** A run sums up what bears on the state of one endpoint, above all its permanent 4xx, within a batch of results in the order of their ends. */
export interface RunOf4xx {
  endpointId: string;
  generation: number;
  /** Number of permanent 4xx before an answer that ends the run: they continue the run that the endpoint's row counts. */
  lead: number;
  /** True when such an answer came. */
  broken: boolean;
  /** Longest run after that. */
  peak: number;
  /** Run at the end of the batch. */
  tail: number;
  /** True when a delivery succeeded, the first since a reactivation. */
  recovers: boolean;
  /** The new secret under which a delivery succeeded, the first one: until when it was new. */
  knows: Date | null;
  /** True when a delivery succeeded. */
  delivers: boolean;
  /** True when the last attempt of the batch failed. */
  fails: boolean;
}

/** Says whether a batch may pause an endpoint or end its recovery: its tenant gets an event of that. */
export function mayChangeState(runs: RunOf4xx[]): boolean {
  return runs.some(({ lead, peak, recovers }) => lead + peak > 0 || recovers);
}

/** Folds a batch so that one statement can continue, break or complete the run of each endpoint. */
export function runsOf4xx(results: AttemptResult[]): RunOf4xx[] {
  const runs: RunOf4xx[] = [];
  const current = new Map<string, RunOf4xx>();
  for (const result of results) {
    const { item, generation } = result;
    const { endpointId } = item;
    let run = current.get(endpointId);
    // The generation changes at a reactivation; an older answer after a newer one goes back to the run it belongs to.
    if (run?.generation !== generation) {
      run = runs.find((other) => other.endpointId === endpointId && other.generation === generation);
      if (!run) runs.push((run = newRun(endpointId, generation)));
      current.set(endpointId, run);
    }
    addTo(run, result);
  }
  return runs;
}

function addTo(run: RunOf4xx, result: AttemptResult): void {
  run.fails = result.error !== null;
  if (result.error === null) {
    run.delivers = true;
    run.recovers ||= result.recovering;
    run.knows = result.newSecretUntil ?? run.knows;
  }
  const effect = runEffectOf(result);
  if (effect === 'NONE') return;
  run.tail = effect === 'COUNTS' ? run.tail + 1 : 0;
  if (run.tail === 0) run.broken = true;
  else if (run.broken) run.peak = Math.max(run.peak, run.tail);
  else run.lead = run.tail;
}

function newRun(endpointId: string, generation: number): RunOf4xx {
  const counts = { lead: 0, broken: false, peak: 0, tail: 0 };
  return { endpointId, generation, ...counts, recovers: false, knows: null, delivers: false, fails: false };
}
