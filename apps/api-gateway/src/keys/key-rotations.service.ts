import { Injectable } from '@nestjs/common';
import { AppError, type CreateApiKeyBody, invalidField, type NewApiKey, type Scope } from '@svc/contracts';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { ApiKey } from '../auth/api-key.entity.js';
import { actorOf, type Caller, covers, isAdmin } from '../auth/authorization.js';
import { isNarrower, type KeyRights, lasts } from './key-rights.js';
import { KeyRows, timeIn } from './key-rows.service.js';

/**
 * Two deployments that rotate one key at the same moment would each have a key, and the later one would end that of the other. Whoever has
 * lost the answer of a rotation has waited for longer than that, and may repeat it.
 */
const CONCURRENT_MS = 2_000;

/** One that was used, or replaced, is somebody's key. The first use of a key is written before the request goes on (`KeyUsage`). */
const END_UNUSED_SQL = `UPDATE api_key SET revoked_at = svc_now(tenant_id)
  WHERE kid = $1 AND last_used_at IS NULL AND rotated_at IS NULL AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > svc_now(tenant_id))
  RETURNING kid`;
const IS_UNUSED_SQL = 'SELECT FROM api_key WHERE kid = $1 AND last_used_at IS NULL AND rotated_at IS NULL';

const REPLACE_SQL = `UPDATE api_key SET replaced_by = $2, rotated_at = svc_now(tenant_id),
    own_end = CASE WHEN rotated_at IS NULL THEN expires_at ELSE own_end END,
    expires_at = least(expires_at, svc_now(tenant_id) + interval '24 hours')
  WHERE kid = $1 RETURNING expires_at AS "expiresAt"`;

/** Keys that one key has replaced and that still work, at most: a rotation is never refused for their number, the oldest of them ends. */
const MOST_REPLACED = 10;

const END_OLDEST_SQL = `UPDATE api_key SET revoked_at = svc_now(tenant_id) WHERE kid IN (
    SELECT kid FROM api_key WHERE tenant_id = $1 AND coalesce(first_kid, kid) = $2
      AND rotated_at IS NOT NULL AND revoked_at IS NULL AND expires_at > (SELECT svc_now($1))
    ORDER BY expires_at DESC, created_at DESC OFFSET ${MOST_REPLACED})
  RETURNING kid`;

/** A key that is asked for: beside the others, or in the place of an old one. */
export interface KeyWish {
  old: ApiKey | null;
  scopes: Scope[];
  end: Date | null;
}

interface Asked {
  scopes: Scope[] | undefined;
  end: Date | null | undefined;
}

/** A successor that was made. */
interface Succession {
  made: NewApiKey;
  /** Kids of keys that have ended with that: the successor before, which nobody had used, and the oldest of many. */
  ended: string[];
}

/**
 * This class replaces keys: the old one works for 24 hours more, or until its own end where that is sooner
 * ([ADR 42](../../../../docs/adr/0042-a-key-is-replaced-by-its-equal.md)).
 */
@Injectable()
export class KeyRotations {
  constructor(
    private readonly rows: KeyRows,
    private readonly audit: AuditService,
  ) {}

  /**
   * Finds out what a call asks for. It replaces the calling key, unless it asks for one that may do less or for a shorter time, or says
   * otherwise. A key without `admin:*` replaces itself, and hands on no more than it has.
   */
  async wishOf(tx: EntityManager, caller: Caller, body: CreateApiKeyBody): Promise<KeyWish> {
    const { tenantId, kid } = caller;
    const { rotates } = body;
    const asked = await askedOf(tx, tenantId, body);
    if (rotates !== undefined && rotates !== kid) assertAdmin(caller);
    if (rotates === null) return wishFor(null, asked);
    const old = await this.findWorking(tx, tenantId, rotates ?? kid);
    const wish = wishFor(old, asked);
    if (!isAdmin(caller.scopes)) assertNoMore(wish, rightsOf(old));
    else if (rotates === undefined && isNarrower(wish, rightsOf(old))) return wishFor(null, asked);
    return wish;
  }

