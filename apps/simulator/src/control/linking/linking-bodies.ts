import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsArray, IsBoolean, IsIn, IsInt, IsString, Length, Max, Min } from 'class-validator';
import { MayBeAbsent } from '../../http/may-be-absent.js';
import { type LinkingRules, REDRAW_CHILDREN } from '../../pairing/linking-rules.js';
import { PasskeyRulesChange, PasskeyRulesView } from './passkey-bodies.js';

const REFRESH_ON_SCAN =
  'How many scans are answered by an order to draw the code anew, with the same reference and another secret; each answers 409.';
const REFRESH_CHILD = 'Name under which that order comes.';
const PRECURSOR = 'Whether an empty message comes before the answer of the phone to a typed code.';
const REFRESH_CODE = 'How many typed codes are answered by a request for another one; each answers 409.';
const FORCE_MANUAL = 'What that request says in force_manual_refresh.';
const SYSTEMS = 'Systems that a device with a typed code may name; others are refused with 400.';

/** Request for the rules of linking a number; what is not given stays. */
export class LinkingChange extends PasskeyRulesChange implements Partial<LinkingRules> {
  @ApiPropertyOptional({ description: REFRESH_ON_SCAN, example: 1 })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(100)
  refreshOnScan?: number;

  @ApiPropertyOptional({
    description: REFRESH_CHILD,
    enum: REDRAW_CHILDREN,
    example: 'pair-device-rotate-qr',
  })
  @MayBeAbsent()
  @IsIn(REDRAW_CHILDREN)
  refreshChild?: LinkingRules['refreshChild'];

  @ApiPropertyOptional({ description: PRECURSOR, example: true })
  @MayBeAbsent()
  @IsBoolean()
  precursor?: boolean;

  @ApiPropertyOptional({ description: REFRESH_CODE, example: 1 })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(100)
  refreshCode?: number;

  @ApiPropertyOptional({ description: FORCE_MANUAL, example: true })
  @MayBeAbsent()
  @IsBoolean()
  forceManualRefresh?: boolean;

  @ApiPropertyOptional({ description: SYSTEMS, example: ['Windows'], type: [String] })
  @MayBeAbsent()
  @IsArray()
  @IsString({ each: true })
  @Length(1, 100, { each: true })
  systems?: string[];
}

class NoticeView {
  @ApiProperty({ description: 'Type of the notification.', example: 'companion_reg_refresh' })
  type: string;

  @ApiProperty({ description: 'Stage or tag of its content.', example: 'pair-device-rotate-qr' })
  about: string;

  @ApiProperty({ description: 'Whether the device has acknowledged it.', example: true })
  acked: boolean;
}

export class LinkingView extends PasskeyRulesView implements LinkingRules {
  @ApiProperty({ description: REFRESH_ON_SCAN, example: 1 })
  refreshOnScan: number;

  @ApiProperty({ description: REFRESH_CHILD, enum: REDRAW_CHILDREN, example: 'companion_reg_refresh' })
  refreshChild: LinkingRules['refreshChild'];

  @ApiProperty({ description: PRECURSOR, example: false })
  precursor: boolean;

  @ApiProperty({ description: REFRESH_CODE, example: 0 })
  refreshCode: number;

  @ApiProperty({ description: FORCE_MANUAL, example: false })
  forceManualRefresh: boolean;

  @ApiProperty({ description: SYSTEMS, example: ['Windows'], type: [String] })
  systems: string[];

  @ApiProperty({
    description: 'Notifications to devices that were about to be linked, in order; the latest 100.',
    type: [NoticeView],
  })
  notices: NoticeView[];
}

export class UnlinkedLife {
  @ApiProperty({
    description: 'How long a new connection lives that links nothing, in ms.',
    example: 210_000,
  })
  @IsInt()
  @Min(100)
  @Max(3_600_000)
  lifeMs: number;
}
