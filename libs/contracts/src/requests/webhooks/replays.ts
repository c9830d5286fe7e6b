import { Type } from 'class-transformer';
import { IsUUID, ValidateNested } from 'class-validator';
import { defineRequest } from '../../contract.js';
import { Replay, ReplayBody, ReplayStart } from '../../http/webhooks/replays.js';

/** Request of `start-replay`. */
export class StartReplayV1 extends ReplayBody {
  @IsUUID() tenantId: string;
  @IsUUID() endpointId: string;
}

/** Names a replay of a tenant. The owner answers `REPLAY_NOT_FOUND`, or `FORBIDDEN` for another tenant's. */
export class ReplayRef {
  @IsUUID() tenantId: string;
  @IsUUID() replayId: string;
}

/** Reply of `get-replay`. */
export class ReplayReply {
  @ValidateNested() @Type(() => Replay) replay: Replay;
}

const APP = 'webhook-dispatcher';
/** Counts what would be replayed or begins to; `REPLAY_CONFLICT` while another replay of the endpoint is running. */
export const StartReplay = defineRequest(APP, 'start-replay', StartReplayV1, ReplayStart);
/** Ends a replay; one that has ended stays as it is. */
export const CancelReplay = defineRequest(APP, 'cancel-replay', ReplayRef, ReplayReply);
/** Reads how far a replay is. */
export const GetReplay = defineRequest(APP, 'get-replay', ReplayRef, ReplayReply);
