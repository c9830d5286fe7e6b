import { Type } from 'class-transformer';
import { IsIn, IsISO8601, IsObject, IsOptional, IsString, IsUUID, ValidateNested } from 'class-validator';
import type { Metadata } from '../content/message-details.js';
import { OutboundContent } from '../content/outbound-content.js';
import { defineCommand } from '../contract.js';
import { BOT_MODES, type BotMode, type Sender, SENDERS } from '../enums.js';

/** Data of the `send-message` command. */
export class SendMessageV1 {
  @IsUUID() jobId: string;
  @IsUUID() sessionId: string;
  /** Normalized platform address. */
  @IsString() to: string;
  /** Address that the send named, where `to` is the one that its account had before. */
  @IsOptional() @IsString() requestedTo?: string;
  @ValidateNested() @Type(() => OutboundContent) content: OutboundContent;
  @IsOptional() @IsString() clientMessageId: string | null;
  @IsISO8601() acceptedAt: string;
  /** Metadata that every event of the message repeats. */
  @IsOptional() @IsObject() metadata?: Metadata;
  /**
   * Time up to which the message waits for its session, in domain time, also through a logout; absent: for as long as the worker lets it.
   */
  @IsOptional() @IsISO8601() expiresAt?: string;
  /** Sender of the message, for its events; absent from a gateway of an earlier release. */
  @IsOptional() @IsIn(SENDERS) sentBy?: Sender;
  /** The message fails where its session is in another mode when its turn comes. */
  @IsOptional() @IsIn(BOT_MODES) onlyInMode?: BotMode;
  /** The message fails where the owner has written to the chat on the phone after this time, when its turn comes. */
  @IsOptional() @IsISO8601() unlessWrittenSince?: string;
}

/** Sends one message; the owner of the session's partition consumes it. */
export const SendMessage = defineCommand('send-message', 1, SendMessageV1);
