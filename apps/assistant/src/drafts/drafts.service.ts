import { Injectable } from '@nestjs/common';
import {
  type AnswerReply,
  AppError,
  type ApproveDraftV1,
  type DraftRef,
  type DraftsReply,
  type ListDraftsV1,
  SendAnswer,
  type SentDraft,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { withinBytes } from '../within-bytes.js';
import type { Draft, DraftState } from './draft.js';
import { DraftRepository } from './draft.repository.js';

const OVERTAKEN = 'Somebody has written in the conversation since.';
/** Words for drafts that wait no more. */
const ENDED: Record<Exclude<DraftState, 'OPEN'>, string> = {
  SENDING:
    'It was approved before, and what became of it is not known: approve it again, with the same text.',
  SENT: 'It was approved before, and is sent.',
  DISCARDED: 'It was discarded.',
  OVERTAKEN,
};

/** This service has people approve drafts: each is sent once, and not after somebody has written. */
@Injectable()
export class DraftsService {
  constructor(
    private readonly drafts: DraftRepository,
    private readonly rpc: RpcClient,
  ) {}

  async list(request: ListDraftsV1): Promise<DraftsReply> {
    const found = await this.drafts.list(request);
    const { rows: drafts, isCut } = withinBytes(found, ({ text }) => text);
    return { drafts, isCut };
  }

  /**
   * Sends a draft. What was sent before is not sent again.
   * @throws AppError `DRAFT_NOT_FOUND`, `FORBIDDEN`, `DRAFT_CONFLICT`, or as the send was refused.
   */
  async approve(request: ApproveDraftV1): Promise<SentDraft> {
    const found = await this.owned(request);
    const draft = await this.drafts.begin(request);
    if (!draft) return sentBefore((await this.drafts.find(found.id)) ?? found, request);
    const { tenantId, sessionId, jobId, text, afterId: after } = draft;
    const answer = { tenantId, sessionId, jobId, text, after, sentBy: 'MEMBER' as const };
    await this.settle(draft, await this.rpc.request(SendAnswer, answer));
    return { id: draft.id, jobId, text };
  }

  /** @throws AppError `DRAFT_NOT_FOUND`, `FORBIDDEN`, `DRAFT_CONFLICT` */
  async discard(ref: DraftRef): Promise<void> {
    const found = await this.owned(ref);
    if (found.state === 'DISCARDED' || (await this.drafts.discard(found))) return;
    const draft = await this.drafts.find(found.id);
    if (draft && draft.state !== 'OVERTAKEN') throw conflict(draft);
  }

  private async settle(draft: Draft, { outcome, refusal }: AnswerReply): Promise<void> {
    if (outcome === 'ACCEPTED') return this.drafts.sent(draft);
    if (outcome === 'OVERTAKEN') {
      await this.drafts.end(draft);
      throw new AppError('DRAFT_CONFLICT', OVERTAKEN);
    }
    await this.drafts.refused(draft);
    if (refusal?.code === 'MESSAGE_NOT_FOUND')
      throw new AppError('DRAFT_CONFLICT', 'The message that it answers is not there.');
    throw AppError.fromBody(refusal);
  }

  private async owned({ draftId, tenantId }: DraftRef): Promise<Draft> {
    const draft = await this.drafts.find(draftId);
    if (!draft) throw new AppError('DRAFT_NOT_FOUND');
    if (draft.tenantId !== tenantId) throw new AppError('FORBIDDEN');
    return draft;
  }
}

/** Finds what was sent before. @throws AppError `DRAFT_CONFLICT` where it is not that, or another text. */
function sentBefore(draft: Draft, { text }: ApproveDraftV1): SentDraft {
  if (draft.state !== 'SENT' || (text ?? draft.text) !== draft.text) throw conflict(draft);
  return { id: draft.id, jobId: draft.jobId, text: draft.text };
}

function conflict({ state, isOld, jobId }: Draft): AppError {
  const isSent = state === 'SENT' || state === 'SENDING';
  const words = state === 'OPEN' || (state === 'SENDING' && isOld) ? OVERTAKEN : ENDED[state];
  return new AppError('DRAFT_CONFLICT', words, isSent ? { jobId } : {});
}
