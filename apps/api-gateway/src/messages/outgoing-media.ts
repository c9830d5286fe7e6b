import { Injectable } from '@nestjs/common';
import { AddressGuard } from '@svc/outbound-http';
import { invalidField, type MediaContent, type MediaKind, type MessageBody } from '@svc/contracts';
import { log } from '@svc/service';
import { v7 as uuidv7 } from 'uuid';
import { type StoredUpload, UploadsService } from '../media/uploads.service.js';
import type { Draft } from './draft.js';
import type { NewJob } from './jobs.repository.js';
import { assertKind } from './media-draft.js';
import type { Message } from './message.entity.js';

/** Files of messages: looked up before one is admitted, and kept before it is told to the worker. */
@Injectable()
export class OutgoingMedia {
  constructor(
    private readonly uploads: UploadsService,
    private readonly guard: AddressGuard,
  ) {}

  /**
   * Completes a draft with what is known of its file.
   * @param aheadMs how long until the message goes out
   * @throws AppError `VALIDATION_FAILED` that names the field.
   */
  async complete(tenantId: string, { content, body }: Draft, aheadMs: number): Promise<void> {
    const { media } = content;
    if (media?.url !== undefined) {
      const problem = await this.guard.problemWith(media.url);
      if (problem) throw invalidField('media.url', `media.url: ${problem}`);
    }
    if (media?.mediaId === undefined) return;
    const upload = await this.uploads.find(tenantId, media.mediaId, aheadMs);
    const kept = aheadMs > 0 ? 'that is kept until it goes out' : 'of the last 30 days';
    if (!upload) throw invalidField('media.mediaId', `media.mediaId must be the id of an upload ${kept}`);
    completeWith(upload, content.type as MediaKind, media, body);
  }

  /** Keeps a file that came with the request, so that from here it is one that was uploaded before. */
  async keep(
    { id: jobId, tenantId }: Pick<NewJob, 'id' | 'tenantId'>,
    { content, file }: Draft,
  ): Promise<void> {
    if (!file || !content.media) return;
    const { mimeType = '', filename = null } = content.media;
    const upload = { id: uuidv7(), tenantId, mimeType, filename, ofMessage: true, jobId };
    const { id } = await this.uploads.add(upload, [file]);
    content.media.mediaId = id;
  }

  /**
   * Deletes it again where its message is not written. What fails here, or is cut off before, is left to the sweep of uploads.
   * @param written the message of the job: that may be this very one, by a try whose answer was lost.
   */
  async discard({ content, file }: Draft, written: Message | null): Promise<void> {
    const mediaId = file && content.media?.mediaId;
    if (!mediaId || written?.content?.media?.mediaId === mediaId) return;
    try {
      await this.uploads.delete(mediaId);
    } catch (error) {
      log().warn({ mediaId, err: error }, 'a file without a message is deleted later');
    }
  }
}

function completeWith(upload: StoredUpload, kind: MediaKind, media: MediaContent, body: MessageBody): void {
  media.mimeType ??= upload.mimeType;
  assertKind(kind, { mimeType: media.mimeType, size: upload.size }, 'media.mediaId');
  if (kind === 'document') media.filename ??= upload.filename ?? undefined;
  body.mimeType = media.mimeType;
  body.filename = media.filename;
}
