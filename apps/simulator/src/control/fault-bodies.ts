import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  Matches,
  Max,
  Min,
} from 'class-validator';
import { ACKS, LOGINS } from '../people/faults.js';
import { MayBeAbsent } from './absent.js';

const LONGEST_DELAY_MS = 3_600_000;
const MOST_SENDS = 1_000_000;
const MOST_RECIPIENTS = 1_000;

const ACK =
  'auto: an ack for every send. never: the message arrives, but no ack comes. lost: it does not arrive either.';
const ACK_DELAY = 'Time from arrival to the ack; receipts of the contact follow the ack.';
const ACK_ERROR = 'Every send is refused with this code and arrives nowhere; null: none is.';
const COUNT = 'How many sends ack, ackDelayMs and ackError concern from now on; null: all until cleared.';
const RECIPIENTS = 'Phones that ack, ackDelayMs and ackError concern; empty: everybody.';
const SILENT =
  'true: connections stay open, but nothing is heard or said on them: no pings, acks, messages, logins.';
const LOGIN = 'never: pings are answered, the login is not, and the connection stays open.';
const LOGIN_ERROR = 'Logins are refused with this code as reason; null: they are not.';

/** How the platform shall misbehave towards an account. */
export class FaultsChange {
  @ApiPropertyOptional({ description: ACK, enum: ACKS, example: 'never' })
  @MayBeAbsent()
  @IsIn(ACKS)
  ack?: (typeof ACKS)[number];

  @ApiPropertyOptional({ description: ACK_DELAY, example: 2000 })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(LONGEST_DELAY_MS)
  ackDelayMs?: number;

  @ApiPropertyOptional({ description: ACK_ERROR, example: 463, type: Number, nullable: true })
  @IsOptional()
  @IsInt()
  @Min(100)
  @Max(999)
  ackError?: number | null;

  @ApiPropertyOptional({ description: COUNT, example: 3, type: Number, nullable: true })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MOST_SENDS)
  count?: number | null;

  @ApiPropertyOptional({ description: RECIPIENTS, example: ['4915550002000'], type: [String] })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(MOST_RECIPIENTS)
  @Matches(/^[1-9]\d{6,14}$/, {
    each: true,
    message: 'each of $property must be 7 to 15 digits, country code first',
  })
  recipients?: string[];

  @ApiPropertyOptional({ description: SILENT, example: false })
  @MayBeAbsent()
  @IsBoolean()
  silent?: boolean;

  @ApiPropertyOptional({ description: LOGIN, enum: LOGINS, example: 'auto' })
  @MayBeAbsent()
  @IsIn(LOGINS)
  login?: (typeof LOGINS)[number];

  @ApiPropertyOptional({ description: LOGIN_ERROR, example: 403, type: Number, nullable: true })
  @IsOptional()
  @IsInt()
  @Min(100)
  @Max(999)
  loginError?: number | null;
}

export class FaultsView {
  @ApiProperty({ description: ACK, enum: ACKS, example: 'auto' })
  ack: (typeof ACKS)[number];

  @ApiProperty({ description: ACK_DELAY, example: 0 })
  ackDelayMs: number;

  @ApiProperty({ description: ACK_ERROR, example: 463, type: Number, nullable: true })
  ackError: number | null;

  @ApiProperty({ description: COUNT, example: 3, type: Number, nullable: true })
  count: number | null;

  @ApiProperty({ description: RECIPIENTS, example: ['4915550002000'], type: [String] })
  recipients: string[];

  @ApiProperty({ description: SILENT, example: false })
  silent: boolean;

  @ApiProperty({ description: LOGIN, enum: LOGINS, example: 'auto' })
  login: (typeof LOGINS)[number];

  @ApiProperty({ description: LOGIN_ERROR, example: 403, type: Number, nullable: true })
  loginError: number | null;
}

const UPGRADE_STATUS =
  'WebSocket upgrades of everybody are refused with this HTTP status and the connection is closed; null: they are not.';
const UPGRADE_COUNT = 'How many upgrades are refused from now on; null: all until cleared.';

const MEDIA_STATUS =
  'Up- and downloads of everybody are refused with this HTTP status by the media host; null: they are not.';
const MEDIA_COUNT = 'How many up- and downloads are refused from now on; null: all until cleared.';

/** How the door shall misbehave. An upgrade does not say yet whose it is. */
export class DoorFaultsChange {
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
  @Max(MOST_SENDS)
  count?: number | null;

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
  @Max(MOST_SENDS)
  mediaCount?: number | null;
}

export class DoorFaultsView {
  @ApiProperty({ description: UPGRADE_STATUS, example: 503, type: Number, nullable: true })
  upgradeStatus: number | null;

  @ApiProperty({ description: UPGRADE_COUNT, example: 2, type: Number, nullable: true })
  count: number | null;

  @ApiProperty({ description: MEDIA_STATUS, example: 503, type: Number, nullable: true })
  mediaStatus: number | null;

  @ApiProperty({ description: MEDIA_COUNT, example: 2, type: Number, nullable: true })
  mediaCount: number | null;
}
