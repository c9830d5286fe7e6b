import { Type } from 'class-transformer';
import { IsArray, IsOptional, IsString, IsUUID, Matches, ValidateNested } from 'class-validator';
import { defineRequest } from '../../contract.js';
import { ContactEvent } from '../../http/messages/contacts.js';

/** Request of `read-contact-events`. */
export class ReadContactEventsV1 {
  @IsUUID() tenantId: string;
  /** Normalized address. */
  @IsString() contact: string;
  /** Number in the log up to which it was read. */
  @IsOptional() @Matches(/^\d{1,18}$/) after?: string;
}

/** Reply of `read-contact-events`: a part of the log was looked through, however few events of it name the person. */
export class ContactEventsReply {
  @IsArray() @ValidateNested({ each: true }) @Type(() => ContactEvent) events: ContactEvent[];
  /** Number in the log up to which it was looked through; null: to its end. */
  @IsOptional() @Matches(/^\d{1,18}$/) next: string | null;
}

/** Reads the events of a tenant that name a person, in order of arrival. */
export const ReadContactEvents = defineRequest(
  'webhook-dispatcher',
  'read-contact-events',
  ReadContactEventsV1,
  ContactEventsReply,
);
