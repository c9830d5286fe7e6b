import { Injectable } from '@nestjs/common';
import { AppError, type DayCaps, type DayOf, GetSubscription } from '@svc/contracts';
import { RpcClient } from '@svc/messaging';

/** This service finds the caps of the day that a question is about. Plans mean nothing here: the numbers come from `billing`. */
@Injectable()
export class CapsService {
  constructor(private readonly rpc: RpcClient) {}

  /**
   * Reads the caps out of the question. A gateway of an earlier release asks without them, while releases change: then `billing` says
   * them, at the price of a request for each question.
   * @throws AppError `TENANT_NOT_FOUND`, or `UPSTREAM_UNAVAILABLE` where `billing` is of an earlier release, too.
   */
  async of({ tenantId, caps }: DayOf): Promise<DayCaps> {
    if (caps) return caps;
    const { entitlements } = await this.rpc.request(GetSubscription, { tenantId });
    if (!entitlements) throw new AppError('UPSTREAM_UNAVAILABLE');
    return entitlements;
  }
}
