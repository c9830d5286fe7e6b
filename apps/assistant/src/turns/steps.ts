import { crashSteps } from '@svc/service';

/** Name of the channel that publishes steps. */
export const STEPS_CHANNEL = 'assistant.step';

/**
 * Steps of an answer: a-1 a message is taken, a-2 its turn is claimed, a-3 it may be answered, a-4 a call of a model has begun, a-5 the answer
 * is written, a-6 a part of it is sent, a-7 the turn has ended.
 */
export type Step = `a-${1 | 2 | 3 | 4 | 5 | 6 | 7}`;

/** Publishes that a turn is right behind this step: a drill ends the process here. */
export const atStep = crashSteps<Step>(STEPS_CHANNEL);
