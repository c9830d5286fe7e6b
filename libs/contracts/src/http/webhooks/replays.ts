import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsBoolean, IsIn, IsInt, IsISO8601, IsOptional, IsUUID, ValidateNested } from 'class-validator';
import { EventFilter } from './deliveries.js';

/** States of a delivery that can be replayed. */
export const REPLAYABLE_STATUSES = ['DELIVERED', 'DEAD'] as const;
/** Value of `REPLAYABLE_STATUSES`. */
export type ReplayableStatus = (typeof REPLAYABLE_STATUSES)[number];

/** States of a replay. `CANCELED`: on request, or because its endpoint was deleted. */
export const REPLAY_STATES = ['RUNNING', 'DONE', 'CANCELED'] as const;
/** Value of `REPLAY_STATES`. */
export type ReplayState = (typeof REPLAY_STATES)[number];

/** Body of `POST /v1/webhooks/:id/replay`: filters narrow each other; none means everything that is finished. */
export class ReplayBody extends EventFilter {
  @ApiPropertyOptional({
    description: 'Only deliveries that stand here: DEAD replays the dead letters.',
    enum: REPLAYABLE_STATUSES,
    example: 'DEAD',
  })
  @IsOptional()
  @IsIn(REPLAYABLE_STATUSES)
  status?: ReplayableStatus;

  @ApiPropertyOptional({
    description: 'true only counts what would be replayed.',
    example: true,
  })
  @IsOptional()
  @IsBoolean()
  dryRun?: boolean;
}

/** A replay of many deliveries of an endpoint, and how far it is. */
export class Replay {
  @ApiProperty({ description: 'Replay id.', format: 'uuid' })
  @IsUUID()
  id: string;

  @ApiProperty({ description: 'Endpoint whose deliveries are replayed.', format: 'uuid' })
  @IsUUID()
  endpointId: string;

  @ApiProperty({
    description:
      'RUNNING until every delivery has had its attempt; while the endpoint is paused it waits. CANCELED: on request, or because the endpoint was deleted.',
    enum: REPLAY_STATES,
    example: 'RUNNING',
  })
  @IsIn(REPLAY_STATES)
  state: ReplayState;

  @ApiProperty({
    description:
      'Deliveries to replay. At the end exactly those that were: one that was replayed by itself meanwhile is left out.',
    type: 'integer',
    example: 1200,
  })
  @IsInt()
  total: number;

  @ApiProperty({ description: 'Delivered again.', type: 'integer', example: 800 })
  @IsInt()
  done: number;

  @ApiProperty({
    description: 'Failed again: a dead letter is one again, what was delivered before stays delivered.',
    type: 'integer',
    example: 3,
  })
  @IsInt()
  failed: number;

  @ApiProperty({ description: 'When it was asked for (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  @IsISO8601()
  createdAt: string;

  @ApiProperty({
    description: 'When it ended (ISO 8601, UTC); null while it is RUNNING.',
    type: String,
    nullable: true,
    example: null,
  })
  @IsOptional()
  @IsISO8601()
  finishedAt: string | null;
}

/** Answer of `POST /v1/webhooks/:id/replay`. */
export class ReplayStart {
  @ApiProperty({ description: 'Deliveries that are, or would be, replayed.', type: 'integer', example: 1200 })
  @IsInt()
  total: number;

  @ApiProperty({
    description: 'The replay that has begun; null after a dry run.',
    type: () => Replay,
    nullable: true,
  })
  @IsOptional()
  @ValidateNested()
  @Type(() => Replay)
  replay: Replay | null;
}
