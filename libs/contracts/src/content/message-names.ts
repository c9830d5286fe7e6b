import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, IsUUID } from 'class-validator';

/** Directions of a message: what the number wrote, and what it received. */
export const MESSAGE_DIRECTIONS = ['OUTBOUND', 'INBOUND'] as const;
/** Value of `MESSAGE_DIRECTIONS`. */
export type MessageDirection = (typeof MESSAGE_DIRECTIONS)[number];

// An event and `GET /v1/messages` have names of their own for what they both say of a message. These are the fields that an event has
// under the name of the API; a sample of an earlier release lacks them.

/** This decorator describes and checks the conversation that an event belongs to. */
export function ConversationIdField(): PropertyDecorator {
  return optional([
    ApiProperty({
      description:
        'Conversation of the session with the chat: `GET /v1/conversations/{id}/messages` lists its messages.',
      format: 'uuid',
    }),
    IsUUID(),
  ]);
}

/** This decorator describes and checks the id of a message as the API names it. */
export function ApiIdField(): PropertyDecorator {
  return optional([
    ApiProperty({
      description: 'As messageId: the name that `GET /v1/messages` has for it.',
      format: 'uuid',
    }),
    IsUUID(),
  ]);
}

/** This decorator describes and checks the chat as the API names it. */
export function ContactField(): PropertyDecorator {
  return optional([
    ApiProperty({
      description: 'As chatId: the name that `GET /v1/messages` has for it.',
      example: '4915112345678@s.whatsapp.net',
    }),
    IsString(),
  ]);
}

/** This decorator describes and checks the direction of a message. */
export function DirectionField(): PropertyDecorator {
  return optional([
    ApiProperty({
      description: 'OUTBOUND: the number wrote it, as fromMe says, too. INBOUND: somebody else did.',
      enum: MESSAGE_DIRECTIONS,
      example: 'INBOUND',
    }),
    IsIn(MESSAGE_DIRECTIONS),
  ]);
}

function optional(decorators: PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    for (const decorate of [...decorators, IsOptional()]) decorate(target, property);
  };
}
