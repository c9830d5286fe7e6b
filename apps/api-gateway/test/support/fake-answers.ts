import {
  AppendAuditFacts,
  AppError,
  type DayUsage,
  invalidField,
  type LimitRefusal,
  parseData,
  refusalBy,
  type RequestContract,
  type SessionState,
  type SubscriptionStatus,
} from '@svc/contracts';
import { type Messaging, RpcClient } from '@svc/messaging';
import { auditFactOf } from '@svc/service';
import type { Audit } from './fake-dispatcher.js';

/** States in which a tenant may send; the grace of an overdue payment has always just begun. */
export const ACTIVE: readonly SubscriptionStatus[] = ['ACTIVE', 'TRIALING', 'PAST_DUE'];

/** A message of NATS, as far as fakes read it. */
export interface Message {
  json<T>(): T;
  respond(data: string): boolean;
}

/** A subject that a fake answers. */
export interface Listening {
  subscription: { unsubscribe(): void };
  callback: (error: Error | null, message: Message) => void;
}

/** A session of the fake worker. */
export interface OwnedSession {
  tenantId: string;
  state: SessionState;
  modeVersion: number;
}

/** Delivers lines of the audit log, as the owner of a change does; without the gateway it has none. */
export function auditThrough(
  messaging: Messaging,
): (line: Parameters<Audit>[0] & { details?: Record<string, unknown> }) => Promise<void> {
  return async (line) => {
    const facts = [auditFactOf({ ...line, at: new Date() })];
    await RpcClient.of(messaging)
      .request(AppendAuditFacts, { facts })
      .catch(() => undefined);
  };
}

/** Refuses for the plan where its cap is zero. */
export function refusalOfNone(usage: DayUsage): LimitRefusal | null {
  return usage.planLimit === 0 ? refusalBy('plan', { ...usage, planUsed: 0 }) : null;
}

/** Checks a proxy as the worker does. */
export function checkProxy(proxy: string | null | undefined): void {
  if (proxy && !/^(https?|socks5):\/\/[^/]+$/.test(proxy))
    throw invalidField('proxy', 'proxy must be http://');
}

/** Answers by contract: both ends are checked, and an error goes out as its body. */
export async function answer<Q extends object, A extends object>(
  contract: RequestContract<Q, A>,
  reply: (request: Q) => A | Promise<A>,
  data: unknown,
): Promise<{ response: A } | { err: object }> {
  try {
    return { response: parseData(contract.reply, await reply(parseData(contract.request, data))) };
  } catch (error) {
    return {
      err: error instanceof AppError ? error.toBody() : new AppError('INTERNAL', String(error)).toBody(),
    };
  }
}
