import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { UploadedMedia, UploadRequest } from '@svc/contracts';
import type { FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { ApiErrors } from '../openapi/answers.js';
import { type IncomingFile, uploadedFile } from './uploaded-file.js';
import { UploadsService } from './uploads.service.js';

/** `/v1/media` */
@ApiTags('messages')
@Controller('v1/media')
export class MediaController {
  constructor(private readonly uploads: UploadsService) {}

  @Post()
  @HttpCode(201)
  @NeedsScope('messages:send')
  @ApiOperation({
    operationId: 'uploadMedia',
    summary: 'Upload a file to send',
    description:
      'One part named file, with its content type and name. The file can be sent by its mediaId for 30 days, as often as wanted.',
  })
  @ApiConsumes('multipart/form-data')
  @ApiBody({ type: UploadRequest })
  @ApiCreatedResponse({ type: UploadedMedia, description: 'Stored.' })
  @ApiErrors('VALIDATION_FAILED')
  upload(@CurrentCaller() { tenantId }: Caller, @Req() request: FastifyRequest): Promise<UploadedMedia> {
    const store = async ({ stream, ...named }: IncomingFile): Promise<UploadedMedia> => {
      const upload = { id: uuidv7(), tenantId, ...named, ofMessage: false, jobId: null };
      const { id: mediaId, mimeType, size, sha256 } = await this.uploads.add(upload, stream);
      return { mediaId, mimeType, size, sha256 };
    };
    return uploadedFile(request, store, ({ mediaId }) => this.uploads.delete(mediaId));
  }
}
