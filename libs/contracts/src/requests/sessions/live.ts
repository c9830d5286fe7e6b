import { Type } from 'class-transformer';
import { IsArray, IsIn, IsOptional, IsString, IsUUID, Matches, ValidateNested } from 'class-validator';
import { defineRequest } from '../../contract.js';
import { BOT_MODES, type BotMode, TYPING_STATES, type TypingState } from '../../enums.js';
import { ContactView, PairingCode } from '../../http/sessions/live.js';
import { Nothing } from '../refs.js';
import { SessionRef } from './sessions.js';

const DIGITS = /^\d{7,15}$/;

/** Request of `pairing-code` and `look-up-contact`; the number in digits. */
export class PhoneRequestV1 extends SessionRef {
  @Matches(DIGITS) phone: string;
}

/** A received message, with its names on the platform. */
export class ReceivedMessageRef {
  @IsUUID() messageId: string;
  @IsString() contact: string;
  @IsString() keyId: string;
}

/** Request of `mark-read`. */
export class MarkReadV1 extends SessionRef {
  @IsArray() @ValidateNested({ each: true }) @Type(() => ReceivedMessageRef) messages: ReceivedMessageRef[];
}

/** Request of `typing`; `to` is an address, also of a group. */
export class TypingV1 extends SessionRef {
  @IsString() to: string;
  @IsIn(TYPING_STATES) state: TypingState;
  /** Nothing is shown where the session is in another mode. */
  @IsOptional() @IsIn(BOT_MODES) onlyInMode?: BotMode;
}

/** Request of `reject-call`. */
export class RejectCallV1 extends SessionRef {
  @IsString() callId: string;
}

const APP = 'session-worker';
/** Shows a code for the phone of this number. Throws `ALREADY_LINKED`, or `PLATFORM_UNAVAILABLE` when none comes in time. */
export const RequestPairingCode = defineRequest(APP, 'pairing-code', PhoneRequestV1, PairingCode);
/** Sends read receipts to contacts. Throws `SESSION_NOT_CONNECTED`. */
export const MarkRead = defineRequest(APP, 'mark-read', MarkReadV1, Nothing);
/** Shows a contact, or a group, a typing state. Throws `SESSION_NOT_CONNECTED`. */
export const SetTyping = defineRequest(APP, 'typing', TypingV1, Nothing);
/** Rejects a call that rings. Throws `SESSION_NOT_CONNECTED`, `CALL_NOT_RINGING`. */
export const RejectCall = defineRequest(APP, 'reject-call', RejectCallV1, Nothing);
/** Looks a number up on the platform. Throws `SESSION_NOT_CONNECTED`, `PLATFORM_UNAVAILABLE`. */
export const LookUpContact = defineRequest(APP, 'look-up-contact', PhoneRequestV1, ContactView);
