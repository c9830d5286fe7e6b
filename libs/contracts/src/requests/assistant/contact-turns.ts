import { Type } from 'class-transformer';
import { IsArray, IsOptional, IsString, IsUUID, ValidateNested } from 'class-validator';
import { defineRequest } from '../../contract.js';
import { ContactTurn } from '../../http/messages/contacts.js';

/** Request of `export-contact`. */
export class ExportContactV1 {
  @IsUUID() tenantId: string;
  /** Normalized address. */
  @IsString() contact: string;
  /** Turn up to which it was read. */
  @IsOptional() @IsUUID() before?: string;
}

/** Reply of `export-contact`: turns of the last month, newest first. */
export class ContactTurnsReply {
  @IsArray() @ValidateNested({ each: true }) @Type(() => ContactTurn) turns: ContactTurn[];
  /** Turn from which on it goes on; null: there are no more. */
  @IsOptional() @IsUUID() next: string | null;
}

/** Reads what the assistant keeps of a contact, page by page. */
export const ExportContactTurns = defineRequest(
  'assistant',
  'export-contact',
  ExportContactV1,
  ContactTurnsReply,
);
