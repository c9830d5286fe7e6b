import { Injectable } from '@nestjs/common';
import { AppError, type DayCaps, GetSubscription } from '@svc/contracts';
import { RpcClient } from '@svc/messaging';

/**
 * This service asks `billing` for the caps of a day, where the question of a gateway of an earlier release comes without them: while
 * releases change, at the price of a request for each question. Plans mean nothing here.
 */
@Injectable()
export class CapsService {
  constructor(private readonly rpc: RpcClient) {}

  /** @throws AppError `TENANT_NOT_FOUND`, or `UPSTREAM_UNAVAILABLE` where `billing` is of an earlier release, too. */
  async ask(tenantId: string): Promise<DayCaps> {
    const { entitlements } = await this.rpc.request(GetSubscription, { tenantId });
    if (!entitlements) throw new AppError('UPSTREAM_UNAVAILABLE');
    return entitlements;
  }
}
