import { Injectable } from '@nestjs/common';
import {
  type AddKnowledgeBody,
  AppError,
  type DeleteKnowledgeV1,
  invalidField,
  type KnowledgePassage,
  type KnowledgeRef,
  type KnowledgeSourceText,
  type SessionRef,
  SOURCES_MAX,
} from '@svc/contracts';
import { AddressGuard } from '@svc/outbound-http';
import { v7 as uuidv7 } from 'uuid';
import { storable } from '../storable.js';
import type { Asked } from './asked.js';
import { GapsRepository } from './gaps.repository.js';
import {
  CHARACTERS_MAX,
  type HeldSources,
  KnowledgeRepository,
  type NewSource,
} from './knowledge.repository.js';

/** Hours after which an address is read again, where nobody says. */
const REFRESH_HOURS = 24;

/** Fields of a new source. */
type Content = Pick<NewSource, 'title' | 'text' | 'url' | 'refreshHours' | 'mediaId'>;

/** This service keeps what the assistant of a session knows: sources that people have given it, and questions to which none has an answer. */
@Injectable()
export class KnowledgeService {
  constructor(
    private readonly sources: KnowledgeRepository,
    private readonly gaps: GapsRepository,
    private readonly guard: AddressGuard,
  ) {}

  /** @throws AppError `VALIDATION_FAILED` where it is no source, or the session has no room for it. */
  async add(ref: SessionRef, body: AddKnowledgeBody, actor?: string): Promise<KnowledgeSourceText> {
    checkKind(body);
    const content = await this.contentOf(body);
    const source = { ...ref, id: uuidv7(), ...content };
    await this.sources.add(source, actor, (held) => checkRoom(held, source.text.length));
    return this.get(source);
  }

  /** @throws AppError `KNOWLEDGE_NOT_FOUND` */
  async get(ref: KnowledgeRef): Promise<KnowledgeSourceText> {
    const source = await this.sources.find(ref);
    if (!source) throw new AppError('KNOWLEDGE_NOT_FOUND');
    return source;
  }

  /** @throws AppError `KNOWLEDGE_NOT_FOUND` */
  async delete(ref: DeleteKnowledgeV1): Promise<void> {
    if (!(await this.sources.delete(ref))) throw new AppError('KNOWLEDGE_NOT_FOUND');
  }

  private async contentOf(body: AddKnowledgeBody): Promise<Content> {
    const { url, text = '', mediaId = null, refreshHours = REFRESH_HOURS } = body;
    const title = storable(body.title);
    if (url === undefined) return { title, text: storable(text), url: null, mediaId, refreshHours: null };
    const problem = await this.guard.problemWith(url);
    if (problem) throw invalidField('url', `url ${problem}`);
    return { title, text, url, mediaId, refreshHours };
  }

  /** Finds the passages that have to do with a text, the best first. */
  search(ref: SessionRef, text: string): Promise<KnowledgePassage[]> {
    return this.sources.search(ref, text);
  }

  /** Notes a question without an answer, where there are sources that could have one. */
  async noteGap(turn: Asked, question: string): Promise<void> {
    await this.gaps.note(turn, question);
  }

  /** Says whether a session has any source. */
  async hasAny(ref: SessionRef): Promise<boolean> {
    return (await this.sources.count(ref)) > 0;
  }

  /** @throws AppError `KNOWLEDGE_NOT_FOUND` */
  async dismissGap(ref: KnowledgeRef): Promise<void> {
    if (!(await this.gaps.delete(ref))) throw new AppError('KNOWLEDGE_NOT_FOUND');
  }
}

/** Refuses what is no source, or several. @throws AppError `VALIDATION_FAILED` */
function checkKind({ text, url, mediaId, refreshHours }: AddKnowledgeBody): void {
  if (url !== undefined && mediaId !== undefined)
    throw invalidField('mediaId', 'mediaId must be left out where url is given');
  checkText(text, url ?? mediaId);
  if (url === undefined && refreshHours !== undefined)
    throw invalidField('refreshHours', 'refreshHours must be left out where no url is given');
}

function checkText(text: string | undefined, place: string | undefined): void {
  if (place !== undefined && text !== undefined)
    throw invalidField('text', 'text must be left out where url or mediaId is given');
  if (place === undefined && (text === undefined || text.trim() === ''))
    throw invalidField('text', 'text must not be empty, or url or mediaId be given');
}

function checkRoom({ sources, characters }: HeldSources, more: number): void {
  if (sources >= SOURCES_MAX)
    throw invalidField(
      'title',
      `the session has ${SOURCES_MAX} sources, which is all it may have: delete one first`,
    );
  if (characters + more > CHARACTERS_MAX)
    throw invalidField(
      'text',
      `text must leave room: the sources of a session have ${CHARACTERS_MAX} characters at most`,
    );
}
