import { Injectable } from '@nestjs/common';
import type {
  AssistantSettings,
  Envelope,
  MessageReceivedV1,
  OutboundMessageV1,
  SessionModeChangedV1,
} from '@svc/contracts';
import { type ConversationRef, ConversationsService } from '../conversations/conversations.service.js';
import { DraftRepository } from '../drafts/draft.repository.js';
import { ErasuresService } from '../deletions/erasures.service.js';
import { SettingsService } from '../settings/settings.service.js';
import { atStep } from '../turns/steps.js';
import { TurnRepository } from '../turns/turn.repository.js';
import { TurnRunner } from '../turns/turn-runner.js';
import { PhoneTextRepository } from './phone-text.repository.js';

/** Kinds of messages that ask for no answer. */
const SILENT_TYPES = ['reaction'];
const CHATS_WITHOUT_ANSWER = /@(newsletter|broadcast)$/;

/** This service takes inbound messages: each joins a turn, and one that a person wrote on the phone leaves the conversation to that person. */
@Injectable()
export class InboundService {
  constructor(
    private readonly settings: SettingsService,
    private readonly turns: TurnRepository,
    private readonly conversations: ConversationsService,
    private readonly drafts: DraftRepository,
    private readonly erasures: ErasuresService,
    private readonly phoneTexts: PhoneTextRepository,
    private readonly runner: TurnRunner,
  ) {}

  async take({ tenantId, data }: Envelope<MessageReceivedV1>): Promise<void> {
    const { sessionId } = data;
    const published = await this.settings.published({ tenantId, sessionId });
    if (!published || published.settings.mode === 'off') return;
    const { settings } = published;
    // Events of before the service was there, or of an outage: whoever wrote that waits for no answer any more.
    if (ageOf(data) > settings.answerWithinMs) return;
    const conversation = { tenantId, sessionId, chat: chatOf(data) };
    if (data.fromMe) return data.change ? undefined : this.takeOwn(conversation, data, settings);
    if (!asksForAnswer(data, settings)) return;
    const turn = await this.turns.take(tenantId, data, settings);
    atStep('a-1');
    if (turn) this.runner.wake(turn.id, turn.dueInMs);
  }

  /**
   * Leaves a conversation to a member who has written in it by hand; a draft that was approved, and what software sends, such as a notice, change
   * nothing.
   */
  async noteSent({
    tenantId,
    data: { sessionId, to, sentBy, jobId, timestamp },
  }: Envelope<OutboundMessageV1>): Promise<void> {
    if (sentBy !== 'MEMBER' || (await this.drafts.isDrafted(jobId))) return;
    const published = await this.settings.published({ tenantId, sessionId });
    if (published && published.settings.mode !== 'off')
      await this.leaveToPerson({ tenantId, sessionId, chat: to }, timestamp, published.settings);
  }

  /** Ends what is being answered once somebody else answers; the worker lets nothing out that comes later. */
  async noteMode({ tenantId, data: { sessionId, botMode } }: Envelope<SessionModeChangedV1>): Promise<void> {
    if (botMode === 'MANAGED') return;
    await this.turns.endAll(tenantId, sessionId, 'NOT_MANAGED');
    await this.drafts.overtake({ tenantId, sessionId });
    this.runner.abandon(sessionId);
  }

  /** Takes what was sent from the phone: by a person, who has the conversation from then on, or by the app on it. */
  private async takeOwn(
    conversation: ConversationRef,
    data: MessageReceivedV1,
    settings: AssistantSettings,
  ): Promise<void> {
    if (settings.ignoreAutoReplies && (await this.phoneTexts.isAutomatic(conversation, data)))
      return this.turns.passOver(conversation, data.messageId, data.receivedAt ?? data.timestamp);
    return this.leaveToPerson(conversation, data.timestamp, settings);
  }

  private async leaveToPerson(
    conversation: ConversationRef,
    at: string,
    { humanPauseMinutes }: AssistantSettings,
  ): Promise<void> {
    if (await this.erasures.isErased(conversation.tenantId, conversation.chat, at)) return;
    await this.drafts.overtake(conversation);
    await this.conversations.handOver(conversation, 'HUMAN_WROTE', humanPauseMinutes);
  }
}

const chatOf = ({ chatId, remoteJid }: MessageReceivedV1): string => chatId ?? remoteJid;

/** Computes the age by the clock that says the older one: the platform delivers late what was written while the number was away. */
function ageOf({ receivedAt, timestamp }: MessageReceivedV1): number {
  const times = [receivedAt ?? timestamp, timestamp].map((text) => Date.parse(text));
  return Date.now() - Math.min(...times);
}

function asksForAnswer(data: MessageReceivedV1, { groups }: AssistantSettings): boolean {
  if (data.change || SILENT_TYPES.includes(data.body.type)) return false;
  if (CHATS_WITHOUT_ANSWER.test(chatOf(data))) return false;
  return !data.isGroup || (groups && data.mentionsMe === true);
}
