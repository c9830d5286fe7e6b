import {
  applyDecorators,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  SetMetadata,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';
import { AppError, type KeyEnvironment, type Scope, type SubscriptionState } from '@svc/contracts';
import type { FastifyRequest } from 'fastify';

/** Caller of a request: the key that was presented, and its tenant. */
export interface Caller {
  tenantId: string;
  kid: string;
  scopes: Scope[];
  environment: KeyEnvironment;
}

/** Request with the findings of hooks and guards. */
export interface GuardedRequest extends FastifyRequest {
  caller?: Caller;
  subscription?: SubscriptionState;
}

/** Says whether a request needs a key: everything under `/v1` does, but for what is public. */
export function isBehindKey(request: FastifyRequest): boolean {
  const { url } = request.routeOptions;
  return url?.startsWith('/v1/') === true && !url.startsWith('/v1/public/');
}

/** Says whether a tool makes a request, inside this process and for a request from outside, which was counted already. */
export function isInner({ raw }: FastifyRequest): boolean {
  return 'isLightMyRequest' in raw; // fastify.inject sets it, no header can
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

/** Names the caller as the audit log names it. */
export function actorOf({ kid }: Caller): string {
  return `key:${kid}`;
}

/** Scope that a route needs; `any`: every key may use it, and its service says what for. */
type NeededScope = Exclude<Scope, '*'> | 'any';

/** Name under which a route keeps the scope it needs. */
export const SCOPE = 'scope';

/** The guard refuses whoever lacks the scope that the route declares; a route under `/v1` that forgot to declare one is closed. */
@Injectable()
export class ScopeGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<GuardedRequest>();
    if (!isBehindKey(request)) return true;
    const needed = this.reflector.get<NeededScope | undefined>(SCOPE, context.getHandler());
    if (needed === 'any') return true;
    if (!needed || !allows(request.caller?.scopes ?? [], needed)) {
      throw new AppError('FORBIDDEN', `The key lacks the scope ${needed ?? 'of this route'}.`, {
        scope: needed,
      });
    }
    return true;
  }
}

/** Declares the scope that a route under `/v1` needs. Every such route declares one: the guard lets nobody through without. */
export function NeedsScope(scope: NeededScope): MethodDecorator {
  return applyDecorators(
    SetMetadata(SCOPE, scope),
    ApiSecurity('apiKey'),
    ApiExtension('x-required-scope', scope),
  ) as MethodDecorator;
}

/** Declares a route under `/v1/public`: it needs no key, and says so in the description. */
export function Public(): MethodDecorator {
  return applyDecorators(SetMetadata(SCOPE, 'public'), ApiExtension('x-public', true)) as MethodDecorator;
}

/** Says whether a key with these scopes may use a route; `admin:*` is all of the others (specification, "Authentication"). */
export function allows(scopes: readonly Scope[], needed: Scope): boolean {
  return scopes.some((scope) => scope === '*' || scope === 'admin:*' || scope === needed);
}

/** Says whether a key with these scopes may do all that one with the others may. */
export function covers(scopes: readonly Scope[], others: readonly Scope[]): boolean {
  return others.every((other) => allows(scopes, other));
}

/** Says whether a key with these scopes may do everything. */
export function isAdmin(scopes: readonly Scope[]): boolean {
  return allows(scopes, 'admin:*');
}
