import { Type } from 'class-transformer';
import {
  ArrayNotEmpty,
  IsArray,
  IsIn,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  IsUUID,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { defineRequest } from '../../contract.js';
import { DELIVERY_STATUSES, type DeliveryStatus, DeliveryView } from '../../http/webhooks/deliveries.js';

const UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** Time of its event as the database writes it, and its number. */
const PLACE = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?[+-]\d\d(:\d\d)?/\d{1,19}`;

/** A delivery in a list. */
export class ListedDelivery extends DeliveryView {
  /** Place of the delivery in the list, which stays when it is deleted; an older dispatcher does not send it. */
  @IsOptional() @Matches(new RegExp(`^${PLACE}$`)) place?: string;
}

/** Names a delivery of a tenant. The owner answers `DELIVERY_NOT_FOUND`, or `FORBIDDEN` for another tenant's. */
export class DeliveryRef {
  @IsUUID() tenantId: string;
  @IsUUID() deliveryId: string;
}

/** Request of `list-deliveries`: of one endpoint, newest event first. */
export class ListDeliveriesV1 {
  @IsUUID() tenantId: string;
  @IsUUID() endpointId: string;
  @IsArray() @ArrayNotEmpty() @IsIn(DELIVERY_STATUSES, { each: true }) statuses: DeliveryStatus[];
  @IsOptional() @IsString() event?: string;
  @IsOptional() @IsISO8601() since?: string;
  @IsOptional() @IsISO8601() until?: string;
  /** Number of rows, one more than a page holds: the gateway sees whether another page follows. */
  @IsInt() @Min(1) @Max(201) limit: number;
  /** `place` of the last item of the page before; its id where it has none, as of a gateway of the release before. */
  @IsOptional() @Matches(new RegExp(`^(${PLACE}|${UUID})$`)) before?: string;
}

/** Reply of `list-deliveries`. */
export class DeliveriesReply {
  @IsArray() @ValidateNested({ each: true }) @Type(() => ListedDelivery) deliveries: ListedDelivery[];
}

/** Reply of `get-delivery` and `replay-delivery`. */
export class DeliveryReply {
  @ValidateNested() @Type(() => DeliveryView) delivery: DeliveryView;
}

const APP = 'webhook-dispatcher';
/** Reads deliveries of an endpoint. `VALIDATION_FAILED` where `before` is an id, and that delivery is not there any more. */
export const ListDeliveries = defineRequest(APP, 'list-deliveries', ListDeliveriesV1, DeliveriesReply);
/** Reads one delivery, its attempts with the heads of the answers. */
export const GetDelivery = defineRequest(APP, 'get-delivery', DeliveryRef, DeliveryReply);
/**
 * Starts one more attempt of a delivery that is finished; `DELIVERY_STATE_CONFLICT` for one that is on its way, `ENDPOINT_NOT_FOUND`
 * where its endpoint is deleted, `QUOTA_CONFLICT` where it was sent as often as it may be.
 */
export const ReplayDelivery = defineRequest(APP, 'replay-delivery', DeliveryRef, DeliveryReply);
