import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import { type Upgrade, UPGRADES } from '../../connections/upgrade-faults.js';
import { MayBeAbsent } from '../../http/may-be-absent.js';

const MOST_REQUESTS = 1_000_000;

const UPGRADE_STATUS =
  'WebSocket upgrades of everybody are refused with this HTTP status and the connection is closed; null: they are not.';
const UPGRADE_COUNT =
  'How many upgrades upgrade and upgradeStatus concern from now on; null: all until cleared.';

const MEDIA_STATUS =
  'Up- and downloads of everybody are refused with this HTTP status by the media host; null: they are not.';
const MEDIA_COUNT = 'How many up- and downloads are refused from now on; null: all until cleared.';

const UPGRADE =
  'never: WebSocket upgrades of everybody are not answered. mute: they are, but nothing is said on the WebSocket.';

const PORT_CLOSED =
  'Nobody listens for clients: new connections of everybody are refused, those that exist stay.';

/** Request for the faults of the platform towards all: an upgrade or a download does not say whose it is. */
export class SharedFaultsChange {
  @ApiPropertyOptional({ description: UPGRADE, enum: UPGRADES, example: 'never' })
  @MayBeAbsent()
  @IsIn(UPGRADES)
  upgrade?: Upgrade;

  @ApiPropertyOptional({ description: UPGRADE_STATUS, example: 503, type: Number, nullable: true })
  @IsOptional()
  @IsInt()
  @Min(400)
  @Max(599)
  upgradeStatus?: number | null;

  @ApiPropertyOptional({ description: UPGRADE_COUNT, example: 2, type: Number, nullable: true })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MOST_REQUESTS)
  count?: number | null;

  @ApiPropertyOptional({ description: PORT_CLOSED, example: true })
  @MayBeAbsent()
  @IsBoolean()
  portClosed?: boolean;

  @ApiPropertyOptional({ description: MEDIA_STATUS, example: 503, type: Number, nullable: true })
  @IsOptional()
  @IsInt()
  @Min(400)
  @Max(599)
  mediaStatus?: number | null;

  @ApiPropertyOptional({ description: MEDIA_COUNT, example: 2, type: Number, nullable: true })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MOST_REQUESTS)
  mediaCount?: number | null;
}

export class SharedFaultsView {
  @ApiProperty({ description: UPGRADE, enum: UPGRADES, example: 'auto' })
  upgrade: Upgrade;

  @ApiProperty({ description: UPGRADE_STATUS, example: 503, type: Number, nullable: true })
  upgradeStatus: number | null;

  @ApiProperty({ description: UPGRADE_COUNT, example: 2, type: Number, nullable: true })
  count: number | null;

  @ApiProperty({ description: PORT_CLOSED, example: false })
  portClosed: boolean;

  @ApiProperty({ description: MEDIA_STATUS, example: 503, type: Number, nullable: true })
  mediaStatus: number | null;

  @ApiProperty({ description: MEDIA_COUNT, example: 2, type: Number, nullable: true })
  mediaCount: number | null;
}
