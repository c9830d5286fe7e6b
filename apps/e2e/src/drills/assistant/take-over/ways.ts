import { waitFor } from '@svc/testing';
import { type Actor, answerOf, expectStatus } from '../../../stack/actor.js';
import { publish } from '../../../stack/answering-numbers.js';
import type { Pace } from './pace.js';
import { Question } from './question.js';

const LIMIT_MS = 120_000;

/** Session of a number whose assistant answers at a pace. */
export interface PacedActor {
  actor: Actor;
  pace: Pace;
}

/** Way in which a person writes in a conversation. It returns false where the text was refused. */
export type WriteByHand = (question: Question, text: string) => Promise<boolean>;

/** A way, and whether its moments begin with the question: an approval is refused once the assistant has that. */
export interface Way {
  write: WriteByHand;
  isEarly: boolean;
}

/** Writes on the phone of the number. */
export const onPhone: WriteByHand = async ({ actor, contact }, text) => {
  await actor.stack.platform('POST', `/accounts/${actor.phone}/messages`, { to: contact, text });
  return true;
};

/** Sends by the API. */
export const byApi: WriteByHand = async ({ actor, contact }, text) => {
  expectStatus(await answerOf('the send', () => actor.send(contact, text)), 200);
  return true;
};

/** Approves the draft of an earlier question, with words of the person's own. */
export function byApproval(drafts: Map<string, string>): WriteByHand {
  return async ({ actor, contact }, text) => {
    const path = `/v1/drafts/${drafts.get(contact)}/edit`;
    const answer = await answerOf('the approval', () => actor.api('POST', path, { text }));
    expectStatus(answer, 200, 409);
    return answer.status === 200;
  };
}

/** Has so many contacts of each session ask, and their answers wait as drafts; the assistants answer by themselves afterwards. */
export async function draft(
  sessions: PacedActor[],
  count: number,
): Promise<{ contacts: Map<string, string[]>; drafts: Map<string, string> }> {
  const contacts = new Map<string, string[]>();
  const drafts = new Map<string, string>();
  for (const { actor, pace } of sessions) {
    await publish(actor, { ...pace.settings, mode: 'draft' });
    const questions = Array.from({ length: count }, (_, n) => new Question(actor, `${pace.word} draft ${n}`));
    await Promise.all(questions.map((question) => question.ask()));
    const found = (): Promise<Map<string, string> | undefined> => draftsOf(actor, count);
    for (const [contact, id] of await waitFor('the drafts', found, LIMIT_MS)) drafts.set(contact, id);
    const phones = questions.map(({ contact }) => contact);
    contacts.set(actor.sessionId, phones);
    await publish(actor, pace.settings);
  }
  return { contacts, drafts };
}

/** Lists the drafts of a session, by contact; undefined where there are fewer than wanted. */
async function draftsOf(actor: Actor, count: number): Promise<Map<string, string> | undefined> {
  const path = `/v1/drafts?sessionId=${actor.sessionId}&limit=100`;
  const answer = await actor.api<{ items: { id: string; contact: string }[] }>('GET', path);
  expectStatus(answer, 200);
  const { items } = answer.body;
  if (items.length < count) return undefined;
  return new Map(items.map(({ id, contact }) => [contact.split('@')[0] as string, id]));
}
