import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import {
  type AssistantFigures,
  AssistantSettings,
  type AssistantSettingsReply,
  DemandEvals,
  type DemandEvalsBody,
  type EvalsRunBody,
  type FiguresQuery,
  GetAssistantSettings,
  GetFigures,
  Judge,
  type JudgeBody,
  type Judgement,
  ListTurns,
  NoteEvalsRun,
  type Page,
  type PageQuery,
  Play,
  PLAY_WITHIN_MS,
  type PlayBody,
  type PlayedAnswer,
  PublishAssistantSettings,
  type PublishAssistantBody,
  type PublishedSettings,
  type PublishedVersion,
  type PutSessionAssistantBody,
  type SessionAssistant,
  type SessionRef,
  SetAssistantSettings,
  type TurnView,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { Answerers } from '../assistant/answerers.service.js';
import { actorOf, type Caller } from '../auth/authorization.js';
import { Cursors, DEFAULT_LIMIT } from '../paging/cursor.js';
import { SessionsService } from './sessions.service.js';

const DEFAULTS: object = new AssistantSettings();

/** This class asks `assistant` for the settings of sessions; whose session it is, `assistant` does not know. */
@Injectable()
export class SessionAssistantService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly answerers: Answerers,
    private readonly cursors: Cursors,
    private readonly rpc: RpcClient,
  ) {}

  async get(caller: Caller, sessionId: string): Promise<SessionAssistant> {
    return viewOf(await this.rpc.request(GetAssistantSettings, await this.refOf(caller, sessionId)));
  }

  async put(caller: Caller, sessionId: string, body: PutSessionAssistantBody): Promise<SessionAssistant> {
    const ref = await this.refOf(caller, sessionId);
    return viewOf(await this.rpc.request(SetAssistantSettings, { ...ref, ...body }));
  }

  async publish(caller: Caller, sessionId: string, body: PublishAssistantBody): Promise<SessionAssistant> {
    return viewOf(await this.publishOf(caller, await this.refOf(caller, sessionId), body));
  }

  async turns(
    caller: Caller,
    sessionId: string,
    { limit = DEFAULT_LIMIT, before: cursor }: PageQuery,
  ): Promise<Page<TurnView>> {
    const ref = await this.refOf(caller, sessionId);
    const list = `turns:${ref.tenantId}:${ref.sessionId}`;
    const before = this.cursors.decode(list, cursor);
    const request = { ...ref, limit: limit + 1, ...(before && { before }) };
    const { turns } = await this.rpc.request(ListTurns, request);
    const page = this.cursors.page(list, turns, limit, ({ place }) => place);
    return { ...page, items: page.items.map(({ place: _, ...turn }) => turn) };
  }

  async play(caller: Caller, sessionId: string, body: PlayBody): Promise<PlayedAnswer> {
    const { messages, published = false } = body;
    const request = { ...(await this.refOf(caller, sessionId)), messages, published };
    return this.rpc.request(Play, request, PLAY_WITHIN_MS);
  }

  async judge(caller: Caller, sessionId: string, body: JudgeBody): Promise<Judgement> {
    return this.rpc.request(Judge, { ...(await this.refOf(caller, sessionId)), ...body }, PLAY_WITHIN_MS);
  }

  async demandEvals(caller: Caller, sessionId: string, body: DemandEvalsBody): Promise<SessionAssistant> {
    const request = { ...(await this.refOf(caller, sessionId)), ...body, actor: actorOf(caller) };
    return viewOf(await this.rpc.request(DemandEvals, request));
  }

  async noteEvalsRun(caller: Caller, sessionId: string, run: EvalsRunBody): Promise<SessionAssistant> {
    return viewOf(await this.rpc.request(NoteEvalsRun, { ...(await this.refOf(caller, sessionId)), run }));
  }

  async figures(caller: Caller, sessionId: string, { days = 7 }: FiguresQuery): Promise<AssistantFigures> {
    return this.rpc.request(GetFigures, { ...(await this.refOf(caller, sessionId)), days });
  }

  /** Switches the assistant of a new session on, with the defaults of everything else. */
  async switchOn(caller: Caller, sessionId: string): Promise<void> {
    const ref = { tenantId: caller.tenantId, sessionId };
    const settings = Object.assign(new AssistantSettings(), { mode: 'auto' });
    await this.rpc.request(SetAssistantSettings, { ...ref, settings });
    await this.publishOf(caller, ref, {});
  }

  /** Publishes settings; whoever reads the session at the next moment sees who answers it. */
  private async publishOf(
    caller: Caller,
    ref: SessionRef,
    body: PublishAssistantBody,
  ): Promise<AssistantSettingsReply> {
    const request = { ...ref, ...body, actor: actorOf(caller) };
    const reply = await this.rpc.request(PublishAssistantSettings, request);
    const { publication, settings } = reply.published ?? {};
    if (publication && settings) await this.answerers.note({ ...ref, mode: settings.mode, publication });
    return reply;
  }

  private async refOf({ tenantId }: Caller, sessionId: string): Promise<SessionRef> {
    const { id } = await this.sessions.owned(tenantId, sessionId);
    return { tenantId, sessionId: id };
  }
}

function viewOf(reply: AssistantSettingsReply): SessionAssistant {
  const { draft, revision, published, evalsDemanded = false, evals = null } = reply;
  return {
    ...{ draft, draftDefaults: defaultsIn(draft), revision },
    published: published ? publishedViewOf(published) : null,
    ...{ evalsDemanded, evals },
  };
}

function publishedViewOf({ version, settings, publishedAt }: PublishedVersion): PublishedSettings {
  return { version, settings, defaults: defaultsIn(settings), publishedAt };
}

/** Lists the fields of settings that have their default. */
function defaultsIn(settings: AssistantSettings): string[] {
  const values = settings as unknown as Record<string, unknown>;
  return Object.entries(DEFAULTS)
    .filter(([name, value]) => isDeepStrictEqual(values[name], value))
    .map(([name]) => name);
}
