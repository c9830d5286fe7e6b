import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { defineRequest } from '../../contract.js';
import { BOT_MODES, type BotMode, MODE_REASONS, type ModeReason } from '../../enums.js';
import { SessionQr, SessionState } from '../../http/sessions/sessions.js';
import { Nothing, TenantRef } from '../refs.js';

/** Names a session of a tenant. The owner answers `SESSION_NOT_FOUND`, or `FORBIDDEN` for another tenant's. */
export class SessionRef {
  @IsUUID() tenantId: string;
  @IsUUID() sessionId: string;
}

/** Request of `create-session`. */
export class CreateSessionV1 extends SessionRef {
  @IsString() @Length(1, 100) name: string;
  @IsOptional() @IsString() @MaxLength(2048) proxy?: string;
  /** The number counts as online as long as it is connected. */
  @IsOptional() @IsBoolean() alwaysOnline?: boolean;
  /** Calls to the number are rejected by the gateway, and answered with this text. */
  @IsOptional() @IsBoolean() rejectCalls?: boolean;
  @IsOptional() @IsString() @Length(1, 1_000) callReply?: string;
  /** Sessions that the tenant may have, with this one; left out: any number. */
  @IsOptional() @IsInt() @Min(0) most?: number;
  /** The tenant is a sandbox: the simulator is its platform. */
  @IsOptional() @IsBoolean() sandbox?: boolean;
}

/** Request of `update-session`; what is left out stays. */
export class UpdateSessionV1 extends SessionRef {
  @IsOptional() @IsString() @Length(1, 100) name?: string;
  @IsOptional() @IsString() @MaxLength(2048) proxy?: string | null;
  @IsOptional() @IsBoolean() alwaysOnline?: boolean;
  @IsOptional() @IsBoolean() rejectCalls?: boolean;
  @IsOptional() @IsString() @Length(1, 1_000) callReply?: string | null;
}

/** Request of `change-session`: what its owner shall bring about. */
export class ChangeSessionV1 extends SessionRef {
  @IsIn(['connect', 'disconnect', 'logout', 'delete']) action: 'connect' | 'disconnect' | 'logout' | 'delete';
  /** Actor for the audit log: `key:<kid>`. Here and below: left out by an asker that does not know the field yet. */
  @IsOptional() @IsString() actor?: string;
}

/** Request of `get-session`. */
export class GetSessionV1 extends SessionRef {
  /** Highest count of the tenant's older sessions; left out: `MOST_SESSIONS`. */
  @IsOptional() @IsInt() @Min(0) countOlderTo?: number;
}

/** Request of `set-bot-mode`. */
export class SetBotModeV1 extends SessionRef {
  @IsIn(BOT_MODES) botMode: BotMode;
  /** The mode changes only where the session is still at this `modeVersion`; left out: in any case. */
  @IsOptional() @IsInt() @Min(0) ifVersion?: number;
  /** Reason of a change that nobody asked for. A session fails over from `EXTERNAL` alone, and comes back from a fail-over alone. */
  @IsOptional() @IsIn(MODE_REASONS) reason?: ModeReason;
  @IsOptional() @IsString() actor?: string;
}

/** Question to the owner of a session: hand over nothing more that is not of this mode. */
export class KeepToModeV1 extends SessionRef {
  @IsIn(BOT_MODES) botMode: BotMode;
}

/** Request of `list-sessions`: newest first. */
export class ListSessionsV1 {
  @IsUUID() tenantId: string;
  /** Number of rows, one more than a page holds: the gateway sees whether another page follows. */
  @IsInt() @Min(1) @Max(201) limit: number;
  /** Id of the last session of the page before. */
  @IsOptional() @IsUUID() before?: string;
}

/** Reply that holds one session. */
export class SessionReply {
  @ValidateNested() @Type(() => SessionState) session: SessionState;
  /** Sessions of the tenant that are older than this one, counted as far as was asked for. Of `get-session` only. */
  @IsOptional() @IsInt() @Min(0) older?: number;
  /** Number of times that the session was switched to `MANAGED`. Of `get-session` and `set-bot-mode` only. */
  @IsOptional() @IsInt() @Min(0) modeVersion?: number;
  /** The tenant is a sandbox. Of `get-session` only; absent from a worker of an earlier release. */
  @IsOptional() @IsBoolean() sandbox?: boolean;
}

/** Reply of `list-sessions`. */
export class SessionsReply {
  @IsArray() @ValidateNested({ each: true }) @Type(() => SessionState) sessions: SessionState[];
}

/** Reply of `count-sessions`. */
export class SessionCount {
  @IsInt() @Min(0) count: number;
  /** Bytes of files that have arrived in them and are kept. Absent from a worker of an earlier release. */
  @IsOptional() @IsInt() @Min(0) mediaBytes?: number;
}

const APP = 'session-worker';
/** Makes the row and asks for a connection; `RATE_LIMITED` where the tenant has as many as it may. */
export const CreateSession = defineRequest(APP, 'create-session', CreateSessionV1, SessionReply);
/** Reads one session. */
export const GetSession = defineRequest(APP, 'get-session', GetSessionV1, SessionReply);
/** Reads a tenant's sessions. */
export const ListSessions = defineRequest(APP, 'list-sessions', ListSessionsV1, SessionsReply);
/** Counts the sessions of a tenant, and the bytes of the files that have arrived in them. */
export const CountSessions = defineRequest(APP, 'count-sessions', TenantRef, SessionCount);
/** Changes name, proxy, presence, and what becomes of calls of a session. */
export const UpdateSession = defineRequest(APP, 'update-session', UpdateSessionV1, SessionReply);
/** Connects, disconnects, logs out or deletes a session. */
export const ChangeSession = defineRequest(APP, 'change-session', ChangeSessionV1, SessionReply);
/** Reads the QR code of this moment; counts as a viewer of it. Throws `QR_CONFLICT` when there is none. */
export const GetSessionQr = defineRequest(APP, 'get-qr', SessionRef, SessionQr);
/** Changes the bot mode of a session, and replies with the one that holds then: with `ifVersion` the session may stay as it is. */
export const SetBotMode = defineRequest(APP, 'set-bot-mode', SetBotModeV1, SessionReply);
/** Makes sure that nothing is handed to the platform any more that is of another mode. Only the owner answers, and only a worker asks. */
export const KeepToMode = defineRequest(APP, 'keep-to-mode', KeepToModeV1, Nothing);