  /**
   * Makes the successor of a key, whatever the quota: the two count as one. So whoever has as many keys as there may be can replace one that
   * leaked, and keys that replace themselves without end take no room from the others.
   * @throws AppError `API_KEY_CONFLICT` where another call has replaced it at the same moment, `API_KEY_REPLACED`
   */
  async replace(
    tx: EntityManager,
    caller: Caller,
    old: ApiKey,
    { name = old.name, ...wish }: { name: string | undefined } & Omit<KeyWish, 'old'>,
  ): Promise<Succession> {
    const { tenantId, kid, sessionId, firstKid } = old;
    const actor = actorOf(caller);
    const unused = await this.endSuccessor(tx, old, actor);
    const made = await this.rows.make(tx, {
      ...{ tenantId, name, actor, sessionId, firstKid: firstKid ?? kid },
      ...{ scopes: wish.scopes, expiresAt: wish.end },
    });
    // TypeORM answers UPDATE … RETURNING with [rows, count].
    const [[row]] = await tx.query<[[{ expiresAt: Date }], number]>(REPLACE_SQL, [kid, made.kid]);
    const rotated = { kid, expiresAt: row.expiresAt.toISOString() };
    const details = { expiresAt: rotated.expiresAt, by: made.kid };
    await this.audit.write({ tenantId, actor, action: 'api_key.rotated', target: kid, details }, tx);
    const oldest = await this.endOldest(tx, old, actor);
    return { made: { ...made, rotated }, ended: [...unused, ...oldest] };
  }

  /** Ends those that a key has replaced beyond so many, before their time. @returns their kids. */
  private async endOldest(
    tx: EntityManager,
    { tenantId, kid, firstKid }: ApiKey,
    actor: string,
  ): Promise<string[]> {
    const of = [tenantId, firstKid ?? kid];
    const [ended] = await tx.query<[{ kid: string }[], number]>(END_OLDEST_SQL, of);
    for (const { kid: target } of ended) {
      const details = { mostReplaced: MOST_REPLACED };
      await this.audit.write({ tenantId, actor, action: 'api_key.revoked', target, details }, tx);
    }
    return ended.map((key) => key.kid);
  }

  private async findWorking(tx: EntityManager, tenantId: string, kid: string): Promise<ApiKey> {
    const key = await this.rows.find(tx, tenantId, kid);
    if (key.expiresAt === null || key.expiresAt > (await timeIn(tx, tenantId, 0))) return key;
    throw new AppError('API_KEY_NOT_FOUND', 'This key has expired: make a new one.');
  }

  /** Ends the successor that a replaced key has, if nobody has used it: its secret was lost. @returns its kid, or none. */
  private async endSuccessor(
    tx: EntityManager,
    { tenantId, rotatedAt, replacedBy }: ApiKey,
    actor: string,
  ): Promise<string[]> {
    if (rotatedAt === null) return [];
    const now = await timeIn(tx, tenantId, 0);
    if (now.getTime() - rotatedAt.getTime() < CONCURRENT_MS) throw new AppError('API_KEY_CONFLICT');
    const [[successor]] = await tx.query<[{ kid: string }[], number]>(END_UNUSED_SQL, [replacedBy]);
    if (successor) {
      const fact = { tenantId, actor, action: 'api_key.revoked', target: successor.kid };
      await this.audit.write({ ...fact, details: { unused: true } }, tx);
      return [successor.kid];
    }
    if ((await tx.query<object[]>(IS_UNUSED_SQL, [replacedBy])).length === 0)
      throw new AppError('API_KEY_REPLACED', undefined, { kid: replacedBy });
    return [];
  }
}

/** Reads scopes and end that a body names; undefined: it does not. */
async function askedOf(
  tx: EntityManager,
  tenantId: string,
  { scopes, expiresInDays: days }: CreateApiKeyBody,
): Promise<Asked> {
  return { scopes, end: typeof days === 'number' ? await timeIn(tx, tenantId, days) : days };
}

/** Completes what a body names by what the old key has, or by everything. */
function wishFor(old: ApiKey | null, { scopes, end }: Asked): KeyWish {
  return {
    old,
    scopes: scopes ?? old?.scopes ?? ['*'],
    end: end === undefined ? old && ownEndOf(old) : end,
  };
}

/** Finds the end that a key has apart from its overlap. */
function ownEndOf({ rotatedAt, ownEnd, expiresAt }: ApiKey): Date | null {
  return rotatedAt === null ? expiresAt : ownEnd;
}

function rightsOf(key: ApiKey): KeyRights {
  return { scopes: key.scopes, end: ownEndOf(key) };
}

/** @throws AppError `FORBIDDEN` */
export function assertAdmin({ scopes }: Caller): void {
  if (isAdmin(scopes)) return;
  const message = 'Only a key with admin:* makes keys beside others; this one may replace itself.';
  throw new AppError('FORBIDDEN', message, { scope: 'admin:*' });
}

function assertNoMore(wish: KeyRights, own: KeyRights): void {
  if (!covers(own.scopes, wish.scopes))
    throw new AppError('FORBIDDEN', 'A key without admin:* hands on no scope that it lacks.', {
      scope: 'admin:*',
    });
  if (!lasts(own.end, wish.end))
    throw invalidField(
      'expiresInDays',
      `expiresInDays must not reach beyond ${own.end?.toISOString()}, the end of the calling key, which lacks admin:*`,
    );
}
