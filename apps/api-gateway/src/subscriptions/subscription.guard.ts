import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import type { GuardedRequest } from '../auth/caller.js';
import { SubscriptionsService } from './subscriptions.service.js';

/** This guard refuses with 402, after 401 and 403 and before the body is parsed: what is wrong with it matters to payers only. */
@Injectable()
export class SubscriptionGuard implements CanActivate {
  constructor(private readonly subscriptions: SubscriptionsService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<GuardedRequest>();
    if (!request.caller) return false;
    request.subscription = await this.subscriptions.active(request.caller.tenantId);
    return true;
  }
}

/** Declares that a route needs an active subscription: sends, new sessions, connecting; nothing else does. */
export function NeedsSubscription(): MethodDecorator {
  return applyDecorators(UseGuards(SubscriptionGuard)) as MethodDecorator;
}
