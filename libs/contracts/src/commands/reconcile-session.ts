import { IsUUID } from 'class-validator';
import { defineCommand } from '../contract.js';

/** Data of the `reconcile-session` command: "look at the row of this session and act on it". */
export class ReconcileSessionV1 {
  @IsUUID() sessionId: string;
}

/** The wanted state of a session changed. */
export const ReconcileSession = defineCommand('reconcile-session', 1, ReconcileSessionV1);
