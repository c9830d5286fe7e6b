import pg from 'pg';
import { phoneAddress } from '@svc/contracts';
import type { Actor } from '../../stack/actor.js';
import type { Moments } from './stages.js';

/** Question of a contact, and when it was to be written. */
export interface Asked {
  actor: Actor;
  contact: string;
  question: string;
  written: number;
}

const ms = (column: string): string => `extract(epoch FROM ${column})::float * 1000`;
/** Each contact asks once in a round: so the newest turn of a chat is the one of the round. */
const TURNS_SQL = `SELECT DISTINCT ON (t.session_id, t.chat) t.chat, ${ms('t.newest_at')} AS received, ${ms('t.first_at')} AS taken,
    ${ms('t.due_at')} AS due, ${ms('c.begun_at')} AS begun, ${ms('m.created_at')} AS accepted
  FROM assistant.turn t JOIN assistant.model_call c ON c.turn_id = t.id AND c.is_used
  JOIN gateway.message m ON m.tenant_id = t.tenant_id AND m.session_id = t.session_id AND m.contact = t.chat
    AND m.sent_by = 'ASSISTANT' AND m.created_at >= t.first_at
  WHERE t.tenant_id = $1 ORDER BY t.session_id, t.chat, t.first_at DESC`;

type TurnRow = { chat: string } & Pick<Moments, 'received' | 'taken' | 'due' | 'begun' | 'accepted'>;

/** Call as the stand-in for models has it. */
interface ModelCall {
  said: string | null;
  beganAt: string;
  endedAt: string | null;
}

const CONTACTS_AT_A_TIME = 20;

/** Reads when each question went through what; those without one whole answer are left out. */
export async function momentsOf(asked: Asked[], calls: ModelCall[], answerTo: Answering): Promise<Moments[]> {
  const { stack, tenant } = (asked[0] as Asked).actor;
  const client = new pg.Client(stack.file.postgres);
  await client.connect();
  const rows = await client
    .query<TurnRow>(TURNS_SQL, [tenant.tenantId])
    .then((answer) => answer.rows)
    .finally(() => client.end());
  const turns = new Map(rows.map((row) => [row.chat, row]));
  const called = new Map(calls.map((call) => [call.said, call]));
  const moments: Moments[] = [];
  for (let from = 0; from < asked.length; from += CONTACTS_AT_A_TIME) {
    const some = asked.slice(from, from + CONTACTS_AT_A_TIME);
    const arrivals = await Promise.all(some.map((one) => arrivalOf(one, answerTo(one.question))));
    for (const [n, { contact, question, written }] of some.entries()) {
      const [arrived, turn] = [arrivals[n], turns.get(phoneAddress(contact))];
      const call = called.get(answerTo(question));
      if (!arrived || !turn || !call?.endedAt) continue;
      const [began, given] = [Date.parse(call.beganAt), Date.parse(call.endedAt)];
      moments.push({ ...turn, written, asked: began, given, arrived });
    }
  }
  return moments;
}

/** Says what the model answers to a question. */
export type Answering = (question: string) => string;

/** Finds when a contact had the answer; undefined where they have none, or more than one. */
async function arrivalOf({ actor, contact }: Asked, answer: string): Promise<number | undefined> {
  const [first, ...others] = (await actor.inbox(contact)).filter(({ text }) => text === answer);
  return first && others.length + first.duplicates === 0 ? Date.parse(first.receivedAt) : undefined;
}
