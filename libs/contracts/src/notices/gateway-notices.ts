import { IsString } from 'class-validator';
import { defineNotice } from '../contract.js';

/** Data of `clearance-changed`. */
export class ClearanceChangedV1 {
  /** Id of the tenant, kid of the key, or nothing: everything of everybody. */
  @IsString() of: string;
}

/** A gateway changed what its replicas cache before a send: key, subscription or session. */
export const ClearanceChanged = defineNotice('api-gateway', 'clearance-changed', ClearanceChangedV1);
