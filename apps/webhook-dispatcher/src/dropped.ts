import { counter } from '@svc/service';

/**
 * Reason for which a delivery ended without a dead letter: `result` the database refuses what came of its attempt, `held` it was held for
 * too long or with too many; and the dead letter, too.
 */
export type DropReason = 'result' | 'held';

const dropped = counter(
  'deliveries_dropped_total',
  'Deliveries that ended without a dead letter, because the database refuses it, by reason.',
);

/** Counts a delivery of which nothing is left but its event. Its line in the log says more. */
export function countDropped(reason: DropReason): void {
  dropped.add({ reason });
}
