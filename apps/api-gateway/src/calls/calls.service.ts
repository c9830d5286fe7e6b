import { Injectable } from '@nestjs/common';
import {
  AppError,
  type CallReceivedV1,
  type Envelope,
  type ErrorCode,
  type SendMessageRequest,
  type SessionState,
} from '@svc/contracts';
import { log } from '@svc/service';
import { SendingService } from '../sending/sending.service.js';
import { LiveService } from '../sessions/live.service.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';

/** Codes of a call that nobody can reject: it was answered or given up, or its session is away or gone. */
const TOO_LATE: ReadonlySet<ErrorCode> = new Set([
  ...(['CALL_NOT_RINGING', 'SESSION_NOT_CONNECTED', 'SESSION_NOT_FOUND', 'FORBIDDEN'] as const),
]);

/** This service rejects the calls of sessions that take none, and answers their callers with a text. */
@Injectable()
export class CallsService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly live: LiveService,
    private readonly subscriptions: SubscriptionsService,
    private readonly sending: SendingService,
  ) {}

  /** Takes a call in. */
  async called({ tenantId, data }: Envelope<CallReceivedV1>): Promise<void> {
    if (data.state !== 'RINGING') return;
    const session = await unlessTooLate(this.rejected(tenantId, data));
    if (!session?.callReply || data.isGroup) return;
    await this.answer(tenantId, data, session.callReply).catch((error: unknown) =>
      log().warn({ sessionId: session.id, err: error }, 'the caller of a rejected call gets no answer'),
    );
  }

  /** Rejects a call where its session takes none; returns the session. */
  private async rejected(
    tenantId: string,
    { sessionId, callId }: CallReceivedV1,
  ): Promise<SessionState | undefined> {
    const session = await this.sessions.owned(tenantId, sessionId);
    if (!session.rejectCalls) return undefined;
    await this.live.rejectCall(tenantId, sessionId, callId);
    return session;
  }

  private async answer(
    tenantId: string,
    { sessionId, callId, remoteJid }: CallReceivedV1,
    text: string,
  ): Promise<void> {
    const subscription = await this.subscriptions.active(tenantId);
    const request: SendMessageRequest = {
      ...{ sessionId, to: remoteJid, text },
      clientMessageId: `call:${callId}`,
    };
    const outcome = await this.sending.send(subscription, request);
    if ('refusal' in outcome) throw outcome.refusal;
  }
}

/** Awaits work on a call; undefined where it comes too late. */
async function unlessTooLate<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AppError && TOO_LATE.has(error.code)) return undefined;
    throw error;
  }
}
