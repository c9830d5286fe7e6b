import { isPermanent4xx } from '@svc/outbound-http';
import type { QueuedDelivery } from '../lanes/queued-delivery.js';
import type { Answered } from '../lanes/standing.js';

/** What one attempt came to, as it goes into the database. */
export interface AttemptResult {
  item: QueuedDelivery;
  startedAt: Date;
  durationMs: number;
  status: number | null;
  error: string | null;
  head: Buffer;
  /** When it ended, on the process's monotonic clock. */
  endedAtMs: number;
  /** Delay from then to the next attempt; undefined after a success or when none is left. */
  retryInMs: number | undefined;
  /** Generation of the endpoint when the attempt started: answers from before a reactivation do not count. */
  generation: number;
  /** The endpoint was reactivated and nothing had been delivered since. */
  recovering: boolean;
}

/** What an attempt does to its delivery. */
export type Outcome = 'delivered' | 'retry' | 'dead';

export function outcomeOf(result: AttemptResult): Outcome {
  if (result.error === null) return 'delivered';
  return result.retryInMs === undefined ? 'dead' : 'retry';
}

/** What the receiver did with it. */
export function answeredBy({ error, status }: AttemptResult): Answered {
  if (error === null) return 'ok';
  return status === null ? 'silent' : 'error';
}

/** What is left of the delay: it counts from the end of the attempt, however long the result waits to be written. */
export function remainingMs({ retryInMs, endedAtMs }: AttemptResult, nowMs: number): number | null {
  if (retryInMs === undefined) return null;
  return Math.max(0, Math.ceil(retryInMs - (nowMs - endedAtMs)));
}

/** Consecutive permanent 4xx that pause an endpoint (specification, "Retries"). */
export const PAUSE_AFTER = 5;

/** What bears on the state of one endpoint, above all its permanent 4xx, within a batch of results, in the order in which the attempts ended. */
export interface RunOf4xx {
  endpointId: string;
  generation: number;
  /** Before anything else came: continues the run that the endpoint's row counts. */
  lead: number;
  /** Something else came, so the run of the row is over. */
  broken: boolean;
  /** Longest run after that. */
  peak: number;
  /** Run at the end of the batch. */
  tail: number;
  /** Something was delivered, the first since a reactivation. */
  recovers: boolean;
}

/** Whether a batch may pause an endpoint or end its recovery: then its tenant has to be told. */
export function mayBeNews(runs: RunOf4xx[]): boolean {
  return runs.some(({ lead, peak, recovers }) => lead + peak > 0 || recovers);
}

/** Folds a batch so that one statement can continue, break or complete the run of each endpoint. */
export function runsOf4xx(results: AttemptResult[]): RunOf4xx[] {
  const runs: RunOf4xx[] = [];
  const known = new Map<string, RunOf4xx>();
  for (const { item, generation, status, error, recovering } of results) {
    const { endpointId } = item;
    let run = known.get(endpointId);
    // Its generation changes at a reactivation; an older answer after a newer one goes back to the run it belongs to.
    if (run?.generation !== generation) {
      run = runs.find((other) => other.endpointId === endpointId && other.generation === generation);
      if (!run) runs.push((run = newRun(endpointId, generation)));
      known.set(endpointId, run);
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
