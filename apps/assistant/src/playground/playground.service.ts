import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  AppError,
  invalidField,
  type PlayedAnswer,
  type PlayMessage,
  type PlayV1,
  type PublishedVersion,
} from '@svc/contracts';
import type { Said } from '../answers/prompt.js';
import { SettingsService } from '../settings/settings.service.js';
import { AnswerMaker, type MadeAnswer } from '../turns/answer-maker.js';
import { endOf } from '../turns/answering.service.js';
import { CallRepository } from '../turns/call.repository.js';
import { ChecksService } from '../turns/checks.service.js';
import type { Interruption, Turn } from '../turns/turn.js';
import { PlayRepository } from './play.repository.js';

/** An answer without that which only its end knows. */
type Made = Pick<PlayedAnswer, 'texts' | 'outcome' | 'detail' | 'sources'>;

const NOTHING: Pick<Made, 'texts' | 'sources'> = { texts: [], sources: [] };

/** This service answers conversations that are tried out: as the assistant would, and nothing is sent, kept or noted of them but what they cost. */
@Injectable()
export class PlaygroundService {
  constructor(
    private readonly settings: SettingsService,
    private readonly checks: ChecksService,
    private readonly plays: PlayRepository,
    private readonly maker: AnswerMaker,
    private readonly calls: CallRepository,
  ) {}

  /** @throws AppError `VALIDATION_FAILED` where the contact does not have the last word; `ASSISTANT_CONFLICT` where no version holds. */
  async play(request: PlayV1): Promise<PlayedAnswer> {
    const { messages, published } = request;
    if (messages.at(-1)?.from !== 'contact')
      throw invalidField('messages', 'messages must end with one of the contact');
    const version = await this.versionOf(request);
    const late: Made = { ...NOTHING, outcome: 'PROVIDER_FAILED', detail: 'TIMEOUT' };
    const make = (turn: Turn, signal: AbortSignal) => this.make(turn, version, messages, signal);
    const { made, cost } = await this.plays.during(request, make, late);
    return { ...made, version: published ? version.version : null, ...cost };
  }

  private async versionOf({ tenantId, sessionId, published }: PlayV1): Promise<PublishedVersion> {
    const kept = await this.settings.get({ tenantId, sessionId });
    if (!published) return { version: 0, settings: kept.draft, publishedAt: new Date().toISOString() };
    if (!kept.published) throw new AppError('ASSISTANT_CONFLICT', 'No version is published.');
    return kept.published;
  }

  private async make(
    turn: Turn,
    version: PublishedVersion,
    conversation: PlayMessage[],
    signal: AbortSignal,
  ): Promise<Made> {
    const checked = await this.checks.checkPlay(turn);
    if (checked === 'gone' || !('tier' in checked)) return interrupted(checked);
    const said = conversation.map(saidOf);
    const firstOfTurn = said.findLastIndex(({ isOwn }) => isOwn) + 1;
    const messages = said.slice(firstOfTurn).map(({ id, at, body }) => ({ id, receivedAt: at, body }));
    const past = await this.plays.pastWith(turn.tenantId, firstOfTurn);
    const readSaid = (): Promise<Said[]> => Promise.resolve(said);
    const material = { messages, checked: { ...checked, past }, readSaid };
    const made = await this.maker.make(turn, version, material, signal);
    if (made === 'gone' || !('answer' in made)) return interrupted(made);
    return this.account(turn, made);
  }

  private async account(turn: Turn, { answer, call }: MadeAnswer): Promise<Made> {
    if (call) await this.calls.account(turn, call);
    const { outcome, detail = null } = endOf(answer, turn);
    return { texts: answer.parts, outcome, detail, sources: answer.sources ?? [] };
  }
}

/** Says why there is no answer. What the assistant would try again later is a failure here. */
function interrupted(interruption: Interruption): Made {
  if (interruption !== 'gone' && 'end' in interruption) {
    const { outcome, detail = null } = interruption.end;
    return { ...NOTHING, outcome, detail };
  }
  return { ...NOTHING, outcome: 'PROVIDER_FAILED', detail: 'AWAY' };
}

/** Makes a message of the conversation; each is a little older than the next one. */
function saidOf({ from, text }: PlayMessage, index: number, all: PlayMessage[]): Said {
  const at = new Date(Date.now() - (all.length - index) * 1_000);
  return { id: randomUUID(), isOwn: from === 'business', at, body: { type: 'text', text } };
}
