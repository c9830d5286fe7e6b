import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  IsUUID,
  ValidateNested,
} from 'class-validator';
import { defineRequest } from '../../contract.js';

/** The names of a message of the gateway on the platform and in the worker. */
export class MessagePlace {
  @IsUUID() messageId: string;
  @IsUUID() sessionId: string;
  @IsString() keyId: string;
}

/** Request of `erase-contact`: may come again and again, until it is done. */
export class EraseContactV1 {
  @IsUUID() erasureId: string;
  @IsUUID() tenantId: string;
  /** Normalized address. */
  @IsString() contact: string;
  /** Time from which on messages of the contact are not erased. */
  @IsISO8601() before: string;
  /** Time from which on sends to the contact are not erased: nothing was sent between `before` and then. Left out: still so. */
  @IsOptional() @IsISO8601() until?: string;
  /** Messages of the contact, some of which the worker may know under another address. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(500)
  @ValidateNested({ each: true })
  @Type(() => MessagePlace)
  messages?: MessagePlace[];
}

/** Counts of what the session workers have erased for this erasure, in all. */
export class ErasedInSessions {
  @IsInt() journal: number;
  @IsInt() sends: number;
  @IsInt() files: number;
  @IsInt() events: number;
}

/** Counts of what the dispatcher has erased for this erasure, in all. */
export class ErasedInWebhooks {
  @IsInt() events: number;
  @IsInt() deliveries: number;
  @IsInt() attempts: number;
  @IsInt() deadLetters: number;
  /** All events of the tenant were looked at. */
  @IsBoolean() done: boolean;
}

/** Counts of what `limits` has erased by this request. */
export class ErasedInLimits {
  /** Hashes of the contact, one for each session that wrote to it or heard of it. */
  @IsInt() contacts: number;
}

/** Counts of what the assistant has erased for this erasure, in all. */
export class ErasedInAssistant {
  @IsInt() turns: number;
}

const VERB = 'erase-contact';
/** Erases what the session workers have of a contact. */
export const EraseInSessions = defineRequest('session-worker', VERB, EraseContactV1, ErasedInSessions);
/** Erases events, deliveries, attempts and dead letters that name a contact, piece by piece. */
export const EraseInWebhooks = defineRequest('webhook-dispatcher', VERB, EraseContactV1, ErasedInWebhooks);
/** Erases the hashes by which a contact was counted for the warmup of numbers. */
export const EraseInLimits = defineRequest('limits', VERB, EraseContactV1, ErasedInLimits);
/** Erases turns with a contact, and who has the conversation with them. */
export const EraseInAssistant = defineRequest('assistant', VERB, EraseContactV1, ErasedInAssistant);
