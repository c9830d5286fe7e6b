import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { KeyEnvironment, Scope, SubscriptionState } from '@svc/contracts';
import type { FastifyRequest } from 'fastify';

/** Who calls: the key that was presented, and its tenant. */
export interface Caller {
  tenantId: string;
  kid: string;
  scopes: Scope[];
  environment: KeyEnvironment;
}

/** What hooks and guards found out about a request. */
export interface GuardedRequest extends FastifyRequest {
  caller?: Caller;
  subscription?: SubscriptionState;
}

/** Whether a request needs a key: everything under `/v1` does, but for what is public. */
export function isBehindKey(request: FastifyRequest): boolean {
  const { url } = request.routeOptions;
  return url?.startsWith('/v1/') === true && !url.startsWith('/v1/public/');
}

/** The caller, put there before the body was read (see the hooks of `edge/edge.ts`). */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { caller } = context.switchToHttp().getRequest<GuardedRequest>();
  if (!caller) throw new Error('This route is not behind a key.');
  return caller;
});

/** The caller's subscription, put there by the subscription guard. */
export const CurrentSubscription = createParamDecorator(
  (_: unknown, context: ExecutionContext): SubscriptionState => {
    const { subscription } = context.switchToHttp().getRequest<GuardedRequest>();
    if (!subscription) throw new Error('This route is not behind the subscription guard.');
    return subscription;
  },
);

/** The caller as the audit log names it. */
export function actorOf({ kid }: Caller): string {
  return `key:${kid}`;
}
