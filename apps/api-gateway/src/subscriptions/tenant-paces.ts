import { Injectable } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { KeyedPaces } from '@svc/service';
import type { FastifyInstance } from 'fastify';
import { type GuardedRequest, isInner } from '../auth/authorization.js';
import { SubscriptionsService } from './subscriptions.service.js';

/**
 * This class limits how many requests a second all keys of a tenant together may make: keys are free, a replica is not. The number is that
 * of the last answer of `billing`; no request waits for one.
 */
@Injectable()
export class TenantPaces {
  private readonly paces = new KeyedPaces(0, 'The keys of this tenant make too many requests a second.');

  constructor(private readonly subscriptions: SubscriptionsService) {}

  /** @throws AppError `RATE_LIMITED`, layer `request`. */
  take(tenantId: string): void {
    const pace = this.subscriptions.lastAnswer(tenantId)?.entitlements?.pace ?? null;
    // One a second, so that a tenant of none is told, too.
    if (pace !== null) this.paces.take(tenantId, Math.max(1, pace));
  }
}

/** Counts every request of a tenant, behind the hook that has found out whose it is. */
export function paceTenants(app: NestFastifyApplication): void {
  const paces = app.get(TenantPaces);
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  fastify.addHook('onRequest', async (request: GuardedRequest) => {
    if (request.caller && !isInner(request)) paces.take(request.caller.tenantId);
  });
}
