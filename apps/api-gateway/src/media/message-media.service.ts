import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { AppError } from '@svc/contracts';
import { MEDIA_STORE, type MediaStore } from '@svc/media-store';
import { Repository } from 'typeorm';
import { dispositionOf, safeMediaType } from './file-headers.js';
import { Message } from '../messages/message.entity.js';

/** A file on its way to a reader. */
export interface OpenFile {
  stream: Readable;
  size: number;
  type: string;
  disposition: string;
}

/** This class opens the files of messages for those who may read the messages. */
@Injectable()
export class MessageMediaService {
  constructor(
    @InjectRepository(Message) private readonly messages: Repository<Message>,
    @Inject(MEDIA_STORE) private readonly store: MediaStore,
  ) {}

  /** @throws AppError `MESSAGE_NOT_FOUND`, `FORBIDDEN`, `MEDIA_NOT_FOUND`, `MEDIA_GONE` */
  async open(tenantId: string, id: string): Promise<OpenFile> {
    const message = await this.messages.findOneBy({ tenantId, id });
    if (!message)
      throw new AppError((await this.messages.existsBy({ id })) ? 'FORBIDDEN' : 'MESSAGE_NOT_FOUND');
    const { media, body } = message;
    if (!media) throw new AppError('MEDIA_NOT_FOUND');
    if (media.status === 'FAILED') throw new AppError('MEDIA_GONE', undefined, { reason: media.reason });
    const file = await this.store.get(media.mediaId);
    // Files are kept as long as texts in the worker; the facts about them stay here.
    if (!file) throw new AppError('MEDIA_GONE', 'The file is not kept any more.', { reason: 'EXPIRED' });
    const { filename } = body.inner ?? body;
    return { ...file, type: safeMediaType(media.mimeType), disposition: dispositionOf(filename) };
  }
}
