import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AuditEntry, type Page, PageQuery } from '@svc/contracts';
import { type Caller, CurrentCaller, NeedsScope } from '../auth/authorization.js';
import { ApiErrors, ApiPage } from '../openapi/answers.js';
import { AuditService } from './audit.service.js';

/** `/v1/audit-log` */
@ApiTags('audit log')
@Controller('v1/audit-log')
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Get()
  @NeedsScope('admin:*')
  @ApiOperation({
    operationId: 'listAuditLog',
    summary: 'Read the audit log, newest first',
    description:
      'Who changed what and when. Each entry names the hash of the one before, so that a copy shows whether any was changed or left out since.',
  })
  @ApiPage(AuditEntry)
  @ApiErrors('VALIDATION_FAILED')
  list(@CurrentCaller() { tenantId }: Caller, @Query() query: PageQuery): Promise<Page<AuditEntry>> {
    return this.audit.page(tenantId, query);
  }
}
