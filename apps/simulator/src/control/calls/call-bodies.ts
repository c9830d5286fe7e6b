import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsString, Length } from 'class-validator';
import { CALL_ENDS, type CallEnd, type CallOptions } from '../../delivery/calls.js';
import { MayBeAbsent } from '../../http/may-be-absent.js';
import { IsPhone } from '../../http/phone.js';

const ADDRESSINGS = ['lid', 'lid-only', 'pn'] as const;
const STATES = ['ringing', 'rejected', ...CALL_ENDS] as const;

export class PlaceCall {
  @ApiProperty({ description: 'Phone of the account that is called.', example: '4915550001000' })
  @IsPhone()
  to: string;

  @ApiPropertyOptional({ description: 'Whether it is a video call.', example: true, default: false })
  @MayBeAbsent()
  @IsBoolean()
  video?: boolean;

  @ApiPropertyOptional({
    description: 'Address of the group that is called; left out: none.',
    example: '120363000000000001@g.us',
  })
  @MayBeAbsent()
  @IsString()
  @Length(1, 100)
  group?: string;

  @ApiPropertyOptional({
    description: 'Address it comes from. lid: with the number beside it. lid-only: without. pn: the number.',
    enum: ADDRESSINGS,
    example: 'lid-only',
    default: 'lid',
  })
  @MayBeAbsent()
  @IsIn(ADDRESSINGS)
  addressing?: CallOptions['addressing'];

  @ApiPropertyOptional({
    description: 'Whether a device that rejects it gets an answer.',
    example: false,
    default: true,
  })
  @MayBeAbsent()
  @IsBoolean()
  answersReject?: boolean;
}

export class EndCall {
  @ApiProperty({
    description: 'terminate: the caller hangs up. timeout: nobody answers. accept, reject: by the phone.',
    enum: CALL_ENDS,
    example: 'terminate',
  })
  @IsIn(CALL_ENDS)
  how: CallEnd;
}

export class CallView {
  @ApiProperty({ description: 'Id of the call.', example: '8F3A0C5B7D1E42969F0B6A1C2D3E4F50' })
  id: string;

  @ApiProperty({
    description: 'State of it; rejected: by a linked device.',
    enum: STATES,
    example: 'ringing',
  })
  state: (typeof STATES)[number];
}
