import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, Min } from 'class-validator';
import { CONNECTION_EVENTS, type ConnectionEvent } from '../../connections/connection-log.js';
import { MayBeAbsent } from '../../http/may-be-absent.js';

export class ConnectionsSince {
  @ApiPropertyOptional({ description: '`cursor` of an earlier answer.', example: 12, default: 0 })
  @MayBeAbsent()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  since?: number;
}

export class ConnectionEventView {
  @ApiProperty({ description: 'Phone of the account.', example: '4915550001000' })
  phone: string;

  @ApiProperty({ description: 'Number of the linked device.', example: 1 })
  device: number;

  @ApiProperty({
    description: 'login: it was let in. end: its connection ended and no other had taken its place.',
    enum: CONNECTION_EVENTS,
    example: 'login',
  })
  event: ConnectionEvent['event'];

  @ApiProperty({ description: 'When.', example: '2026-01-05T09:30:00.000Z', type: String })
  at: Date;
}

export class ConnectionList {
  @ApiProperty({ description: 'In order of time.', type: [ConnectionEventView] })
  items: ConnectionEventView[];

  @ApiProperty({ description: 'What comes later comes after this.', example: 14 })
  cursor: number;

  @ApiProperty({ description: 'How many of those asked for were too old to be kept.', example: 0 })
  lost: number;

  @ApiProperty({
    description: 'The time of this answer.',
    example: '2026-01-05T09:30:00.000Z',
    type: String,
  })
  now: Date;
}
