import { Injectable } from '@nestjs/common';
import { GetSubscription } from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { log } from '@svc/service';
import { DataSource } from 'typeorm';
import { keptBytes } from '../sessions/kept-bytes.js';

/** Time for which an answer is used: so late a deletion or another number makes room, or a file at another worker takes it. */
const KNOWN_MS = 10_000;
const TIMEOUT_MS = 3_000;
/** Tenants that are remembered; the next one makes all be asked for anew. */
const MOST_TENANTS = 10_000;

interface Room {
  left: number;
  until: number;
}

/**
 * This class says how many bytes of files a tenant may still get. Files that are fetched at the same time may go beyond that, by one each.
 */
@Injectable()
export class MediaRoom {
  private readonly rooms = new Map<string, Room>();

  constructor(
    private readonly rpc: RpcClient,
    private readonly dataSource: DataSource,
  ) {}

  /** Infinity where there is no limit, and while `billing` is away: what somebody has sent is not lost because of that. */
  async left(tenantId: string): Promise<number> {
    const now = performance.now();
    const known = this.rooms.get(tenantId);
    if (known && now < known.until) return known.left;
    const most = await this.mostOf(tenantId);
    const left = most === null ? Infinity : most - (await keptBytes(this.dataSource, tenantId));
    if (this.rooms.size >= MOST_TENANTS) this.rooms.clear();
    this.rooms.set(tenantId, { left, until: now + KNOWN_MS });
    return left;
  }

  /** Counts a file that was stored. */
  take(tenantId: string, bytes: number): void {
    const known = this.rooms.get(tenantId);
    if (known) known.left -= bytes;
  }

  private async mostOf(tenantId: string): Promise<number | null> {
    try {
      const { entitlements } = await this.rpc.request(GetSubscription, { tenantId }, TIMEOUT_MS);
      return entitlements?.storage ?? null;
    } catch (error) {
      log().warn({ tenantId, err: error }, 'room for files is not known');
      return null;
    }
  }
}
