import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  ChangeSession,
  ChangeSessionV1,
  CreateSession,
  CreateSessionV1,
  GetSession,
  GetSessionQr,
  ListSessions,
  ListSessionsV1,
  type SessionQr,
  SessionRef,
  type SessionReply,
  type SessionsReply,
  SetBotMode,
  SetBotModeV1,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { SessionsService } from './sessions.service.js';

/** What other services may ask about sessions; any worker answers. */
@Controller()
export class SessionsConsumer {
  constructor(private readonly sessions: SessionsService) {}

  @OnRequest(CreateSession)
  async create(@Payload() request: CreateSessionV1): Promise<SessionReply> {
    return { session: await this.sessions.create(request) };
  }

  @OnRequest(GetSession)
  async get(@Payload() request: SessionRef): Promise<SessionReply> {
    return { session: await this.sessions.get(request) };
  }

  @OnRequest(ListSessions)
  async list(@Payload() request: ListSessionsV1): Promise<SessionsReply> {
    return { sessions: await this.sessions.list(request) };
  }

  @OnRequest(ChangeSession)
  async change(@Payload() request: ChangeSessionV1): Promise<SessionReply> {
    return { session: await this.sessions.change(request) };
  }

  @OnRequest(GetSessionQr)
  qr(@Payload() request: SessionRef): Promise<SessionQr> {
    return this.sessions.qr(request);
  }

  @OnRequest(SetBotMode)
  async setBotMode(@Payload() request: SetBotModeV1): Promise<SessionReply> {
    return { session: await this.sessions.setBotMode(request) };
  }
}
