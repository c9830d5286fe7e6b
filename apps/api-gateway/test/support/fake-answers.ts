import {
  AppendAuditFacts,
  AppError,
  limitReached,
  type CreateSessionV1,
  type DayUsage,
  invalidField,
  type LimitRefusal,
  parseData,
  refusalBy,
  type RequestContract,
  type SessionRef,
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

/** Refuses a session more than the plan has. */
export function assertRoom(limit: number | undefined, used: number): void {
  if (limit === undefined || used < limit) return;
  throw limitReached('plan', 'The plan has no room for another session.', {
    resource: 'sessions',
    limit,
    used,
  });
}

/** Shows a session to its tenant. */
export function stateFor(tenantId: string, session: OwnedSession | undefined): SessionState {
  if (!session) throw new AppError('SESSION_NOT_FOUND');
  if (session.tenantId !== tenantId) throw new AppError('FORBIDDEN');
  return session.state;
}

/** Completes what a creation says of a session. */
export function settingsOf(request: CreateSessionV1): Partial<SessionState> {
  const { alwaysOnline = false, rejectCalls = false, callReply = null } = request;
  return { alwaysOnline, rejectCalls, callReply };
}

/** Checks a proxy as the worker does. */
export function checkProxy(proxy: string | null | undefined): void {
  if (proxy && !/^(https?|socks5):\/\/[^/]+$/.test(proxy))
    throw invalidField('proxy', 'proxy must be http://');
}

/** A request that a session carries out at once; some name a call. */
export type LiveRequest = SessionRef & { callId?: string };

/** Takes the call of a request for a rejected one, which rings no more; a request without a call passes. */
export function rejected(request: LiveRequest, ringing: Set<string>): LiveRequest {
  const { callId } = request;
  if (callId === undefined || ringing.delete(callId)) return request;
  throw new AppError('CALL_NOT_RINGING', undefined, { callId });
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
