import { Injectable } from '@nestjs/common';
import {
  AppError,
  type DeliveryRef,
  type DeliveryView,
  quotaConflict,
  type Replay,
  REPLAYABLE_STATUSES,
  type ReplayRef,
  type ReplayStart,
  type StartReplayV1,
} from '@svc/contracts';
import { v7 as uuidv7 } from 'uuid';
import { DeliveriesService } from '../deliveries/deliveries.service.js';
import { EndpointChanges } from '../ownership/endpoint-changes.js';
import { EndpointsService } from '../endpoints/endpoints.service.js';
import { MOST_ATTEMPTS, ReplayRepository, type ReplayRow } from './replay.repository.js';
import { ReplayRunner } from './replay-runner.js';

/** This service replays the deliveries that a tenant wants sent once more. */
@Injectable()
export class ReplaysService {
  constructor(
    private readonly rows: ReplayRepository,
    private readonly runner: ReplayRunner,
    private readonly deliveries: DeliveriesService,
    private readonly endpoints: EndpointsService,
    private readonly changes: EndpointChanges,
  ) {}

  /** @throws AppError `DELIVERY_STATE_CONFLICT` for one that is on its way, `QUOTA_CONFLICT` for one that was sent as often as it may be. */
  async replayOne(ref: DeliveryRef): Promise<DeliveryView> {
    const { tenantId, deliveryId } = ref;
    const { endpointId, attempts } = await this.deliveries.get(ref);
    await this.endpoints.getRow(tenantId, endpointId);
    const made = attempts.at(-1)?.attempt ?? 0;
    if (made >= MOST_ATTEMPTS) throw quotaConflict('attempts', MOST_ATTEMPTS, made);
    if (!(await this.rows.requeueOne(tenantId, deliveryId))) {
      throw new AppError('DELIVERY_STATE_CONFLICT', undefined, { deliveryId });
    }
    await this.changes.announce({ tenantId, endpointId });
    return this.deliveries.get(ref);
  }

  /** @throws AppError `REPLAY_CONFLICT` while another one of the endpoint is running. */
  async start({ tenantId, status, dryRun, ...filter }: StartReplayV1): Promise<ReplayStart> {
    await this.endpoints.getRow(tenantId, filter.endpointId);
    const wanted = { ...filter, statuses: status ? [status] : [...REPLAYABLE_STATUSES] };
    if (dryRun) return { total: await this.rows.count(wanted), replay: null };
    const replayId = uuidv7();
    if (!(await this.rows.create(replayId, tenantId, wanted))) {
      const running = await this.rows.runningOf(filter.endpointId);
      throw new AppError('REPLAY_CONFLICT', undefined, { replayId: running?.id ?? null });
    }
    this.runner.announce();
    const replay = await this.get({ tenantId, replayId });
    return { total: replay.total, replay };
  }

  /** Cancels a replay; a delivery that is on its way has its attempt all the same. @throws AppError as `get` does. */
  async cancel(ref: ReplayRef): Promise<Replay> {
    await this.get(ref);
    await this.rows.cancel(ref.replayId);
    return this.get(ref);
  }

  /** @throws AppError `REPLAY_NOT_FOUND`, or `FORBIDDEN` for another tenant's. */
  async get({ tenantId, replayId }: ReplayRef): Promise<Replay> {
    const row = await this.rows.find(replayId);
    if (!row) throw new AppError('REPLAY_NOT_FOUND', undefined, { replayId });
    if (row.tenantId !== tenantId) throw new AppError('FORBIDDEN');
    return toView(row);
  }
}

function toView({ id, endpointId, state, createdAt, finishedAt, ...row }: ReplayRow): Replay {
  const { total, taken, done, outstanding } = row;
  return {
    ...{ id, endpointId, state },
    total: state === 'RUNNING' ? Math.max(total, taken) : taken,
    done,
    failed: taken - done - outstanding,
    createdAt: createdAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
  };
}
