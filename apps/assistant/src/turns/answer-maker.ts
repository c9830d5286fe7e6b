import { Injectable } from '@nestjs/common';
import type { AssistantSettings, HandoffReason, KnowledgePassage, PublishedVersion } from '@svc/contracts';
import { type ChatFiles, promptOf, type Said, textOf } from '../answers/prompt.js';
import { TypingService } from '../answers/typing.service.js';
import { ChatFilesService } from '../files/chat-files.service.js';
import { KnowledgeService } from '../knowledge/knowledge.service.js';
import { ProvidersService } from '../providers/providers.service.js';
import { isOpen } from '../settings/hours.js';
import { ApprovalRequests } from '../tools/approval-requests.repository.js';
import { messagesOf } from '../tools/decided-calls.js';
import { ToolsService } from '../tools/tools.service.js';
import { answerOf } from './answer-of.js';
import type { AnsweredCall } from './call.repository.js';
import type { Checked } from './checks.service.js';
import { asksForPerson } from './handoff-words.js';
import type { CallOutcome } from './model-calls.service.js';
import { RoundsService } from './rounds.service.js';
import type { Answer, Interruption, Past, Turn, TurnEnd, TurnMessage } from './turn.js';

/** Answers to one contact in ten minutes after which both are taken for machines. A person who writes reads for longer. */
const LOOP_ANSWERS = 20;
/** Detail of an answer that is given outside of the hours. */
export const CLOSED = 'OUTSIDE_HOURS';
/** Wait of a turn for the room that its pictures take. */
const ROOM_MS = 1_000;
/** Longest question that is searched for, in characters. */
const QUESTION_MAX = 4_000;

/** Material of an answer: what was said, and who may be answered how. */
export interface Material {
  /** Messages of the turn, oldest first; none where it tells what came of a call that a person has approved. */
  messages: TurnMessage[];
  checked: Checked;
  /** Reads what was said before and in the turn; it is asked for where a model is. */
  readSaid: () => Promise<Said[] | { end: TurnEnd }>;
}

/** An answer that is not written yet, and the last call of a model for it; none: the settings have it. */
export interface MadeAnswer {
  answer: Answer;
  call?: AnsweredCall;
}

/** An answer of the settings, in place of one of a model. */
interface OwnAnswer extends Partial<Pick<Answer, 'handoff' | 'detail'>> {
  /** Text that the contact reads; empty: nothing. */
  text: string;
}

/** This class makes the answer of a turn: of the settings, of what is known, or of a model. It writes and sends nothing. */
@Injectable()
export class AnswerMaker {
  constructor(
    private readonly providers: ProvidersService,
    private readonly knowledge: KnowledgeService,
    private readonly rounds: RoundsService,
    private readonly tools: ToolsService,
    private readonly approvals: ApprovalRequests,
    private readonly typing: TypingService,
    private readonly files: ChatFilesService,
  ) {}

  async make(
    turn: Turn,
    published: PublishedVersion,
    material: Material,
    signal: AbortSignal,
  ): Promise<MadeAnswer | Interruption> {
    const { settings } = published;
    const { messages, checked } = material;
    const own = ownAnswer(messages, settings, checked.past);
    if (own) return ofSettings(published, own);
    const passages = await this.passagesFor(turn, messages, settings);
    if (!passages) return ofSettings(published, { text: settings.handoffText, handoff: 'NO_SOURCE' });
    const outcome = await this.askModel(turn, passages, settings, material, signal);
    if (outcome === 'gone') return outcome;
    if ('failed' in outcome)
      return ofSettings(published, {
        ...{ text: settings.handoffText, handoff: 'PROVIDER_FAILED', detail: outcome.failed },
      });
    if (!('call' in outcome)) return outcome;
    const sources = [...new Set(passages.map(({ sourceId }) => sourceId))];
    const answer = { ...answerOf(outcome.answer, published, checked, turn.mode), sources };
    return { answer, call: outcome.call };
  }

  private async askModel(
    turn: Turn,
    passages: KnowledgePassage[],
    settings: AssistantSettings,
    { messages: asked, checked: { subscription, isSandbox }, readSaid }: Material,
    signal: AbortSignal,
  ): Promise<CallOutcome> {
    const access = await this.providers.accessOf(turn.tenantId, settings.model, isSandbox);
    if (!access) return { end: { outcome: 'NOT_CONFIGURED' } };
    const said = await readSaid();
    if ('end' in said) return said;
    const isModel = access.kind === 'openai';
    const decided = isModel ? await this.approvals.takeDecided(turn) : [];
    if (asked.length === 0 && decided.length === 0) return { end: { outcome: 'TOO_LATE' } };
    const tools = await this.tools.ofNames(turn.tenantId, isModel ? settings.tools : []);
    const files = await this.files.open(turn.tenantId, said, settings, isModel);
    if (!files) return { waitMs: ROOM_MS };
    const ask = (read: ChatFiles): Promise<CallOutcome> => {
      const messages = [...promptOf(settings, said, passages, read), ...messagesOf(decided)];
      const question = { access, messages, maxTokens: settings.maxAnswerTokens };
      return this.rounds.ask(turn, question, tools, subscription, signal);
    };
    try {
      const answered = ask(files).then((outcome) =>
        files.pictures.size > 0 && isRefused(outcome) ? ask({ ...files, pictures: new Map() }) : outcome,
      );
      return await (settings.typing && turn.mode === 'auto' ? this.typing.during(turn, answered) : answered);
    } finally {
      files.close();
    }
  }

  /** Finds what is known of what the contact has written. @returns undefined where nothing is, and only sources may answer. */
  private async passagesFor(
    turn: Turn,
    messages: TurnMessage[],
    settings: AssistantSettings,
  ): Promise<KnowledgePassage[] | undefined> {
    if (messages.length === 0) return [];
    const question = questionOf(messages);
    const passages = await this.knowledge.search(turn, question);
    if (turn.purpose === 'answer') await this.noteGap(turn, question, passages, settings);
    return passages.length === 0 && settings.onlyFromSources ? undefined : passages;
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
}

/** Says whether a question was refused for what it is, as one with a broken picture, or to a model that takes none. */
const isRefused = (outcome: CallOutcome): boolean =>
  outcome !== 'gone' && 'failed' in outcome && /^HTTP_4(00|13|15|22)$/.test(outcome.failed);

function ofSettings(
  { version }: PublishedVersion,
  { text, handoff = null, detail = null }: OwnAnswer,
): MadeAnswer {
  return { answer: { parts: text === '' ? [] : [text], version, handoff, detail } };
}

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
  if (lately >= LOOP_ANSWERS) return { text: '', handoff: 'LOOP' satisfies HandoffReason };
  if (asksForPerson(messages, handoffWords)) return { text: handoffText, handoff: 'CONTACT_ASKED' };
  // A turn without a message tells what a person of the business has just approved.
  if (messages.length === 0 || isOpen(hours, now)) return undefined;
  return { text: away === 0 ? awayText : '', detail: CLOSED };
}
