import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AppError, type Scope } from '@svc/contracts';
import type { GuardedRequest } from './caller.js';
import { KeyUsage } from './key-usage.js';
import { KeyVerifier } from './key-verifier.js';
import { allows, SCOPE } from './scopes.js';

/** Everything under `/v1` needs a key with the scope that the route declares; a route that forgot to is closed. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly keys: KeyVerifier,
    private readonly usage: KeyUsage,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<GuardedRequest>();
    if (!request.routeOptions.url?.startsWith('/v1/')) return true;
    const caller = await this.keys.verify(request.headers.authorization);
    this.usage.note(caller.kid, request.ip);
    request.caller = caller;
    const needed = this.reflector.get<Scope | undefined>(SCOPE, context.getHandler());
    if (!needed || !allows(caller.scopes, needed)) {
      throw new AppError('FORBIDDEN', `The key lacks the scope ${needed ?? 'of this route'}.`, {
        scope: needed,
      });
    }
    return true;
  }
}
