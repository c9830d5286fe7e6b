import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AppError, type Scope } from '@svc/contracts';
import { type GuardedRequest, isBehindKey } from './caller.js';
import { allows, SCOPE } from './scopes.js';

/** Everything under `/v1` needs a key with the scope that the route declares; a route that forgot to is closed. */
@Injectable()
export class ScopeGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<GuardedRequest>();
    if (!isBehindKey(request)) return true;
    const needed = this.reflector.get<Scope | undefined>(SCOPE, context.getHandler());
    if (!needed || !allows(request.caller?.scopes ?? [], needed)) {
      throw new AppError('FORBIDDEN', `The key lacks the scope ${needed ?? 'of this route'}.`, {
        scope: needed,
      });
    }
    return true;
  }
}
