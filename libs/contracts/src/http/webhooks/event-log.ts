import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsISO8601,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  MaxLength,
} from 'class-validator';
import { PUBLIC_EVENTS, type PublicEvent } from '../../events/events.js';
import { PageQuery } from '../page.js';

const WRITTEN = new Map<unknown, boolean>([
  ['true', true],
  ['false', false],
]);

/** Declares a switch of a query that is on where it is left out. */
function LeavesOut(what: string): PropertyDecorator {
  return (target, property) => {
    const decorators = [
      ApiPropertyOptional({
        description: `false leaves out ${what}. They are there by default.`,
        example: false,
      }),
      IsOptional(),
      Transform(({ value }: { value: unknown }) => WRITTEN.get(value) ?? value),
      IsBoolean(),
    ];
    for (const decorate of decorators) decorate(target, property);
  };
}

/** Query of `GET /v1/events`: filters narrow each other. */
export class EventLogQuery extends PickType(PageQuery, ['limit']) {
  @ApiPropertyOptional({
    description: 'Cursor of the page before; left out: from the oldest event that is kept.',
    maxLength: 512,
  })
  @IsOptional()
  @IsString()
  @MaxLength(512)
  after?: string;

  @ApiPropertyOptional({ description: 'Only this event.', enum: PUBLIC_EVENTS, example: 'message.received' })
  @IsOptional()
  @IsIn(PUBLIC_EVENTS)
  event?: PublicEvent;

  @ApiPropertyOptional({ description: 'Only events of this session.', format: 'uuid' })
  @IsOptional()
  @IsUUID()
  sessionId?: string;

  @LeavesOut('what is said in groups (`isGroup: true`)')
  groups?: boolean;

  @LeavesOut(
    'what is written on the own phone (`message.received` and the like with `fromMe: true`; what becomes of sends stays)',
  )
  own?: boolean;

  @LeavesOut('edits and revocations (`change`)')
  changes?: boolean;
}

/** Query of `GET /v1/events/stream`: as of the log, which it goes on from. */
export class EventStreamQuery extends PickType(EventLogQuery, [
  'event',
  'sessionId',
  'groups',
  'own',
  'changes',
]) {
  @ApiPropertyOptional({
    description:
      'Where to go on: `nextCursor` of `GET /v1/events`, or the id of the last event of a stream. Left out: from now on. The header `Last-Event-ID` takes its place.',
    maxLength: 512,
  })
  @IsOptional()
  @IsString()
  @MaxLength(512)
  after?: string;
}

/** Event of a tenant, whether an endpoint was subscribed to it or not. */
export class LoggedEvent {
  @ApiProperty({
    description:
      'Event id. Its delivery to an endpoint has the UUID of version 5 of both ids, one after the other as text, in the namespace b0d7a3a4-2f0c-5b0e-9a57-6d1f4c1f9f57: so what came by webhook can be told from what did not.',
    format: 'uuid',
  })
  @IsUUID()
  id: string;

  @ApiProperty({ description: 'Event name.', example: 'message.received' })
  @IsString()
  event: string;

  @ApiProperty({
    description: 'When the event was taken in (ISO 8601, UTC).',
    example: '2026-01-31T12:00:00.000Z',
  })
  @IsISO8601()
  createdAt: string;

  @ApiProperty({
    description:
      'Event data, the same as in the webhook; the `qr` of `session.qr_generated` only for keys with `admin:*`.',
    type: 'object',
    additionalProperties: true,
    example: { sessionId: '0198c0de-0000-7000-8000-000000000001' },
  })
  @IsObject()
  payload: object;
}

/** Answer of `GET /v1/events`. */
export class EventLogPage {
  @ApiProperty({
    description:
      'Events in order of arrival. A page may hold fewer than `limit`, or none, although there are more.',
    type: [LoggedEvent],
  })
  items: LoggedEvent[];

  @ApiProperty({
    description:
      'Where the page ends: keep it and give it as `after` next time. null: there is no event yet.',
    type: String,
    nullable: true,
  })
  nextCursor: string | null;

  @ApiProperty({ description: 'Whether there are events after this page already.', example: false })
  more: boolean;
}
