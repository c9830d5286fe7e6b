import { ApiProperty } from '@nestjs/swagger';

export class MessagesSummary {
  @ApiProperty({ description: 'Messages that reached a contact.', example: 200 })
  received: number;

  @ApiProperty({ description: 'How often one of their ids was seen again.', example: 0 })
  duplicates: number;

  @ApiProperty({ description: 'Contacts that received at least one.', example: 20 })
  contacts: number;
}

export class ResetCount {
  @ApiProperty({ description: 'How many people the platform knew.', example: 21 })
  forgotten: number;
}

export class MagicNumberView {
  @ApiProperty({ description: 'Digits with country code.', example: '15550100002' })
  phone: string;

  @ApiProperty({ description: 'What becomes of a message to it.', example: 'SENT, DELIVERED, READ' })
  outcome: string;
}

export class MagicNumberList {
  @ApiProperty({ description: 'All magic numbers.', type: [MagicNumberView] })
  items: MagicNumberView[];
}
