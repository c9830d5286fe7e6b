import { Injectable } from '@nestjs/common';
import type { AssistantMode, AssistantSettings, HandoffReason, PublishedVersion } from '@svc/contracts';
import { log } from '@svc/service';
import { HistoryService } from './history.service.js';
import { ConversationsService } from '../conversations/conversations.service.js';
import { DraftRepository } from '../drafts/draft.repository.js';
import { modeFor, weakerOf } from '../settings/mode.js';
import { SettingsService } from '../settings/settings.service.js';
import { AnswerMaker, CLOSED, type MadeAnswer } from './answer-maker.js';
import { CallRepository } from './call.repository.js';
import { ChecksService } from './checks.service.js';
import { ModelCallsService } from './model-calls.service.js';
import { SendingService } from './sending.service.js';
import { atStep } from './steps.js';
import type { Answer, Interruption, Turn, TurnEnd } from './turn.js';
import { TurnRepository } from './turn.repository.js';

/** Wait before a turn is tried again that another service has not let through. */
const TRY_AGAIN_MS = 2_000;
/** Reasons after which the assistant goes on by itself in a while. */
const PAUSES: HandoffReason[] = ['PROVIDER_FAILED', 'LOOP', 'NO_SOURCE'];

/** This service carries a turn from its claim to its end, or gives it back. docs/architecture.md names the steps. */
@Injectable()
export class AnsweringService {
  constructor(
    private readonly turns: TurnRepository,
    private readonly calls: CallRepository,
    private readonly checks: ChecksService,
    private readonly settings: SettingsService,
    private readonly conversations: ConversationsService,
    private readonly history: HistoryService,
    private readonly modelCalls: ModelCallsService,
    private readonly maker: AnswerMaker,
    private readonly sending: SendingService,
    private readonly drafts: DraftRepository,
  ) {}

  /** Carries a turn on. What fails for now is tried again, for as long as its messages may be answered. */
  async carryOn(claimed: Turn, signal: AbortSignal): Promise<void> {
    let turn = claimed;
    const run = async (): Promise<Interruption> => {
      const published = await this.settings.published(claimed);
      if (!published) return { end: { outcome: 'OFF' } };
      turn = { ...claimed, mode: modeOf(claimed, published.settings) };
      return this.run(turn, published, signal);
    };
    const interruption = await run().catch((error: unknown) => {
      if (signal.aborted) return { waitMs: 0 };
      const { id, sessionId, tenantId } = turn;
      log().warn({ turn: id, sessionId, tenantId, err: error }, 'turn waits');
      return { waitMs: TRY_AGAIN_MS };
    });
    if (interruption === 'gone') return;
    if ('waitMs' in interruption) return this.turns.wait(turn, interruption.waitMs);
    await this.turns.end(turn, interruption.end);
    atStep('a-7');
  }

  private async run(turn: Turn, published: PublishedVersion, signal: AbortSignal): Promise<Interruption> {
    const { settings } = published;
    if (Date.now() - turn.newestAt.getTime() > settings.answerWithinMs)
      return { end: { outcome: 'TOO_LATE' } };
    const answer = writtenAnswer(turn) ?? (await this.answer(turn, published, signal));
    if (answer === 'gone' || !('parts' in answer)) return answer;
    if (turn.mode === 'off' || turn.mode === 'shadow') return { end: { outcome: 'SHADOWED' } };
    const interruption = await this.bringOut(turn, answer, settings, signal);
    if (interruption) return interruption;
    if (answer.handoff) await this.leaveToPerson(turn, answer.handoff, settings);
    return { end: endOf(answer, turn) };
  }

  /** Sends an answer, or keeps it for a person to approve. */
  private async bringOut(
    turn: Turn,
    answer: Answer,
    settings: AssistantSettings,
    signal: AbortSignal,
  ): Promise<Interruption | undefined> {
    if (turn.mode !== 'draft') return this.sending.send(turn, answer, settings, signal);
    // The rest of an answer would make no sense alone, where a part was sent before the mode changed.
    if (answer.parts.length > 0 && turn.sent === 0) await this.drafts.keep(turn, answer.parts.join('\n\n'));
    return undefined;
  }

  /** Makes the answer of a turn and writes it. */
  private async answer(
    turn: Turn,
    published: PublishedVersion,
    signal: AbortSignal,
  ): Promise<Answer | Interruption> {
    await this.modelCalls.settleLeft(turn);
    const checked = await this.checks.check(turn, published.settings);
    if (checked === 'gone' || !('tier' in checked)) return checked;
    atStep('a-3');
    const { settings } = published;
    const messages = await this.turns.messagesOf(turn);
    const readSaid = () => this.history.of(turn, messages, settings);
    const made = await this.maker.make(turn, published, { messages, checked, readSaid }, signal);
    return made === 'gone' || !('answer' in made) ? made : this.write(turn, made, settings);
  }

  /** Writes an answer, with what it cost. Where messages have come meanwhile, the turn is answered again. */
  private async write(
    turn: Turn,
    { answer, call }: MadeAnswer,
    { debounceMs }: AssistantSettings,
  ): Promise<Answer | Interruption> {
    if (!call) return (await this.calls.writeOwn(turn, answer)) ? answer : { waitMs: debounceMs };
    const fate = await this.calls.answer(turn, call, answer, debounceMs);
    if (fate !== 'accepted') return 'gone';
    atStep('a-5');
    return answer;
  }

  /** A person who was asked for keeps the conversation until somebody resumes it; where only a machine failed or knew nothing, it is tried again later. */
  private leaveToPerson(
    turn: Turn,
    reason: HandoffReason,
    { humanPauseMinutes }: AssistantSettings,
  ): Promise<void> {
    const isPaused = PAUSES.includes(reason);
    return this.conversations.handOver(turn, reason, isPaused ? humanPauseMinutes : 0);
  }
}

/** Reads the answer that was written before, by this process or by one that has ended. */
function writtenAnswer({ state, parts, version, handoff, detail }: Turn): Answer | undefined {
  if (state !== 'ANSWERED' || parts === null || version === null) return undefined;
  return { parts, version, handoff, detail };
}

/** Says which mode holds for a turn: that of its contact; of one that has its answer not more than held when that was made. */
function modeOf({ chat, state, mode }: Turn, settings: AssistantSettings): AssistantMode {
  const now = modeFor(chat, settings);
  return state === 'ANSWERED' && mode ? weakerOf(mode, now) : now;
}

/** Says how a turn ends with an answer. */
export function endOf({ handoff, detail }: Answer, { mode }: Pick<Turn, 'mode'>): TurnEnd {
  if (detail === CLOSED) return { outcome: CLOSED };
  if (handoff === 'PROVIDER_FAILED') return { outcome: 'PROVIDER_FAILED', detail };
  if (handoff) return { outcome: 'HANDED_OFF', detail: handoff };
  return { outcome: mode === 'draft' ? 'DRAFTED' : 'ANSWERED', detail: null };
}
