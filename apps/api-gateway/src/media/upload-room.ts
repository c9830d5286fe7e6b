import { OUTBOUND_MAX_BYTES, quotaConflict } from '@svc/contracts';
import type { DataSource, EntityManager } from 'typeorm';
import { KeptUploads } from './kept-uploads.entity.js';

/** The largest file that may be sent, of any kind. */
export const MAX_BYTES = Math.max(...Object.values(OUTBOUND_MAX_BYTES));
/** A file counts for a block at least: rows are not free. */
const BLOCK_BYTES = 4_096;

/** Room for one file. */
export interface UploadRoom {
  /** Most bytes that the file may have. */
  bytes: number;
  /** The refusal of a file that has more. */
  refusal?: Error;
}

/** Computes what a file counts for. */
export const countedBytes = (size: number): number => Math.max(size, BLOCK_BYTES);

/**
 * Finds room for a file of `size` bytes, as far as anybody knows that, in the transaction that inserts its row; where less is left, for as much as that.
 * @param most bytes that the tenant may keep; null: any number
 * @throws AppError `QUOTA_CONFLICT`
 */
export async function findRoom(
  tx: EntityManager,
  tenantId: string,
  most: number | null,
  size: number = MAX_BYTES,
): Promise<UploadRoom> {
  const wanted = countedBytes(Math.min(size, MAX_BYTES));
  if (most === null) return { bytes: wanted };
  await tx
    .createQueryBuilder()
    .insert()
    .into(KeptUploads)
    .values({ tenantId, bytes: '0' })
    .orIgnore()
    .execute();
  const lock = { mode: 'pessimistic_write' } as const;
  const kept = await tx.findOneOrFail(KeptUploads, { where: { tenantId }, lock });
  const used = Number(kept.bytes);
  const left = most - used;
  const refusal = quotaConflict('storage', most, used);
  if (left < BLOCK_BYTES) throw refusal;
  return left < wanted ? { bytes: left, refusal } : { bytes: wanted };
}

/** @throws AppError `QUOTA_CONFLICT` where a file of that size finds no room at this moment. */
export async function assertRoom(
  dataSource: DataSource,
  tenantId: string,
  most: number | null,
  size: number,
): Promise<void> {
  if (most === null) return;
  const kept = await dataSource.manager.findOneBy(KeptUploads, { tenantId });
  const used = Number(kept?.bytes ?? 0);
  if (used + countedBytes(size) > most) throw quotaConflict('storage', most, used);
}
