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
import type { Asked } from './asked.js';
import { GapsRepository } from './gaps.repository.js';
import {
  CHARACTERS_MAX,
  type HeldSources,
  KnowledgeRepository,
  type NewSource,
  storable,
} from './knowledge.repository.js';

/** Hours after which an address is read again, where nobody says. */
const REFRESH_HOURS = 24;

/** Fields of a new source. */
type Content = Pick<NewSource, 'title' | 'text' | 'url' | 'refreshHours'>;

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
    const content = body.url === undefined ? textOf(body) : await this.addressOf(body.url, body);
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

  private async addressOf(
    url: string,
    { title, text, refreshHours = REFRESH_HOURS }: AddKnowledgeBody,
  ): Promise<Content> {
    if (text !== undefined) throw invalidField('text', 'text must be left out where url is given');
    const problem = await this.guard.problemWith(url);
    if (problem) throw invalidField('url', `url ${problem}`);
    return { title: storable(title), text: '', url, refreshHours };
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

function textOf({ title, text, refreshHours }: AddKnowledgeBody): Content {
  if (text === undefined || text.trim() === '')
    throw invalidField('text', 'text must not be empty, or url be given');
  if (refreshHours !== undefined)
    throw invalidField('refreshHours', 'refreshHours must be left out where text is given');
  return { title: storable(title), text: storable(text), url: null, refreshHours: null };
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
