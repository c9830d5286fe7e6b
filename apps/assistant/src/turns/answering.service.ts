import { Injectable } from '@nestjs/common';
import type {
  AssistantMode,
  AssistantSettings,
  HandoffReason,
  KnowledgePassage,
  PublishedVersion,
} from '@svc/contracts';
import { log } from '@svc/service';
import { HistoryService } from './history.service.js';
import { promptOf, textOf } from '../answers/prompt.js';
import { TypingService } from '../answers/typing.service.js';
import { ConversationsService } from '../conversations/conversations.service.js';
import { DraftRepository } from '../drafts/draft.repository.js';
import { KnowledgeService } from '../knowledge/knowledge.service.js';
import { ProvidersService } from '../providers/providers.service.js';
import { isOpen } from '../settings/hours.js';
import { modeFor, weakerOf } from '../settings/mode.js';
import { SettingsService } from '../settings/settings.service.js';
import { ToolRepository } from '../tools/tool.repository.js';
import { answerOf } from './answer-of.js';
import { CallRepository } from './call.repository.js';
import { type Checked, ChecksService } from './checks.service.js';
import { asksForPerson } from './handoff-words.js';
import { type CallOutcome, ModelCallsService } from './model-calls.service.js';
import { RoundsService } from './rounds.service.js';
import { SendingService } from './sending.service.js';
import { atStep } from './steps.js';
import type { Answer, Interruption, Past, Turn, TurnEnd, TurnMessage } from './turn.js';
import { TurnRepository } from './turn.repository.js';

/** Wait before a turn is tried again that another service has not let through. */
const TRY_AGAIN_MS = 2_000;
/** Answers to one contact in ten minutes after which both are taken for machines. A person who writes reads for longer. */
const LOOP_ANSWERS = 20;
const CLOSED = 'OUTSIDE_HOURS';
/** Reasons after which the assistant goes on by itself in a while. */
const PAUSES: HandoffReason[] = ['PROVIDER_FAILED', 'LOOP', 'NO_SOURCE'];

/** An answer of the settings, in place of one of a model. */
interface OwnAnswer extends Partial<Pick<Answer, 'handoff' | 'detail'>> {
  /** Text that the contact reads; empty: nothing. */
  text: string;
}

/** This service carries a turn from its claim to its end, or gives it back. docs/architecture.md names the steps. */
@Injectable()
export class AnsweringService {
  constructor(
    private readonly turns: TurnRepository,
    private readonly calls: CallRepository,
    private readonly checks: ChecksService,
    private readonly settings: SettingsService,
    private readonly providers: ProvidersService,
    private readonly conversations: ConversationsService,
    private readonly history: HistoryService,
    private readonly knowledge: KnowledgeService,
    private readonly modelCalls: ModelCallsService,
    private readonly rounds: RoundsService,
    private readonly tools: ToolRepository,
    private readonly sending: SendingService,
    private readonly drafts: DraftRepository,
    private readonly typing: TypingService,
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
    const messages = await this.turns.messagesOf(turn);
    const { settings } = published;
    const own = ownAnswer(messages, settings, checked.past);
    if (own) return this.writeOwn(turn, published, own);
    const question = questionOf(messages);
    const passages = await this.knowledge.search(turn, question);
    await this.noteGap(turn, question, passages, settings);
    if (passages.length === 0 && settings.onlyFromSources)
      return this.writeOwn(turn, published, { text: settings.handoffText, handoff: 'NO_SOURCE' });
    const outcome = await this.askModel(turn, { messages, passages }, settings, checked, signal);
    if (outcome === 'gone') return outcome;
    if ('failed' in outcome)
      return this.writeOwn(turn, published, {
        ...{ text: settings.handoffText, handoff: 'PROVIDER_FAILED', detail: outcome.failed },
      });
    if (!('call' in outcome)) return outcome;
    const sources = [...new Set(passages.map(({ sourceId }) => sourceId))];
    const answer = { ...answerOf(outcome.answer, published, checked, turn.mode), sources };
    const fate = await this.calls.answer(turn, outcome.call, answer, settings.debounceMs);
    if (fate !== 'accepted') return 'gone';
    atStep('a-5');
    return answer;
  }

  private async askModel(
    turn: Turn,
    { messages, passages }: { messages: TurnMessage[]; passages: KnowledgePassage[] },
    settings: AssistantSettings,
    { subscription, isSandbox }: Checked,
    signal: AbortSignal,
  ): Promise<CallOutcome> {
    const access = await this.providers.accessOf(turn.tenantId, settings.model, isSandbox);
    if (!access) return { end: { outcome: 'NOT_CONFIGURED' } };
    const said = await this.history.of(turn, messages, settings);
    if ('end' in said) return said;
    const question = {
      access,
      messages: promptOf(settings, said, passages),
      maxTokens: settings.maxAnswerTokens,
    };
    const tools = await this.tools.ofNames(turn.tenantId, access.kind === 'openai' ? settings.tools : []);
    const asked = this.rounds.ask(turn, question, tools, subscription, signal);
    return settings.typing && turn.mode === 'auto' ? this.typing.during(turn, asked) : asked;
  }

  /** Writes an answer of the settings. */
  private async writeOwn(
    turn: Turn,
    { settings: { debounceMs }, version }: PublishedVersion,
    { text, handoff = null, detail = null }: OwnAnswer,
  ): Promise<Answer | Interruption> {
    const answer = { parts: text === '' ? [] : [text], version, handoff, detail };
    return (await this.calls.writeOwn(turn, answer)) ? answer : { waitMs: debounceMs };
  }

  /** Notes what no source has an answer to, where the session has sources or answers only from them. */
  private async noteGap(
    turn: Turn,
    question: string,
    passages: KnowledgePassage[],
    { onlyFromSources }: AssistantSettings,
  ): Promise<void> {
    if (passages.length > 0) return;
    if (onlyFromSources || (await this.knowledge.hasAny(turn))) await this.knowledge.noteGap(turn, question);
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

/** Longest question that is searched for, in characters. */
const QUESTION_MAX = 4_000;

/** Puts what the contact has written into one question: texts and what stands below pictures, and no words for what they are. */
const questionOf = (messages: TurnMessage[]): string =>
  messages
    .map(({ body }) => (body.type === 'text' ? textOf(body) : (body.caption ?? body.transcript ?? '')))
    .join('\n')
    .slice(-QUESTION_MAX);

/** Says what the contact reads without that a model is asked; undefined where one is. */
function ownAnswer(
  messages: TurnMessage[],
  { handoffText, handoffWords, hours, awayText }: AssistantSettings,
  { lately, away, now }: Past,
): OwnAnswer | undefined {
  if (lately >= LOOP_ANSWERS) return { text: '', handoff: 'LOOP' };
  if (asksForPerson(messages, handoffWords)) return { text: handoffText, handoff: 'CONTACT_ASKED' };
  if (isOpen(hours, now)) return undefined;
  return { text: away === 0 ? awayText : '', detail: CLOSED };
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

function endOf({ handoff, detail }: Answer, { mode }: Turn): TurnEnd {
  if (detail === CLOSED) return { outcome: CLOSED };
  if (handoff === 'PROVIDER_FAILED') return { outcome: 'PROVIDER_FAILED', detail };
  if (handoff) return { outcome: 'HANDED_OFF', detail: handoff };
  return { outcome: mode === 'draft' ? 'DRAFTED' : 'ANSWERED', detail: null };
}
