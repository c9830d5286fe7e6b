import { IsUUID } from 'class-validator';
import { defineCommand } from '../contract.js';

/** Data of the `reconcile-session` command. */
export class ReconcileSessionV1 {
  @IsUUID() sessionId: string;
}

/** Brings a session to its wanted state, which has changed. */
export const ReconcileSession = defineCommand('reconcile-session', 1, ReconcileSessionV1);
