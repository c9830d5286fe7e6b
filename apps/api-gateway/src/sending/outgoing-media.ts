import { Injectable } from '@nestjs/common';
import { AddressGuard } from '@svc/outbound-http';
import { invalidField, type MediaKind, type SubscriptionState } from '@svc/contracts';
import { signatureOf } from '@svc/media-store';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { mostOf } from '../limits/quotas.service.js';
import { assertRoom } from '../media/upload-room.js';
import { UploadsService } from '../media/uploads.service.js';
import type { Message } from '../messages/message.entity.js';
import { assertIsOfKind, withUpload } from './drafts/media.js';
import type { OutboundMessage } from './outbound-message.js';

/** This class looks up files of outbound messages before one is admitted, and stores those that came with a request. */
@Injectable()
export class OutgoingMedia {
  constructor(
    private readonly uploads: UploadsService,
    private readonly guard: AddressGuard,
    private readonly dataSource: DataSource,
  ) {}

  /**
   * Completes a message with what its upload says of the file.
   * @param aheadMs how long until the message goes out
   * @throws AppError `VALIDATION_FAILED` that names the field; `QUOTA_CONFLICT`: there is no room for a file that came with it.
   */
  async complete(
    subscription: SubscriptionState,
    message: OutboundMessage,
    aheadMs: number,
  ): Promise<OutboundMessage> {
    const { media } = message.content;
    if (media?.url !== undefined) {
      const problem = await this.guard.problemWith(media.url);
      if (problem) throw invalidField('media.url', `media.url: ${problem}`);
    }
    if (message.file) {
      const { mimeType } = (await signatureOf(message.file)) ?? {};
      assertIsOfKind(message.content.type as MediaKind, mimeType, 'media.base64');
      const most = mostOf(subscription, 'storage');
      await assertRoom(this.dataSource, message.tenantId, most, message.file.length);
    }
    if (media?.mediaId === undefined) return message;
    const upload = await this.uploads.find(message.tenantId, media.mediaId, aheadMs);
    const which = aheadMs > 0 ? 'that is kept until it goes out' : 'of the last 30 days';
    if (!upload) throw invalidField('media.mediaId', `media.mediaId must be the id of an upload ${which}`);
    return withUpload(message, upload);
  }

  /** Stores a file that came with the request, so that from here it is one that was uploaded before. */
  async store(subscription: SubscriptionState, message: OutboundMessage): Promise<OutboundMessage> {
    const { id: jobId, tenantId, content, file } = message;
    if (!file || !content.media) return message;
    const { mimeType = '', filename = null } = content.media;
    const upload = { id: uuidv7(), tenantId, mimeType, filename, ofMessage: true, jobId };
    const bounds = { most: mostOf(subscription, 'storage'), size: file.length };
    const { id: mediaId } = await this.uploads.add(upload, [file], bounds);
    return { ...message, content: { ...content, media: { ...content.media, mediaId } } };
  }

  /**
   * Deletes a file that came with the request, because its message is not written. What fails here, or is cut off before, is left to the
   * sweep of uploads.
   * @param row the row of the job: that may be this very message, written by a try whose answer was lost.
   */
  async discard({ content, file }: OutboundMessage, row: Message | null): Promise<void> {
    const mediaId = file && content.media?.mediaId;
    if (!mediaId || row?.content?.media?.mediaId === mediaId) return;
    await this.uploads.discard(mediaId);
  }
}
