import { Injectable } from '@nestjs/common';
import {
  type AddKnowledgeBody,
  AppError,
  invalidField,
  type KnowledgePassage,
  type KnowledgeRef,
  type KnowledgeSourceText,
  type SessionRef,
  SOURCES_MAX,
} from '@svc/contracts';
import { v7 as uuidv7 } from 'uuid';
import type { Asked } from './asked.js';
import { GapsRepository } from './gaps.repository.js';
import { type HeldSources, KnowledgeRepository } from './knowledge.repository.js';

/** Most characters of all sources of a session. */
const CHARACTERS_MAX = 1_000_000;

/** This service keeps what the assistant of a session knows: sources that people have given it, and questions to which none has an answer. */
@Injectable()
export class KnowledgeService {
  constructor(
    private readonly sources: KnowledgeRepository,
    private readonly gaps: GapsRepository,
  ) {}

  /** @throws AppError `VALIDATION_FAILED` where it is no source, or the session has no room for it. */
  async add(ref: SessionRef, { title, text }: AddKnowledgeBody): Promise<KnowledgeSourceText> {
    if (text === undefined || text.trim() === '') throw invalidField('text', 'text must not be empty');
    if (title === undefined) throw invalidField('title', 'title must be given');
    const source = { ...ref, id: uuidv7(), title, text: storable(text), url: null, refreshHours: null };
    await this.sources.add({ ...source, title: storable(title) }, (held) =>
      checkRoom(held, source.text.length),
    );
    return this.get(source);
  }

  /** @throws AppError `KNOWLEDGE_NOT_FOUND` */
  async get(ref: KnowledgeRef): Promise<KnowledgeSourceText> {
    const source = await this.sources.find(ref);
    if (!source) throw new AppError('KNOWLEDGE_NOT_FOUND');
    return source;
  }

  /** @throws AppError `KNOWLEDGE_NOT_FOUND` */
  async delete(ref: KnowledgeRef): Promise<void> {
    if (!(await this.sources.delete(ref))) throw new AppError('KNOWLEDGE_NOT_FOUND');
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

/** A text column takes neither the character 0 nor half a sign. */
const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed();
