import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayUnique, IsArray, IsBoolean, IsIn, ValidateNested } from 'class-validator';
import { PUBLIC_EVENTS } from '../../events/events.js';
import { MayBeAbsent } from '../may-be-absent.js';

/** Aspects of an event from a chat by which an endpoint chooses: it is of a group, of the own number, or a change of an earlier message. */
export const ASPECTS = ['groups', 'own', 'changes'] as const;
/** Value of `ASPECTS`. */
export type Aspect = (typeof ASPECTS)[number];

const GROUPS = 'Whether it hears what is said in groups (`isGroup: true`).';
const OWN =
  'Whether it hears what is written on the own phone, or on another device of the number (`fromMe: true`).';
const CHANGES = 'Whether it hears of edits and revocations of earlier messages (`change`).';

/** Says what an endpoint hears of beside what contacts write in chats of their own. */
export class Hears implements Record<Aspect, boolean> {
  @ApiProperty({ description: GROUPS, example: true })
  @IsBoolean()
  groups: boolean;

  @ApiProperty({ description: OWN, example: false })
  @IsBoolean()
  own: boolean;

  @ApiProperty({ description: CHANGES, example: false })
  @IsBoolean()
  changes: boolean;
}

/** Aspects that a new endpoint hears: messages that arrived from customers (specification, "Event kinds"), in groups, too. */
export const HEARS_BY_DEFAULT: Readonly<Hears> = { groups: true, own: false, changes: false };

/** A wish for `Hears`: what is left out stays, or is as it is by default. */
export class HearsBody {
  @ApiPropertyOptional({ description: `${GROUPS} By default it does.`, example: true })
  @MayBeAbsent()
  @IsBoolean()
  groups?: boolean;

  @ApiPropertyOptional({ description: `${OWN} By default it does not.`, example: false })
  @MayBeAbsent()
  @IsBoolean()
  own?: boolean;

  @ApiPropertyOptional({ description: `${CHANGES} By default it does not.`, example: false })
  @MayBeAbsent()
  @IsBoolean()
  changes?: boolean;
}

/** This decorator describes and checks a filter of events that an endpoint is to have. Whether null may stand there is up to the field. */
export function EventsProperty(description: string): PropertyDecorator {
  const example = ['message.received'];
  return together(
    ApiPropertyOptional({ description, enum: PUBLIC_EVENTS, isArray: true, uniqueItems: true, example }),
    IsArray(),
    ArrayUnique(),
    IsIn(PUBLIC_EVENTS, { each: true }),
  );
}

/**
 * This decorator describes and checks what an endpoint is to hear. Whether null may stand there is up to the field.
 * @param leftOut what becomes of an aspect that is left out.
 */
export function HearsProperty(leftOut: string): PropertyDecorator {
  const description = `What it hears of \`message.received\`, \`message.poll_vote\`, \`message.live_location\` and \`call.received\` beside what contacts write in chats of their own. What is left out ${leftOut}.`;
  return together(
    ApiPropertyOptional({ description, type: HearsBody }),
    ValidateNested(),
    Type(() => HearsBody),
  );
}

function together(...decorators: PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}
