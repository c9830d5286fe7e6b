import { Injectable } from '@nestjs/common';
import {
  AnswerPasskey,
  type AnswerPasskeyV1,
  ConfirmPasskey,
  type ConfirmPasskeyV1,
  type ContactView,
  GetPasskey,
  GiveUpPasskey,
  LookUpContact,
  isLive,
  MarkRead,
  type MarkReadV1,
  type Nothing,
  type PairingCode,
  partitionOf,
  type PasskeyView,
  type PhoneRequestV1,
  RejectCall,
  type RejectCallV1,
  type RequestContract,
  RequestPairingCode,
  sessionAway,
  type SessionRef,
  SetTyping,
  type TypingV1,
} from '@svc/contracts';
import { OwnerLine } from '@svc/ownership';
import { SessionsService } from './sessions.service.js';

/** Longest wait for the owner, in ms: longer than it waits for the platform, so that the owner is the one who names the fault. */
const OWNER_TIMEOUT_MS = 18_000;

/** Passes on what any worker is asked and only the one with the socket can answer: checked here, answered there, stored nowhere. */
@Injectable()
export class LiveService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly owners: OwnerLine,
  ) {}

  async pairingCode(request: PhoneRequestV1): Promise<PairingCode> {
    await this.sessions.wantLink(request);
    return this.ask(RequestPairingCode, request);
  }

  passkey(request: SessionRef): Promise<PasskeyView> {
    return this.askLinking(GetPasskey, request);
  }

  answerPasskey(request: AnswerPasskeyV1): Promise<PasskeyView> {
    return this.askLinking(AnswerPasskey, request);
  }

  confirmPasskey(request: ConfirmPasskeyV1): Promise<PasskeyView> {
    return this.askLinking(ConfirmPasskey, request);
  }

  /** Gives the link up. Whoever does so wants another QR code. */
  async giveUpPasskey(request: SessionRef): Promise<Nothing> {
    const { status } = await this.sessions.get(request);
    if (status === 'PASSKEY_REQUIRED') await this.sessions.wantLink(request);
    return this.ask(GiveUpPasskey, request);
  }

  lookUp(request: PhoneRequestV1): Promise<ContactView> {
    return this.askConnected(LookUpContact, request);
  }

  markRead(request: MarkReadV1): Promise<Nothing> {
    return this.askConnected(MarkRead, request);
  }

  rejectCall(request: RejectCallV1): Promise<Nothing> {
    return this.askConnected(RejectCall, request);
  }

  typing(request: TypingV1): Promise<Nothing> {
    return this.askConnected(SetTyping, request);
  }

  /** Asks about a link that needs a passkey; this counts as a view, so that another QR code follows when it fails. */
  private async askLinking<Q extends SessionRef, A extends object>(
    contract: RequestContract<Q, A>,
    request: Q,
  ): Promise<A> {
    await this.sessions.look(request);
    return this.ask(contract, request);
  }

  private async askConnected<Q extends SessionRef, A extends object>(
    contract: RequestContract<Q, A>,
    request: Q,
  ): Promise<A> {
    const session = await this.sessions.get(request);
    if (!isLive(session.status)) throw sessionAway(session);
    return this.ask(contract, request);
  }

  private ask<Q extends SessionRef, A extends object>(
    contract: RequestContract<Q, A>,
    request: Q,
  ): Promise<A> {
    return this.owners.ask(contract, partitionOf(request.sessionId), request, OWNER_TIMEOUT_MS);
  }
}
