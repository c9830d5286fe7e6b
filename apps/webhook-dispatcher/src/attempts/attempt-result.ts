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

/** Number of consecutive permanent 4xx that pause an endpoint (specification, "Retries"). */
export const PAUSE_AFTER = 5;
/** Statuses of 4xx that say "try again" rather than "never": they neither count towards the pause nor leave the run standing. */
const TEMPORARY_4XX = new Set([408, 425, 429]);

/** Says whether a status is one of the permanent 4xx of which five in a row pause the endpoint. */
export function isPermanent4xx(status: number | null): boolean {
  return status !== null && status >= 400 && status < 500 && !TEMPORARY_4XX.has(status);
}

/** A run sums up what bears on the state of one endpoint, above all its permanent 4xx, within a batch of results in the order of their ends. */
export interface RunOf4xx {
  endpointId: string;
  generation: number;
  /** Number of 4xx before any other answer: they continue the run that the endpoint's row counts. */
  lead: number;
  /** True when another answer came, so the run of the row has ended. */
  broken: boolean;
  /** Longest run after that. */
  peak: number;
  /** Run at the end of the batch. */
  tail: number;
  /** True when a delivery succeeded, the first since a reactivation. */
  recovers: boolean;
}

/** Says whether a batch may pause an endpoint or end its recovery: its tenant gets an event of that. */
export function mayChangeState(runs: RunOf4xx[]): boolean {
  return runs.some(({ lead, peak, recovers }) => lead + peak > 0 || recovers);
}

/** Folds a batch so that one statement can continue, break or complete the run of each endpoint. */
export function runsOf4xx(results: AttemptResult[]): RunOf4xx[] {
  const runs: RunOf4xx[] = [];
  const current = new Map<string, RunOf4xx>();
  for (const { item, generation, status, error, recovering } of results) {
    const { endpointId } = item;
    let run = current.get(endpointId);
    // The generation changes at a reactivation; an older answer after a newer one goes back to the run it belongs to.
    if (run?.generation !== generation) {
      run = runs.find((other) => other.endpointId === endpointId && other.generation === generation);
      if (!run) runs.push((run = newRun(endpointId, generation)));
      current.set(endpointId, run);
    }
    run.recovers ||= recovering && error === null;
    run.tail = isPermanent4xx(status) ? run.tail + 1 : 0;
    if (run.tail === 0) run.broken = true;
    else if (run.broken) run.peak = Math.max(run.peak, run.tail);
    else run.lead = run.tail;
  }
  return runs;
}

function newRun(endpointId: string, generation: number): RunOf4xx {
  return { endpointId, generation, lead: 0, broken: false, peak: 0, tail: 0, recovers: false };
}
