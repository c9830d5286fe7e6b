import { IsString } from 'class-validator';
import { defineNotice } from '../contract.js';

/** Data of `send-permissions-changed`. */
export class SendPermissionsChangedV1 {
  /** Id of the tenant, with its keys; kid of a key; or nothing: everything of everybody. */
  @IsString() of: string;
}

/** A gateway changed the key, the subscription or the session of a permission to send, which its replicas cache. */
export const SendPermissionsChanged = defineNotice(
  'api-gateway',
  'send-permissions-changed',
  SendPermissionsChangedV1,
);
