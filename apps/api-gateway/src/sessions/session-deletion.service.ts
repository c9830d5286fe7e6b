import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller.js';
import { SessionChanges } from './session-changes.service.js';
import { SessionsService } from './sessions.service.js';

/** Deletes sessions. */
@Injectable()
export class SessionDeletionService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly changes: SessionChanges,
  ) {}

  /** The bound endpoint goes as soon as the dispatcher answers, if need be after the caller has an answer. */
  async delete(caller: Caller, sessionId: string): Promise<void> {
    const { id } = await this.sessions.owned(caller.tenantId, sessionId);
    await this.changes.run(caller, id, () => this.sessions.change(caller.tenantId, id, 'delete'));
  }
}
