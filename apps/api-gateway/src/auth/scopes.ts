import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';
import type { Scope } from '@svc/contracts';

/** Where a route keeps the scope it needs. */
export const SCOPE = 'scope';

/** Scope a route under `/v1` needs. Every such route declares one: the guard lets nobody through without. */
export function NeedsScope(scope: Exclude<Scope, '*'>): MethodDecorator {
  return applyDecorators(
    SetMetadata(SCOPE, scope),
    ApiSecurity('apiKey'),
    ApiExtension('x-required-scope', scope),
  ) as MethodDecorator;
}

/** A route under `/v1/public`: it needs no key, and says so in the description. */
export function Public(): MethodDecorator {
  return applyDecorators(SetMetadata(SCOPE, 'public'), ApiExtension('x-public', true)) as MethodDecorator;
}

/** Whether a key with these scopes may use a route; `admin:*` is all of the others (specification, "Authentication"). */
export function allows(scopes: readonly Scope[], needed: Scope): boolean {
  return scopes.some((scope) => scope === '*' || scope === 'admin:*' || scope === needed);
}
