import { Controller, Delete, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { UploadedMedia, UploadRequest } from '@svc/contracts';
import type { FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { NoBodyGuard } from '../edge/no-body.guard.js';
import { IdParam } from '../edge/resource-id.js';
import { QuotasService } from '../limits/quotas.service.js';
import { ApiErrors, ApiId } from '../openapi/answers.js';
import { type IncomingFile, uploadedFile } from './uploaded-file.js';
import { UploadsService } from './uploads.service.js';

/** `/v1/media` */
@ApiTags('messages')
@Controller('v1/media')
export class MediaController {
  constructor(
    private readonly uploads: UploadsService,
    private readonly quotas: QuotasService,
  ) {}

  @Post()
  @HttpCode(201)
  @NeedsScope('messages:send')
  @ApiOperation({
    operationId: 'uploadMedia',
    summary: 'Upload a file to send',
    description:
      'One part named file, with its content type and name. The file can be sent by its mediaId for 30 days, as often as wanted. It counts among `uploads` of GET /v1/limits until it is deleted.',
  })
  @ApiConsumes('multipart/form-data')
  @ApiBody({ type: UploadRequest })
  @ApiCreatedResponse({ type: UploadedMedia, description: 'Stored.' })
  @ApiErrors('VALIDATION_FAILED', 'PAYLOAD_TOO_LARGE', 'QUOTA_CONFLICT')
  async upload(
    @CurrentCaller() { tenantId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<UploadedMedia> {
    const most = await this.quotas.most(tenantId, 'storage');
    const store = async ({ stream, ...named }: IncomingFile): Promise<UploadedMedia> => {
      const upload = { id: uuidv7(), tenantId, ...named, ofMessage: false, jobId: null };
      const bounds = { most, size: lengthOf(request) };
      const { id: mediaId, mimeType, size, sha256 } = await this.uploads.add(upload, stream, bounds);
      return { mediaId, mimeType, size, sha256 };
    };
    return uploadedFile(request, store, ({ mediaId }) => this.uploads.delete(mediaId));
  }

  @Delete(':mediaId')
  @HttpCode(204)
  @NeedsScope('messages:send')
  @UseGuards(NoBodyGuard)
  @ApiOperation({
    operationId: 'deleteMedia',
    summary: 'Delete an upload',
    description: 'A message that is still to bring it fails. One that has brought it is not changed.',
  })
  @ApiId('mediaId', 'Id of an upload.')
  @ApiNoContentResponse({ description: 'Deleted.' })
  @ApiErrors('VALIDATION_FAILED', 'MEDIA_NOT_FOUND')
  delete(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('mediaId', 'MEDIA_NOT_FOUND') id: string,
  ): Promise<void> {
    return this.uploads.deleteOf(tenantId, id);
  }
}

/** Length of the whole body, which is more than that of its file; undefined where the client does not say it. */
function lengthOf({ headers }: FastifyRequest): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}
