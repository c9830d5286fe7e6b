import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  SetMetadata,
  UseGuards,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExtension } from '@nestjs/swagger';
import { AppError, type KeyEnvironment } from '@svc/contracts';
import type { GuardedRequest } from './authorization.js';

const ENVIRONMENT = 'environment';

@Injectable()
class EnvironmentGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const needed = this.reflector.get<KeyEnvironment>(ENVIRONMENT, context.getHandler());
    const { caller } = context.switchToHttp().getRequest<GuardedRequest>();
    if (caller?.environment === needed) return true;
    throw new AppError(needed === 'TEST' ? 'SANDBOX_ONLY' : 'LIVE_ONLY');
  }
}

/** Offers a route to keys of one environment; all others exist for both, each with data of its own. */
export function OnlyIn(environment: KeyEnvironment): MethodDecorator {
  return applyDecorators(
    SetMetadata(ENVIRONMENT, environment),
    UseGuards(EnvironmentGuard),
    ApiExtension('x-environment', environment),
  ) as MethodDecorator;
}
