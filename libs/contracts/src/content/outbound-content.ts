import { Type } from 'class-transformer';
import { IsIn, IsOptional, IsString, ValidateIf, ValidateNested } from 'class-validator';
import { field, FollowedBy } from './parts/field.js';
import { MessageTarget } from './parts/target.js';
import { MessageBody } from './message-body.js';
import { OUTBOUND_TYPES, type OutboundType, WIRE_FIELDS, type WireProperties } from './registry.js';

/** The message that another one answers, as far as it is shown above the answer. */
export class QuotedTarget extends MessageTarget {
  @ValidateNested() @Type(() => MessageBody) body: MessageBody;
}

/** The fields, each looked at in content of its kinds only. */
const FIELDS = WIRE_FIELDS.map(({ name, field: { decorators }, types }) => {
  const ofItsKinds = ValidateIf(({ type }: OutboundContent) => types.includes(type));
  return { name, field: field(ofItsKinds, ...decorators) };
});
const AnyKind = class {} as new () => WireProperties;

/**
 * Content of an outbound message on its way to the worker: a union discriminated by `type`, in one class as `MessageBody` is. The fields
 * of its kind are there, others are not looked at.
 */
export class OutboundContent extends AnyKind {
  @FollowedBy(FIELDS) @IsIn(OUTBOUND_TYPES) type: OutboundType;
  /** Message that this one answers. */
  @IsOptional() @ValidateNested() @Type(() => QuotedTarget) quoted?: QuotedTarget;
  /** Addresses of the people named in it. */
  @IsOptional() @IsString({ each: true }) mentions?: string[];
}
