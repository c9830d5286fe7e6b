import pg from 'pg';
import type { Actor } from '../../../stack/actor.js';
import { MODEL_KEY } from '../../../stack/answering-numbers.js';

const TURNS_SQL = `SELECT count(*)::int AS all, count(*) FILTER (WHERE state <> 'DONE')::int AS open
  FROM assistant.turn WHERE session_id = ANY ($1::uuid[])`;
const SENDS_SQL = `SELECT count(*)::int AS open FROM sessions.outbound_message
  WHERE session_id = ANY ($1::uuid[]) AND status IN ('QUEUED', 'SENDING')`;

const TEXTS_SQL = `SELECT body ->> 'text' AS text, created_at AS at FROM gateway.message
  WHERE session_id = ANY ($1::uuid[])`;

const BY_HAND_SQL = `SELECT by_hand_to AS chat, received_at AS at FROM sessions.inbound_message
  WHERE session_id = ANY ($1::uuid[]) AND by_hand_to IS NOT NULL`;

/** A call of the model, as it has noted it. */
export interface NotedCall {
  state: string;
  beganAt: string;
  endedAt: string | null;
  asked: { messages: { role: string; content: unknown }[] } | null;
}

/** Turns of the assistant, and what sessions have to send, counted in the schemas of both. */
export class TurnBooks {
  private constructor(private readonly pool: pg.Pool) {}

  static of({ stack }: Actor): TurnBooks {
    return new TurnBooks(new pg.Pool({ connectionString: stack.file.postgres }));
  }

  close(): Promise<void> {
    return this.pool.end();
  }

  /** Counts the turns of sessions, and those of them that have not ended. */
  async turnsOf(actors: readonly Actor[]): Promise<{ all: number; open: number }> {
    const { rows } = await this.pool.query<{ all: number; open: number }>(TURNS_SQL, [idsOf(actors)]);
    return rows[0] ?? { all: 0, open: 0 };
  }

  /** Lists the texts of sessions, and when each was accepted, or came to the session, in ms. */
  async textsOf(actors: readonly Actor[]): Promise<Map<string, number>> {
    const { rows } = await this.pool.query<{ text: string; at: Date }>(TEXTS_SQL, [idsOf(actors)]);
    return new Map(rows.map(({ text, at }) => [text, at.getTime()]));
  }

  /** Lists the contacts to whom was written on a phone, and when the copy of that was in the journal of the session, in ms. */
  async byHand(actors: readonly Actor[]): Promise<Map<string, number>> {
    const { rows } = await this.pool.query<{ chat: string; at: Date }>(BY_HAND_SQL, [idsOf(actors)]);
    return new Map(rows.map(({ chat, at }) => [chat.split('@')[0] as string, at.getTime()]));
  }

  /** Says whether all turns of sessions have ended, and all that they had to send has gone out. */
  async isQuiet(actors: readonly Actor[]): Promise<boolean> {
    const { rows } = await this.pool.query<{ open: number }>(SENDS_SQL, [idsOf(actors)]);
    return rows[0]?.open === 0 && (await this.turnsOf(actors)).open === 0;
  }
}

const idsOf = (actors: readonly Actor[]): string[] => actors.map(({ sessionId }) => sessionId);

/** Lists the latest calls of the model, by the question that was asked last in each; it keeps a thousand. */
export async function callsByQuestion({ stack }: Actor): Promise<Map<string, NotedCall[]>> {
  const { items } = await stack.platform<{ items: NotedCall[] }>('GET', `/llm/keys/${MODEL_KEY}/calls`);
  const calls = new Map<string, NotedCall[]>();
  for (const call of items) {
    const question = String(call.asked?.messages.at(-1)?.content);
    calls.set(question, [...(calls.get(question) ?? []), call]);
  }
  return calls;
}
