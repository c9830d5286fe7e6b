import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsIn } from 'class-validator';
import { TYPING_STATES, type TypingState } from '../../people/typing.js';
import { IsPhone } from '../../http/phone.js';

const STATE = 'composing: writes. recording: records a voice note. paused: has stopped.';

export class StartTyping {
  @ApiProperty({ description: 'Phone of the account.', example: '4915550001000' })
  @IsPhone()
  to: string;

  @ApiProperty({ description: STATE, enum: TYPING_STATES, example: 'composing' })
  @IsIn(TYPING_STATES)
  state: TypingState;
}

export class ChangePresence {
  @ApiProperty({ description: 'Whether the contact is there.', example: true })
  @IsBoolean()
  available: boolean;
}

export class NoticeCount {
  @ApiProperty({ description: 'How many devices were told.', example: 1 })
  devices: number;
}

export class SeenTypingView {
  @ApiProperty({ description: 'Phone of the account.', example: '4915550001000' })
  from: string;

  @ApiProperty({
    description: 'Address of the group it is in; null: in the chat of the two.',
    type: String,
    nullable: true,
    example: null,
  })
  group: string | null;

  @ApiProperty({ description: STATE, enum: TYPING_STATES, example: 'composing' })
  state: TypingState;

  @ApiProperty({ description: 'Since when.', example: '2026-01-05T09:30:00.000Z' })
  at: string;

  @ApiProperty({ description: 'How often it was told.', example: 2 })
  changes: number;
}

export class SeenTypingList {
  @ApiProperty({ description: 'One entry per account and chat.', type: [SeenTypingView] })
  items: SeenTypingView[];
}
