import { Controller, Get, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { IdParam } from '../edge/resource-id.js';
import { ApiErrors, ApiId } from '../openapi/answers.js';
import { MessageMediaService } from './message-media.service.js';

const text = (description: string) => ({ description, schema: { type: 'string' as const } });

/** `/v1/messages/:id/media` */
@ApiTags('messages')
@Controller('v1/messages')
export class MessageMediaController {
  constructor(private readonly media: MessageMediaService) {}

  @Get(':jobId/media')
  @NeedsScope('messages:read')
  @ApiOperation({
    operationId: 'getMessageMedia',
    summary: 'Read the file of a message',
    description:
      'The file of a message that arrived, as its sender sent it: handle it as what a stranger gave you.',
  })
  @ApiId('jobId', 'Id of an inbound message.')
  @ApiOkResponse({
    description: 'The file, under the media type that its sender names.',
    content: { '*/*': { schema: { type: 'string', contentMediaType: '*/*' } as object } },
    headers: {
      'Content-Length': { description: 'Its size in bytes.', schema: { type: 'integer' } },
      'Content-Disposition': text('attachment, with the file name of a document.'),
      'X-Content-Type-Options': text('nosniff'),
    },
  })
  @ApiErrors('MESSAGE_NOT_FOUND', 'MEDIA_NOT_FOUND', 'MEDIA_GONE')
  async get(
    @CurrentCaller() { tenantId }: Caller,
    @IdParam('jobId', 'MESSAGE_NOT_FOUND') id: string,
  ): Promise<StreamableFile> {
    const { stream, size: length, type, disposition } = await this.media.open(tenantId, id);
    return new StreamableFile(stream, { type, disposition, length });
  }
}
