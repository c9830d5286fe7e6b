import { IsUUID } from 'class-validator';
import { defineRequest } from '../../contract.js';
import { Nothing } from '../refs.js';

/** Request of `confirm-endpoint-change`. */
export class ConfirmEndpointChangeV1 {
  @IsUUID() tenantId: string;
  @IsUUID() endpointId: string;
}

/** Asks the owner of the tenant's partition to act on the new state of an endpoint; it answers when it does. */
export const ConfirmEndpointChange = defineRequest(
  'webhook-dispatcher',
  'confirm-endpoint-change',
  ConfirmEndpointChangeV1,
  Nothing,
);
