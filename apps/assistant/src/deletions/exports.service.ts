import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { ContactTurn, ContactTurnsReply, ExportContactV1 } from '@svc/contracts';
import { DataSource } from 'typeorm';

/** Turns of one reply. */
const PIECE = 200;
/** Most bytes of their texts: NATS carries one megabyte. */
const MOST_BYTES = 500_000;
const TURNS_SQL = `SELECT t.id, t.session_id AS "sessionId", t.first_at AS "startedAt", t.outcome,
    coalesce(t.parts, '[]') || coalesce((SELECT jsonb_agg(d.text) FROM draft d WHERE d.turn_id = t.id AND d.text <> ''), '[]')
      || coalesce((SELECT jsonb_agg(said) FROM approval a, unnest(ARRAY[a.arguments, a.answer]) said WHERE a.turn_id = t.id AND said <> ''), '[]')
      AS texts
  FROM turn t WHERE t.tenant_id = $1 AND t.chat = $2
    AND ($3::uuid IS NULL OR (t.first_at, t.id) < (SELECT first_at, id FROM turn WHERE id = $3))
  ORDER BY t.first_at DESC, t.id DESC LIMIT ${PIECE}`;

/** This service shows what the assistant keeps of a contact. */
@Injectable()
export class ExportsService {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async read({ tenantId, contact, before }: ExportContactV1): Promise<ContactTurnsReply> {
    const rows = await this.dataSource.query<(Omit<ContactTurn, 'startedAt'> & { startedAt: Date })[]>(
      TURNS_SQL,
      [tenantId, contact, before ?? null],
    );
    let bytes = 0;
    const end = rows.findIndex(
      ({ texts }) => (bytes += Buffer.byteLength(JSON.stringify(texts))) > MOST_BYTES,
    );
    const page = end < 0 ? rows : rows.slice(0, Math.max(end, 1));
    const turns = page.map(({ startedAt, ...row }) => ({ ...row, startedAt: startedAt.toISOString() }));
    const isWhole = page.length === rows.length && rows.length < PIECE;
    return { turns, next: isWhole ? null : (turns.at(-1)?.id ?? null) };
  }
}
