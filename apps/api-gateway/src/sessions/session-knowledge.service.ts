import { Injectable } from '@nestjs/common';
import {
  AddKnowledge,
  type AddKnowledgeBody,
  DeleteKnowledge,
  DismissGap,
  type FoundKnowledge,
  GetKnowledge,
  invalidField,
  type KnowledgeGap,
  type KnowledgeSource,
  type KnowledgeSourceText,
  ListGaps,
  ListKnowledge,
  type Page,
  type PageQuery,
  SearchKnowledge,
  type SearchKnowledgeBody,
  type SessionRef,
  SOURCE_FILE_MAX,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { actorOf, type Caller } from '../auth/authorization.js';
import { UploadsService } from '../media/uploads.service.js';
import { Cursors, DEFAULT_LIMIT } from '../paging/cursor.js';
import { SessionsService } from './sessions.service.js';

/** This class asks `assistant` for what the assistants of sessions know; whose session it is, `assistant` does not know. */
@Injectable()
export class SessionKnowledgeService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly cursors: Cursors,
    private readonly uploads: UploadsService,
    private readonly rpc: RpcClient,
  ) {}

  async add(caller: Caller, sessionId: string, body: AddKnowledgeBody): Promise<KnowledgeSource> {
    const ref = await this.refOf(caller, sessionId);
    const source = await this.withUpload(caller, body);
    return (await this.rpc.request(AddKnowledge, { ...ref, source, actor: actorOf(caller) })).source;
  }

  async list(
    caller: Caller,
    sessionId: string,
    { limit = DEFAULT_LIMIT, before: cursor }: PageQuery,
  ): Promise<Page<KnowledgeSource>> {
    const ref = await this.refOf(caller, sessionId);
    const list = `knowledge:${ref.tenantId}:${ref.sessionId}`;
    const before = this.cursors.decode(list, cursor);
    const request = { ...ref, limit: limit + 1, ...(before && { before }) };
    const { sources } = await this.rpc.request(ListKnowledge, request);
    return this.cursors.page(list, sources, limit, ({ id }) => id);
  }

  async get(caller: Caller, sessionId: string, id: string): Promise<KnowledgeSourceText> {
    const ref = await this.refOf(caller, sessionId);
    return (await this.rpc.request(GetKnowledge, { ...ref, id })).source;
  }

  async delete(caller: Caller, sessionId: string, id: string): Promise<void> {
    const ref = await this.refOf(caller, sessionId);
    await this.rpc.request(DeleteKnowledge, { ...ref, id, actor: actorOf(caller) });
  }

  async search(caller: Caller, sessionId: string, { query }: SearchKnowledgeBody): Promise<FoundKnowledge> {
    return this.rpc.request(SearchKnowledge, { ...(await this.refOf(caller, sessionId)), query });
  }

  async gaps(
    caller: Caller,
    sessionId: string,
    { limit = DEFAULT_LIMIT, before: cursor }: PageQuery,
  ): Promise<Page<KnowledgeGap>> {
    const ref = await this.refOf(caller, sessionId);
    const list = `gaps:${ref.tenantId}:${ref.sessionId}`;
    const before = this.cursors.decode(list, cursor);
    const request = { ...ref, limit: limit + 1, ...(before && { before }) };
    const { gaps } = await this.rpc.request(ListGaps, request);
    const page = this.cursors.page(list, gaps, limit, ({ place }) => place);
    return { ...page, items: page.items.map(({ place: _, ...gap }) => gap) };
  }

  async dismissGap(caller: Caller, sessionId: string, id: string): Promise<void> {
    await this.rpc.request(DismissGap, { ...(await this.refOf(caller, sessionId)), id });
  }

  /** Looks up the file of a source, which `assistant` reads by its id: it does not know whose it is. */
  private async withUpload({ tenantId }: Caller, body: AddKnowledgeBody): Promise<AddKnowledgeBody> {
    if (body.mediaId === undefined) return body;
    const upload = await this.uploads.find(tenantId, body.mediaId, 0);
    if (!upload) throw invalidField('mediaId', 'mediaId must be the id of an upload of the last 30 days');
    if (upload.size > SOURCE_FILE_MAX)
      throw invalidField('mediaId', `mediaId must be a file of ${SOURCE_FILE_MAX} bytes at most`);
    return { ...body, mediaId: upload.id };
  }

  private async refOf({ tenantId }: Caller, sessionId: string): Promise<SessionRef> {
    const { id } = await this.sessions.owned(tenantId, sessionId);
    return { tenantId, sessionId: id };
  }
}
