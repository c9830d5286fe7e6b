import { Controller, Get, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ContactExport, ContactProfile } from '@svc/contracts';
import { type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { ApiErrors } from '../openapi/answers.js';
import { ApiContact, ContactParam } from './contact-param.js';
import { ContactsService } from './contacts.service.js';

/** `/v1/contacts/:contact` */
@ApiTags('contacts')
@Controller('v1/contacts')
export class ContactsController {
  constructor(private readonly contacts: ContactsService) {}

  @Get(':contact')
  @NeedsScope('messages:read')
  @ApiOperation({
    operationId: 'readContact',
    summary: 'Read what is kept of a contact',
    description:
      'Over all sessions, as the messages show it. The platform is not asked. One of whom there is no message is 404 here; where others quoted them, or an event is left, they are exported and erased all the same.',
  })
  @ApiContact()
  @ApiOkResponse({ type: ContactProfile, description: 'The contact.' })
  @ApiErrors('CONTACT_NOT_FOUND')
  get(@CurrentCaller() { tenantId }: Caller, @ContactParam() contact: string): Promise<ContactProfile> {
    return this.contacts.get({ tenantId, contact });
  }

  @Get(':contact/export')
  @NeedsScope('messages:read')
  @ApiOperation({
    operationId: 'exportContact',
    summary: 'Export all that is kept of a contact',
    description:
      'One JSON document, however long, streamed: it is whole where it ends with the last brace. 404 only where nothing at all is kept, which takes longer to find out.',
  })
  @ApiContact()
  @ApiOkResponse({ type: ContactExport, description: 'All of it.' })
  @ApiErrors('CONTACT_NOT_FOUND')
  async export(
    @CurrentCaller() { tenantId }: Caller,
    @ContactParam() contact: string,
  ): Promise<StreamableFile> {
    const document = await this.contacts.export({ tenantId, contact });
    return new StreamableFile(document, { type: 'application/json; charset=utf-8' });
  }
}
