import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import { AppError, GetSubscription, type SubscriptionState } from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import type { GuardedRequest } from '../auth/authorization.js';
import { SendPermissions } from '../auth/send-permissions.js';

/** Time for which an answer of `billing` is used while billing cannot be reached. */
const STAND_IN_MS = 5 * 60_000;
/** Highest age of an answer that nobody waits for. */
const KNOWN_MS = 60_000;
/** So much later it is asked for anew, unless whoever sends has had it meanwhile. */
const ASK_AFTER_MS = 1_000;
/** Tenants whose last answer is remembered; beyond it, the oldest is forgotten. */
const MOST_TENANTS = 10_000;
const TIMEOUT_MS = 3_000;

interface LastAnswer {
  state: SubscriptionState;
  at: number;
}

/** This class asks `billing` what a tenant pays for; its last answer stands in while billing is out of reach. */
@Injectable()
export class SubscriptionsService {
  private readonly answers = new Map<string, LastAnswer>();
  /** Tenants of whom a new answer will be asked for. */
  private readonly due = new Set<string>();

  constructor(
    private readonly rpc: RpcClient,
    private readonly permissions: SendPermissions,
  ) {}

  /** @throws AppError `PAYMENT_REQUIRED` when the tenant may not send, make sessions or connect. */
  async active(tenantId: string): Promise<SubscriptionState> {
    const state = await this.read(tenantId, 'cached');
    if (!state.active) throw new AppError('PAYMENT_REQUIRED', undefined, { subscription: state.status });
    return state;
  }

  /** Reads the subscription of a tenant, active or not. */
  of(tenantId: string): Promise<SubscriptionState> {
    return this.read(tenantId, 'fresh');
  }

  /** Returns the last answer about a tenant, of a minute ago where `billing` can be reached; asks anew without anybody's wait. */
  lastAnswer(tenantId: string): SubscriptionState | undefined {
    if (this.isDue(tenantId) && !this.due.has(tenantId)) {
      this.due.add(tenantId);
      setTimeout(() => this.renew(tenantId), ASK_AFTER_MS).unref();
    }
    return this.answers.get(tenantId)?.state;
  }

  private renew(tenantId: string): void {
    this.due.delete(tenantId);
    if (this.isDue(tenantId)) this.of(tenantId).catch(() => undefined); // it stays due
  }

  private isDue(tenantId: string): boolean {
    const last = this.answers.get(tenantId);
    return !last || performance.now() - last.at > KNOWN_MS;
  }

  private async read(tenantId: string, how: 'fresh' | 'cached'): Promise<SubscriptionState> {
    try {
      const question = (): Promise<SubscriptionState> =>
        this.rpc.request(GetSubscription, { tenantId }, TIMEOUT_MS);
      const state = await this.permissions.subscriptions[how](tenantId, question);
      this.remember(tenantId, { state, at: performance.now() });
      return state;
    } catch (error) {
      const { code } = error as AppError;
      if (code === 'TENANT_NOT_FOUND') throw new AppError('PAYMENT_REQUIRED');
      const last = this.answers.get(tenantId);
      const unreachable = code === 'UPSTREAM_UNAVAILABLE' || code === 'UPSTREAM_TIMEOUT';
      if (unreachable && last && performance.now() - last.at < STAND_IN_MS) return last.state;
      throw error;
    }
  }

  private remember(tenantId: string, answer: LastAnswer): void {
    this.answers.delete(tenantId); // so the map stays in order of age and the oldest goes first
    this.answers.set(tenantId, answer);
    const [oldest] = this.answers.keys();
    if (this.answers.size > MOST_TENANTS && oldest) this.answers.delete(oldest);
  }
}

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
