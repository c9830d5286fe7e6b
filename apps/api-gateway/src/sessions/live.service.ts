import { Injectable } from '@nestjs/common';
import {
  type ContactView,
  LookUpContact,
  MarkRead,
  type MarkReadBody,
  type PairingCode,
  RejectCall,
  RequestPairingCode,
  SetTyping,
  type SubscriptionState,
  type TypingBody,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { MessagesService } from '../messages/messages.service.js';
import { normalizeChat, normalizePhone } from '../messages/recipient.js';
import { SessionsService } from './sessions.service.js';

/** Time limit of a call, in ms: the platform is waited for; the worker that waits answers before its end. */
const TIMEOUT_MS = 20_000;

/** This class asks the worker for what a session does immediately or not at all: nothing is stored, nothing is tried again. */
@Injectable()
export class LiveService {
  constructor(
    private readonly rpc: RpcClient,
    private readonly sessions: SessionsService,
    private readonly conversations: MessagesService,
  ) {}

  async pairingCode(subscription: SubscriptionState, sessionId: string, phone: string): Promise<PairingCode> {
    const { tenantId } = subscription;
    const request = { tenantId, sessionId, phone: normalizePhone(phone) };
    await this.sessions.assertWritable(subscription, sessionId);
    return this.rpc.request(RequestPairingCode, request, TIMEOUT_MS);
  }

  lookUp(tenantId: string, sessionId: string, phone: string): Promise<ContactView> {
    const request = { tenantId, sessionId, phone: normalizePhone(phone) };
    return this.rpc.request(LookUpContact, request, TIMEOUT_MS);
  }

  /** Marks messages of any contacts as read; where one of them is not of this session, none is. */
  async markRead(tenantId: string, sessionId: string, { messageIds }: MarkReadBody): Promise<void> {
    const session = await this.sessions.owned(tenantId, sessionId);
    const messages = await this.conversations.receivedBy(tenantId, session.id, messageIds);
    await this.rpc.request(MarkRead, { tenantId, sessionId, messages }, TIMEOUT_MS);
  }

  async rejectCall(tenantId: string, sessionId: string, callId: string): Promise<void> {
    await this.rpc.request(RejectCall, { tenantId, sessionId, callId }, TIMEOUT_MS);
  }

  async typing(tenantId: string, sessionId: string, { to, state }: TypingBody): Promise<void> {
    const request = { tenantId, sessionId, to: normalizeChat(to), state };
    await this.rpc.request(SetTyping, request, TIMEOUT_MS);
  }
}
