import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsBoolean, IsIn, IsInt, IsString, Length, Max, Min } from 'class-validator';
import { MayBeAbsent } from '../../http/may-be-absent.js';
import { ArePhones, IsPhone } from '../../http/phone.js';

const HABITS = ['auto', 'never'] as const;
const UNREADABLE = 'How many of the next messages cannot be read at first: each is asked for again.';
const MOST_UNREADABLE = 1_000_000;
const LONGEST_DELAY_MS = 24 * 3_600_000;

export class CreateContact {
  @ApiProperty({ description: 'Digits with country code.', example: '4915550002000' })
  @IsPhone()
  phone: string;

  @ApiPropertyOptional({ description: 'Name that travels with messages.', example: 'Ann' })
  @MayBeAbsent()
  @IsString()
  @Length(1, 100)
  name?: string;

  @ApiPropertyOptional({ description: 'false: the number is not on the platform.', example: true })
  @MayBeAbsent()
  @IsBoolean()
  registered?: boolean;

  @ApiPropertyOptional({
    description:
      'Other spellings of the number, in place of those it had: a look-up of one is answered with `phone`, and what is sent to one reaches nobody.',
    example: ['4915550002999'],
    type: [String],
  })
  @MayBeAbsent()
  @ArrayMaxSize(10)
  @ArePhones()
  aliases?: string[];
}

/** Request for the behaviour of a contact. */
export class BehaviourChange {
  @ApiPropertyOptional({ description: 'Whether delivery receipts are given.', enum: HABITS, example: 'auto' })
  @MayBeAbsent()
  @IsIn(HABITS)
  delivered?: 'auto' | 'never';

  @ApiPropertyOptional({ description: 'Time from arrival to the delivery receipt.', example: 0 })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(LONGEST_DELAY_MS)
  deliveredDelayMs?: number;

  @ApiPropertyOptional({ description: 'Whether messages are read unasked.', enum: HABITS, example: 'never' })
  @MayBeAbsent()
  @IsIn(HABITS)
  read?: 'auto' | 'never';

  @ApiPropertyOptional({ description: 'Time from the delivery receipt to the read receipt.', example: 500 })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(LONGEST_DELAY_MS)
  readDelayMs?: number;

  @ApiPropertyOptional({
    description: 'false: no receipts at all until it is true again; then those that are due.',
    example: true,
  })
  @MayBeAbsent()
  @IsBoolean()
  online?: boolean;

  @ApiPropertyOptional({ description: UNREADABLE, example: 1 })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(MOST_UNREADABLE)
  unreadable?: number;
}

export class BehaviourView {
  @ApiProperty({ description: 'Whether delivery receipts are given.', enum: HABITS, example: 'auto' })
  delivered: 'auto' | 'never';

  @ApiProperty({ description: 'Time from arrival to the delivery receipt.', example: 0 })
  deliveredDelayMs: number;

  @ApiProperty({ description: 'Whether messages are read unasked.', enum: HABITS, example: 'never' })
  read: 'auto' | 'never';

  @ApiProperty({ description: 'Time from the delivery receipt to the read receipt.', example: 0 })
  readDelayMs: number;

  @ApiProperty({ description: 'Whether the contact gives receipts now.', example: true })
  online: boolean;

  @ApiProperty({ description: UNREADABLE, example: 0 })
  unreadable: number;
}

export class ContactView {
  @ApiProperty({ description: 'Digits with country code.', example: '4915550002000' })
  phone: string;

  @ApiProperty({ description: 'Name, if it has one.', example: 'Ann', type: String, nullable: true })
  name: string | null;

  @ApiProperty({ description: 'Address by number.', example: '4915550002000@s.whatsapp.net' })
  jid: string;

  @ApiProperty({
    description: "The platform's other address of the same person.",
    example: '100551234567890@lid',
  })
  lid: string;

  @ApiProperty({ description: 'Other spellings of the number.', example: ['4915550002999'], type: [String] })
  aliases: string[];

  @ApiProperty({ description: 'Whether the number is on the platform.', example: true })
  registered: boolean;

  @ApiProperty({ description: 'What it does on its own.', type: BehaviourView })
  behaviour: BehaviourView;
}

export class ContactList {
  @ApiProperty({ description: 'All contacts.', type: [ContactView] })
  items: ContactView[];
}
