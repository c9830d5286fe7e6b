import { ArrayMaxSize, IsArray, IsUUID } from 'class-validator';
import { defineRequest } from '../../contract.js';

/** Request of `find-messages`. */
export class FindMessagesV1 {
  @IsArray() @ArrayMaxSize(1_000) @IsUUID(undefined, { each: true }) jobIds: string[];
}

/** Reply of `find-messages`: those of the jobs that have a message. */
export class FoundMessages {
  @IsArray() @IsUUID(undefined, { each: true }) jobIds: string[];
}

/** Finds those of the jobs that have a message. */
export const FindMessages = defineRequest('api-gateway', 'find-messages', FindMessagesV1, FoundMessages);
