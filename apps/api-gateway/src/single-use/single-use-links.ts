import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError } from '@svc/contracts';
import { PeriodicTasks } from '@svc/service';
import { DataSource, type EntityManager } from 'typeorm';

/** Purposes of links; a later page adds its own. */
export type LinkPurpose = 'link-number' | 'give-passkey';

/** A link that a person uses once. There is one for each purpose and subject. */
export interface SingleUseLink {
  subject: string;
  tenantId: string;
  /** Facts that its page needs besides. */
  details: Record<string, unknown>;
  expiresAt: Date;
  openedAt: Date | null;
  isUsed: boolean;
  isExpired: boolean;
}

/** Order for a link. */
export interface LinkOrder {
  purpose: LinkPurpose;
  subject: string;
  tenantId: string;
  details: Record<string, unknown>;
  /** Time for which it may wait to be opened, in ms. */
  lifeMs: number;
}

const SWEEP_MS = 600_000;

const COLUMNS = `subject, tenant_id AS "tenantId", details, expires_at AS "expiresAt", opened_at AS "openedAt",
  used_at IS NOT NULL AS "isUsed", expires_at <= clock_timestamp() AS "isExpired"`;
const IN_MS = (parameter: string): string => `clock_timestamp() + ${parameter} * interval '1 millisecond'`;
const MAKE_SQL = `INSERT INTO single_use_link (purpose, subject, tenant_id, token_digest, details, expires_at)
  VALUES ($1, $2, $3, $4, $5, ${IN_MS('$6::float8')})
  ON CONFLICT (purpose, subject) DO UPDATE SET tenant_id = excluded.tenant_id, token_digest = excluded.token_digest,
    details = excluded.details, expires_at = excluded.expires_at, key_digest = NULL, opened_at = NULL, used_at = NULL
  RETURNING ${COLUMNS}`;
const BY_TOKEN_SQL = `SELECT ${COLUMNS} FROM single_use_link WHERE purpose = $1 AND token_digest = $2`;
const BY_KEY_SQL = `SELECT ${COLUMNS} FROM single_use_link WHERE purpose = $1 AND key_digest = $2`;
const OPEN_SQL = `UPDATE single_use_link SET key_digest = $3, opened_at = clock_timestamp(), expires_at = ${IN_MS('$4::float8')},
    details = details || $5::jsonb
  WHERE purpose = $1 AND token_digest = $2 AND opened_at IS NULL AND expires_at > clock_timestamp() RETURNING ${COLUMNS}`;
const OPENED_SQL = `SELECT ${COLUMNS} FROM single_use_link
  WHERE purpose = $1 AND subject = $2 AND opened_at IS NOT NULL AND used_at IS NULL AND expires_at > clock_timestamp()`;
const USE_SQL = `UPDATE single_use_link SET used_at = clock_timestamp()
  WHERE purpose = $1 AND subject = $2 AND opened_at IS NOT NULL AND used_at IS NULL AND expires_at > clock_timestamp() RETURNING ${COLUMNS}`;
/** For a day after its end, a link can say that it has ended. */
const SWEEP_SQL = `DELETE FROM single_use_link WHERE expires_at < statement_timestamp() - interval '1 day'`;

/**
 * This class keeps links for people without a key: the token in the address is worth something until it is opened; from then on the browser
 * that opened it has a key (ADR 39). The rows have digests only.
 */
@Injectable()
export class SingleUseLinks {
  constructor(
    private readonly dataSource: DataSource,
    tasks: PeriodicTasks,
  ) {
    tasks.add('single-use links', SWEEP_MS, () => this.sweep());
  }

  /** Makes a link, in place of the one that there was for its subject. */
  async make(tx: EntityManager, order: LinkOrder): Promise<{ token: string; link: SingleUseLink }> {
    const { purpose, subject, tenantId, details, lifeMs } = order;
    const token = randomSecret();
    const values = [purpose, subject, tenantId, digestOf(token), details, lifeMs];
    const [link] = await tx.query<[SingleUseLink]>(MAKE_SQL, values);
    return { token, link };
  }

  /** Finds the link that has this token in its address. @throws AppError `LINK_NOT_FOUND`, `LINK_ENDED` */
  async find(purpose: LinkPurpose, token: string): Promise<SingleUseLink> {
    const [link] = await this.dataSource.query<SingleUseLink[]>(BY_TOKEN_SQL, [purpose, digestOf(token)]);
    return assertHolds(link);
  }

  /**
   * Opens a link for one browser, that gets the key. Of two at once, one does.
   * @param details what its person said besides
   * @throws AppError `LINK_NOT_FOUND`, `LINK_ENDED`, `LINK_CONFLICT`
   */
  async open(
    tx: EntityManager,
    purpose: LinkPurpose,
    token: string,
    { lifeMs, details }: Pick<LinkOrder, 'lifeMs' | 'details'>,
  ): Promise<{ key: string; link: SingleUseLink }> {
    const key = randomSecret();
    const values = [purpose, digestOf(token), digestOf(key), lifeMs, details];
    // TypeORM answers UPDATE … RETURNING with [rows, count].
    const [[link]] = await tx.query<[SingleUseLink[], number]>(OPEN_SQL, values);
    if (link) return { key, link };
    await this.find(purpose, token);
    throw new AppError('LINK_CONFLICT');
  }

  /** Finds the link that a browser has opened; it may have been used. @throws AppError `LINK_NOT_FOUND`, `LINK_ENDED` */
  async held(purpose: LinkPurpose, key: string): Promise<SingleUseLink> {
    const [link] = await this.dataSource.query<SingleUseLink[]>(BY_KEY_SQL, [purpose, digestOf(key)]);
    return link?.isUsed && !link.isExpired ? link : assertHolds(link);
  }

  /** Finds the link that somebody has opened for a subject, and not used. */
  async opened(purpose: LinkPurpose, subject: string): Promise<SingleUseLink | undefined> {
    const [link] = await this.dataSource.query<SingleUseLink[]>(OPENED_SQL, [purpose, subject]);
    return link;
  }

  /** Notes that an open link has served its purpose; undefined: none was open. */
  async use(tx: EntityManager, purpose: LinkPurpose, subject: string): Promise<SingleUseLink | undefined> {
    const [[link]] = await tx.query<[SingleUseLink[], number]>(USE_SQL, [purpose, subject]);
    return link;
  }

  async sweep(): Promise<void> {
    await this.dataSource.query(SWEEP_SQL);
  }
}

const randomSecret = (): string => randomBytes(32).toString('base64url');
const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

function assertHolds(link: SingleUseLink | undefined): SingleUseLink {
  if (!link) throw new AppError('LINK_NOT_FOUND');
  if (link.isUsed) throw new AppError('LINK_ENDED', undefined, { reason: 'USED' });
  if (link.isExpired) throw new AppError('LINK_ENDED', undefined, { reason: 'EXPIRED' });
  return link;
}
