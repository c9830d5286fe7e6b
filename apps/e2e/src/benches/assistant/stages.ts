import { quantile, round3 } from '../../figures.js';

/** Moments of a turn, in ms since 1970; all processes of a run have the clock of one machine. */
export interface Moments {
  /** The contact was to write. */
  written: number;
  /** The number had the text. */
  received: number;
  /** The assistant had written it down. */
  taken: number;
  /** The debounce was over. */
  due: number;
  /** The turn was claimed and may be answered; its call is written down. */
  begun: number;
  /** The model was asked. */
  asked: number;
  /** The model had answered. */
  given: number;
  /** The gateway had the answer. */
  accepted: number;
  /** The contact had it. */
  arrived: number;
}

/** Stages of a turn by the moments between which they are. `model` is what the stand-in takes, its delay left out. */
const STAGES = {
  inbound: ['written', 'received'],
  taking: ['received', 'taken'],
  debounce: ['taken', 'due'],
  checks: ['due', 'begun'],
  counting: ['begun', 'asked'],
  model: ['asked', 'given'],
  sending: ['given', 'accepted'],
  delivery: ['accepted', 'arrived'],
} as const satisfies Record<string, readonly [keyof Moments, keyof Moments]>;

type Stage = keyof typeof STAGES;

/** Middle and slowest twentieth of some times. */
export interface Spread {
  p50Ms: number;
  p95Ms: number;
}

/** Sums up times, in any order. */
export function spreadOf(times: number[]): Spread {
  const sorted = times.toSorted((a, b) => a - b);
  return { p50Ms: quantile(sorted, 0.5), p95Ms: quantile(sorted, 0.95) };
}

/** Sums up how long each stage took beside the delay of the model. */
export function stagesOf(turns: Moments[], delayMs: number): Record<Stage, Spread> {
  const each = Object.entries(STAGES).map(([stage, [from, to]]) => {
    const free = stage === 'model' ? delayMs : 0;
    return [stage, spreadOf(turns.map((turn) => turn[to] - turn[from] - free))];
  });
  return Object.fromEntries(each) as Record<Stage, Spread>;
}

/** Computes what a turn took beside the delay of the model. */
export const overheadOf = ({ written, arrived }: Moments, delayMs: number): number =>
  round3(arrived - written - delayMs);

/** Computes what of it is the assistant's own: from the event to the answer that the gateway has, without debounce and model. */
export const ownOverheadOf = ({ received, taken, due, asked, given, accepted }: Moments): number =>
  round3(accepted - received - (due - taken) - (given - asked));
