import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { invalidFields, unknownField } from '@svc/contracts';
import { type GuardedRequest, isBehindKey } from '../auth/authorization.js';
import { assertStorable } from './request-pipe.js';

/**
 * This guard refuses a query where a route takes none, so that a misspelt or misplaced filter is noticed everywhere. Where a route takes
 * one, the pipe refuses what is unknown in it. Public routes take any: pages add parameters of their own to the address of a script.
 */
@Injectable()
export class NoQueryGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<GuardedRequest>();
    const query = request.query as object;
    const names = Object.keys(query);
    if (names.length === 0 || !isBehindKey(request) || takesQuery(context)) return true;
    assertStorable(query);
    throw invalidFields(names.map((field) => ({ field, rule: unknownField(field) })));
  }
}

/** Says whether the handler of a route has a parameter for the query. */
function takesQuery(context: ExecutionContext): boolean {
  const parameters: object =
    Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), context.getHandler().name) ?? {};
  return Object.keys(parameters).some((name) => name.startsWith(`${RouteParamtypes.QUERY}:`));
}
