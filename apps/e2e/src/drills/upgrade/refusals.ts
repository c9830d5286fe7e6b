import { NO_ANSWER } from '../../load/load.js';
import type { Step } from './rounds.js';

/** Counts of refused calls by reason. */
export type Counts = Record<string, number>;

/** The calls that were refused, by what was replaced meanwhile. */
export class Refusals {
  /** Those that a client may see while a service is replaced: it repeats the call. */
  readonly allowed: Counts = {};
  /** All others, each with the step in which it came. */
  readonly others: Counts = {};
  private step: Step | undefined;

  /** Begins a step: what is refused from now on came in it. */
  during(step: Step): void {
    this.step = step;
  }

  add(reason: string): void {
    const { process, isNew } = this.step ?? { process: 'nothing', isNew: false };
    // There is one gateway on this machine. Where there are two, a client reaches the other one.
    const isAllowed =
      reason.startsWith('503 ') || (reason.startsWith(NO_ANSWER) && process === 'api-gateway');
    const counts = isAllowed ? this.allowed : this.others;
    const [status = '', code = ''] = reason.split(' ');
    const name = isAllowed ? `${status} ${code}` : `${process} ${isNew ? 'new' : 'old'}: ${reason}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
}
