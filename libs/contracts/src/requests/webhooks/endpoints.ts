import { Type } from 'class-transformer';
import {
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { defineRequest } from '../../contract.js';
import { Failover } from '../../http/sessions/failover.js';
import { EndpointReasonBody, WebhookHealth, WebhookTestResult } from '../../http/webhooks/actions.js';
import {
  CreateWebhookBody,
  UpdateWebhookBody,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from '../../http/webhooks/endpoints.js';
import { HearsBody } from '../../http/webhooks/hears.js';
import { PUBLIC_EVENTS, type PublicEvent } from '../../events/events.js';
import { TenantRef } from '../refs.js';

/** Names an endpoint of a tenant. The owner answers `ENDPOINT_NOT_FOUND`, or `FORBIDDEN` for another tenant's. */
export class EndpointRef {
  @IsUUID() tenantId: string;
  @IsUUID() endpointId: string;
}

/** Request of `create-endpoint`. */
export class CreateEndpointV1 extends CreateWebhookBody {
  @IsUUID() tenantId: string;
  /** Actor for the audit log: `key:<kid>`. Here and below: left out by an asker that does not know the field yet. */
  @IsOptional() @IsString() actor?: string;
  /** Tenant-wide endpoints that the tenant may have, with this one; left out: any number. */
  @IsOptional() @IsInt() @Min(0) most?: number;
}

/** Request of `update-endpoint`. */
export class UpdateEndpointV1 extends UpdateWebhookBody {
  @IsUUID() tenantId: string;
  @IsUUID() endpointId: string;
  @IsOptional() @IsString() actor?: string;
}

/** Request of `delete-endpoint`. */
export class DeleteEndpointV1 extends EndpointRef {
  @IsOptional() @IsString() actor?: string;
}

/** Request of `rotate-endpoint-secret`. */
export class RotateEndpointSecretV1 extends EndpointRef {
  @IsOptional() @IsString() actor?: string;
}

/** Request of `pause-endpoint` and `reactivate-endpoint`. */
export class ChangeEndpointStateV1 extends EndpointReasonBody {
  @IsUUID() tenantId: string;
  @IsUUID() endpointId: string;
  /** Actor that asks: `key:<kid>`. */
  @IsString() actor: string;
}

/** Request of lists in this file: newest first. */
export class ListEndpointsV1 {
  @IsUUID() tenantId: string;
  /** Number of rows, one more than a page holds: the gateway sees whether another page follows. */
  @IsInt() @Min(1) @Max(201) limit: number;
  /** Id of the last item of the page before. */
  @IsOptional() @IsUUID() before?: string;
}

/** Request of `put-bound-endpoint`: the one endpoint that external mode binds to a session. */
export class PutBoundEndpointV1 {
  @IsUUID() tenantId: string;
  @IsUUID() sessionId: string;
  @IsBoolean() enabled: boolean;
  /** Required the first time it is enabled. */
  @IsOptional() @IsString() @Length(1, 2048) url?: string;
  /** Filter of the endpoint: `message.received` is in it, unless it is empty. Left out: it stays. */
  @IsOptional() @IsArray() @ArrayUnique() @IsIn(PUBLIC_EVENTS, { each: true }) events?: PublicEvent[];
  /** Aspects that it hears; those that are left out stay as they are. */
  @IsOptional() @ValidateNested() @Type(() => HearsBody) hears?: HearsBody;
  /** When its session fails over; null: never. Left out: it stays. */
  @IsOptional() @ValidateNested() @Type(() => Failover) failover?: Failover | null;
  @IsBoolean() rotateSecret: boolean;
  /**
   * The `modeVersion` of the session under which the caller enables or disables it. Where the dispatcher knows of a later one,
   * `enabled` has no effect: calls that overtake each other leave the endpoint in agreement with the mode.
   */
  @IsOptional() @IsInt() @Min(0) modeVersion?: number;
  @IsOptional() @IsString() actor?: string;
}

/** Request of `get-bound-endpoint`. */
export class BoundEndpointRef {
  @IsUUID() tenantId: string;
  @IsUUID() sessionId: string;
}

/** Reply that holds an endpoint and, only where the call may show it, its secret. */
export class EndpointReply {
  @ValidateNested() @Type(() => WebhookEndpoint) endpoint: WebhookEndpoint;
}

/** Reply with the secret. */
export class EndpointWithSecretReply {
  @ValidateNested() @Type(() => WebhookEndpointWithSecret) endpoint: WebhookEndpointWithSecret;
}

/** Reply of the requests on a bound endpoint: what the session has now, null where it has none. */
export class BoundEndpointReply {
  @IsOptional()
  @ValidateNested()
  @Type(() => WebhookEndpointWithSecret)
  endpoint: WebhookEndpointWithSecret | null;
  /** When its session fails over; null: never. Absent from a dispatcher of an earlier release. */
  @IsOptional()
  @ValidateNested()
  @Type(() => Failover)
  failover?: Failover | null;
}

/** Reply of `test-endpoint`. */
export class EndpointTestReply {
  @ValidateNested() @Type(() => WebhookTestResult) result: WebhookTestResult;
}

/** Reply of `get-endpoint-health`. */
export class EndpointHealthReply {
  @ValidateNested() @Type(() => WebhookHealth) health: WebhookHealth;
}

/** Reply of `list-endpoints`. */
export class EndpointsReply {
  @IsArray() @ValidateNested({ each: true }) @Type(() => WebhookEndpoint) endpoints: WebhookEndpoint[];
}

/** Reply of `count-endpoints`. */
export class EndpointCount {
  @IsInt() @Min(0) count: number;
}

const APP = 'webhook-dispatcher';
/** Registers a tenant-wide endpoint; `QUOTA_CONFLICT` where the tenant has as many as it may. */
export const CreateEndpoint = defineRequest(
  APP,
  'create-endpoint',
  CreateEndpointV1,
  EndpointWithSecretReply,
);
/** Counts the tenant-wide endpoints of a tenant. */
export const CountEndpoints = defineRequest(APP, 'count-endpoints', TenantRef, EndpointCount);
/** Reads one endpoint. */
export const GetEndpoint = defineRequest(APP, 'get-endpoint', EndpointRef, EndpointReply);
/** Reads a tenant's endpoints. */
export const ListEndpoints = defineRequest(APP, 'list-endpoints', ListEndpointsV1, EndpointsReply);
/**
 * Changes an endpoint; in force for the next attempt when the call returns. `VALIDATION_FAILED` for `events` of one that is bound to a
 * session without `message.received`.
 */
export const UpdateEndpoint = defineRequest(APP, 'update-endpoint', UpdateEndpointV1, EndpointReply);
/** Deletes an endpoint and what was waiting for it. `SESSION_STATE_CONFLICT` for one that a session is bound to. */
export const DeleteEndpoint = defineRequest(APP, 'delete-endpoint', DeleteEndpointV1, EndpointReply);
/** Replaces the secret of an endpoint; in force for the next attempt when the call returns. */
export const RotateEndpointSecret = defineRequest(
  APP,
  'rotate-endpoint-secret',
  RotateEndpointSecretV1,
  EndpointWithSecretReply,
);
/** Holds the deliveries of an endpoint. Without effect on one that is paused already. */
export const PauseEndpoint = defineRequest(APP, 'pause-endpoint', ChangeEndpointStateV1, EndpointReply);
/** Lets the deliveries of a paused endpoint go out, oldest first. Without effect on one that is active. */
export const ReactivateEndpoint = defineRequest(
  APP,
  'reactivate-endpoint',
  ChangeEndpointStateV1,
  EndpointReply,
);
/** Posts a test event once; takes as long as an attempt may. `ENDPOINT_CONFLICT` while another test is under way. */
export const TestEndpoint = defineRequest(APP, 'test-endpoint', EndpointRef, EndpointTestReply);
/** Reads counts and latest attempts of the deliveries of an endpoint. */
export const GetEndpointHealth = defineRequest(APP, 'get-endpoint-health', EndpointRef, EndpointHealthReply);
/**
 * Enables, changes or disables the endpoint bound to a session. `SESSION_NOT_FOUND` where the session is deleted, `VALIDATION_FAILED` for
 * what is given to an endpoint that is not there and not enabled either.
 */
export const PutBoundEndpoint = defineRequest(
  APP,
  'put-bound-endpoint',
  PutBoundEndpointV1,
  BoundEndpointReply,
);
/** Reads the endpoint bound to a session, with its secret. */
export const GetBoundEndpoint = defineRequest(
  APP,
  'get-bound-endpoint',
  BoundEndpointRef,
  BoundEndpointReply,
);
