/**
 * Effect of an answer on the run of five that pauses an endpoint: it counts, it ends the run, or it leaves the run as it is. `COUNTS_LATER`
 * counts, too, but for the time after a rotation in which the receiver may not know the new secret yet.
 */
export type RunEffect = 'COUNTS' | 'COUNTS_LATER' | 'ENDS' | 'NONE';

/** A row of the table that says what each answer of a receiver means. */
export interface AnswerRule {
  /** The answers, as people write them. */
  answers: string;
  /** Subject of the answer: what it speaks of. */
  about: string;
  /** The delivery is sent again on schedule, while attempts are left. */
  isRetried: boolean;
  run: RunEffect;
}

/** Number of consecutive permanent 4xx that pause an endpoint (specification, "Retries"). */
export const PAUSE_AFTER = 5;
/** Hours after a rotation in which 401 and 403 do not count, until the first 2xx to an attempt under the new secret. */
export const NEW_SECRET_HOURS = 24;

const OF_ADDRESS = [404, 405, 410, 414, 451];
const OF_SIGNATURE = [401, 403];
const OF_MOMENT = [408, 425, 429];

const DELIVERED: AnswerRule = {
  answers: '2xx',
  about: 'the delivery: it has arrived',
  isRetried: false,
  run: 'ENDS',
};
const ADDRESS: AnswerRule = {
  answers: OF_ADDRESS.join(', '),
  about: 'the address (permanent)',
  isRetried: true,
  run: 'COUNTS',
};
const SIGNATURE: AnswerRule = {
  answers: OF_SIGNATURE.join(', '),
  about: 'the address, or the signature (permanent)',
  isRetried: true,
  run: 'COUNTS_LATER',
};
const MOMENT: AnswerRule = {
  answers: `${OF_MOMENT.join(', ')}, 3xx, 5xx, no answer in time, no connection`,
  about: 'this moment',
  isRetried: true,
  run: 'ENDS',
};
const CONTENT: AnswerRule = {
  answers: 'every other 4xx, such as 400 and 422',
  about: 'the content of this one delivery',
  isRetried: true,
  run: 'NONE',
};

/** All rows of the table, in the order in which people read them. */
export const ANSWER_RULES: readonly AnswerRule[] = [DELIVERED, ADDRESS, SIGNATURE, CONTENT, MOMENT];

/**
 * Says what a receiver's answer means.
 * @param status null where no answer came.
 */
export function answerRuleOf(status: number | null): AnswerRule {
  if (status === null) return MOMENT;
  if (OF_ADDRESS.includes(status)) return ADDRESS;
  if (OF_SIGNATURE.includes(status)) return SIGNATURE;
  if (OF_MOMENT.includes(status)) return MOMENT;
  if (status >= 200 && status < 300) return DELIVERED;
  return status >= 400 && status < 500 ? CONTENT : MOMENT;
}

const EFFECTS: Record<RunEffect, string> = {
  COUNTS: 'counts',
  COUNTS_LATER: `counts; in the ${NEW_SECRET_HOURS} hours after a rotation of the secret not before the first 2xx under the new one`,
  ENDS: 'ends it',
  NONE: 'leaves it as it is',
};

/** Writes the table for people, in Markdown. */
export function answerTable(): string {
  const rows = ANSWER_RULES.map(({ answers, about, isRetried, run }) => [
    answers,
    about,
    isRetried ? 'on schedule' : 'no',
    EFFECTS[run],
  ]);
  const head = ['Answer', 'It speaks of', 'Sent again', `Run of ${PAUSE_AFTER}`];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
