import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  AnswerPasskey,
  AnswerPasskeyV1,
  ChangeSession,
  ChangeSessionV1,
  ConfirmPasskey,
  ConfirmPasskeyV1,
  CountSessions,
  CreateSession,
  CreateSessionV1,
  GetPasskey,
  GetSession,
  GetSessionV1,
  GetSessionQr,
  GiveUpPasskey,
  ListSessions,
  ListSessionsV1,
  type ContactView,
  LookUpContact,
  MarkRead,
  MarkReadV1,
  type Nothing,
  type PairingCode,
  type PasskeyView,
  PhoneRequestV1,
  RequestPairingCode,
  type SessionCount,
  type SessionQr,
  SessionRef,
  type SessionReply,
  type SessionsReply,
  SetBotMode,
  SetBotModeV1,
  RejectCall,
  RejectCallV1,
  SetTyping,
  TenantRef,
  TypingV1,
  UpdateSession,
  UpdateSessionV1,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { BotModesService } from './bot-modes.service.js';
import { LiveService } from './live.service.js';
import { SessionsService } from './sessions.service.js';

/** Answers what other services ask about sessions; any worker does. */
@Controller()
export class SessionsConsumer {
  constructor(
    private readonly sessions: SessionsService,
    private readonly live: LiveService,
    private readonly modes: BotModesService,
  ) {}

  @OnRequest(CreateSession)
  async create(@Payload() request: CreateSessionV1): Promise<SessionReply> {
    return { session: await this.sessions.create(request) };
  }

  @OnRequest(GetSession)
  get(@Payload() request: GetSessionV1): Promise<SessionReply> {
    return this.sessions.getWithRank(request);
  }

  @OnRequest(ListSessions)
  async list(@Payload() request: ListSessionsV1): Promise<SessionsReply> {
    return { sessions: await this.sessions.list(request) };
  }

  @OnRequest(CountSessions)
  count(@Payload() request: TenantRef): Promise<SessionCount> {
    return this.sessions.count(request);
  }

  @OnRequest(UpdateSession)
  async update(@Payload() request: UpdateSessionV1): Promise<SessionReply> {
    return { session: await this.sessions.update(request) };
  }

  @OnRequest(ChangeSession)
  async change(@Payload() request: ChangeSessionV1): Promise<SessionReply> {
    return { session: await this.sessions.change(request) };
  }

  @OnRequest(GetSessionQr)
  qr(@Payload() request: SessionRef): Promise<SessionQr> {
    return this.sessions.qr(request);
  }

  @OnRequest(RequestPairingCode)
  pairingCode(@Payload() request: PhoneRequestV1): Promise<PairingCode> {
    return this.live.pairingCode(request);
  }

  @OnRequest(GetPasskey)
  passkey(@Payload() request: SessionRef): Promise<PasskeyView> {
    return this.live.passkey(request);
  }

  @OnRequest(AnswerPasskey)
  answerPasskey(@Payload() request: AnswerPasskeyV1): Promise<PasskeyView> {
    return this.live.answerPasskey(request);
  }

  @OnRequest(ConfirmPasskey)
  confirmPasskey(@Payload() request: ConfirmPasskeyV1): Promise<PasskeyView> {
    return this.live.confirmPasskey(request);
  }

  @OnRequest(GiveUpPasskey)
  giveUpPasskey(@Payload() request: SessionRef): Promise<Nothing> {
    return this.live.giveUpPasskey(request);
  }

  @OnRequest(LookUpContact)
  lookUp(@Payload() request: PhoneRequestV1): Promise<ContactView> {
    return this.live.lookUp(request);
  }

  @OnRequest(MarkRead)
  markRead(@Payload() request: MarkReadV1): Promise<Nothing> {
    return this.live.markRead(request);
  }

  @OnRequest(RejectCall)
  rejectCall(@Payload() request: RejectCallV1): Promise<Nothing> {
    return this.live.rejectCall(request);
  }

  @OnRequest(SetTyping)
  typing(@Payload() request: TypingV1): Promise<Nothing> {
    return this.live.typing(request);
  }

  @OnRequest(SetBotMode)
  setBotMode(@Payload() request: SetBotModeV1): Promise<SessionReply> {
    return this.modes.set(request);
  }
}
