import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  Min,
} from 'class-validator';
import { ACKS, INBOUND_FAULTS, LOGINS } from '../../people/faults.js';
import { MayBeAbsent } from '../../http/may-be-absent.js';
import { ArePhones } from '../../http/phone.js';

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
const LOGIN_EXPIRE =
  'Seconds that such a refusal names as its end, as a temporary ban (402) does; null: none.';
const LOGIN_FLOOR =
  'Lowest revision with which the account may log in: below it is refused with 405, whatever /versions says; null: that holds.';

const BLACK_HOLE =
  'true: as if every packet vanished. Nothing is read or written, and not even the end of a connection is answered.';
const UNANSWERED =
  'Namespaces of queries that are never answered, e.g. usync, encrypt, w:m; w:p: pings; *: all but pings.';
const INBOUND =
  'undecryptable: messages to the account are broken until the client asks for them again. twice: each comes twice.';
const INBOUND_COUNT = 'How many messages `inbound` concerns from now on; null: all until cleared.';

/** Request for the faults of the platform towards an account. */
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
  @ArePhones()
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

  @ApiPropertyOptional({ description: LOGIN_EXPIRE, example: 3600, type: Number, nullable: true })
  @IsOptional()
  @IsInt()
  loginExpire?: number | null;

  @ApiPropertyOptional({ description: LOGIN_FLOOR, example: 1_043_857_761, type: Number, nullable: true })
  @IsOptional()
  @IsInt()
  @Min(0)
  loginFloor?: number | null;

  @ApiPropertyOptional({ description: BLACK_HOLE, example: false })
  @MayBeAbsent()
  @IsBoolean()
  blackHole?: boolean;

  @ApiPropertyOptional({ description: UNANSWERED, example: ['usync'], type: [String] })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(20)
  @IsString({ each: true })
  unanswered?: string[];

  @ApiPropertyOptional({ description: INBOUND, enum: INBOUND_FAULTS, example: 'twice' })
  @MayBeAbsent()
  @IsIn(INBOUND_FAULTS)
  inbound?: (typeof INBOUND_FAULTS)[number];

  @ApiPropertyOptional({ description: INBOUND_COUNT, example: 1, type: Number, nullable: true })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MOST_SENDS)
  inboundCount?: number | null;
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

  @ApiProperty({ description: LOGIN_EXPIRE, example: 3600, type: Number, nullable: true })
  loginExpire: number | null;

  @ApiProperty({ description: LOGIN_FLOOR, example: 1_043_857_761, type: Number, nullable: true })
  loginFloor: number | null;

  @ApiProperty({ description: BLACK_HOLE, example: false })
  blackHole: boolean;

  @ApiProperty({ description: UNANSWERED, example: ['usync'], type: [String] })
  unanswered: string[];

  @ApiProperty({ description: INBOUND, enum: INBOUND_FAULTS, example: 'auto' })
  inbound: (typeof INBOUND_FAULTS)[number];

  @ApiProperty({ description: INBOUND_COUNT, example: 1, type: Number, nullable: true })
  inboundCount: number | null;
}
