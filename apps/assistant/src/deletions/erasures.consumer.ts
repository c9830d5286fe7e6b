import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  type ContactTurnsReply,
  type DeletedTenantRows,
  DeleteTenantAssistants,
  DeleteTenantRowsV1,
  EraseContactV1,
  type ErasedInAssistant,
  EraseInAssistant,
  ExportContactTurns,
  ExportContactV1,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { DeletionsService } from './deletions.service.js';
import { ExportsService } from './exports.service.js';
import { ErasuresService } from './erasures.service.js';

/** This consumer takes the wishes to erase a contact, to export one, and to delete a tenant. */
@Controller()
export class ErasuresConsumer {
  constructor(
    private readonly erasures: ErasuresService,
    private readonly deletions: DeletionsService,
    private readonly exports: ExportsService,
  ) {}

  @OnRequest(EraseInAssistant)
  erase(@Payload() request: EraseContactV1): Promise<ErasedInAssistant> {
    return this.erasures.erase(request);
  }

  @OnRequest(ExportContactTurns)
  export(@Payload() request: ExportContactV1): Promise<ContactTurnsReply> {
    return this.exports.read(request);
  }

  @OnRequest(DeleteTenantAssistants)
  delete(@Payload() request: DeleteTenantRowsV1): Promise<DeletedTenantRows> {
    return this.deletions.deleteTenant(request);
  }
}
