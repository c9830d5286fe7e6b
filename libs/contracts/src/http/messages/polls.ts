import { ApiProperty } from '@nestjs/swagger';

/** One option of a poll in its result. */
export class PollOption {
  @ApiProperty({ description: 'Name of the option.', example: 'yes' })
  name: string;

  @ApiProperty({ description: 'How many voters have chosen it.', type: 'integer', minimum: 0, example: 3 })
  votes: number;
}

/** Last vote of a voter. */
export class PollVoteView {
  @ApiProperty({ description: 'Address of the voter.', example: '4915112345678@s.whatsapp.net' })
  voter: string;

  @ApiProperty({
    description: "The voter's phone number in E.164 form; null where the platform hides it.",
    type: String,
    nullable: true,
    example: '+4915112345678',
  })
  phone: string | null;

  @ApiProperty({
    description: 'Options that the voter has chosen; none: the vote was taken back.',
    type: [String],
    example: ['yes'],
  })
  options: string[];

  @ApiProperty({
    description: 'Number of choices that are no option of the poll as it was sent.',
    type: 'integer',
    minimum: 0,
    example: 0,
  })
  unknownOptions: number;

  @ApiProperty({ description: 'True where the vote could not be read.', example: false })
  unreadable: boolean;

  @ApiProperty({
    description: "When the voter's device says that it was given (ISO 8601, UTC).",
    example: '2026-01-31T12:00:00.120Z',
  })
  votedAt: string;
}

/** Answer of `GET /v1/messages/:jobId/poll`. */
export class PollResult {
  @ApiProperty({ description: 'Id of the message.', format: 'uuid' })
  messageId: string;

  @ApiProperty({ description: 'The question.', type: String, nullable: true, example: 'Lunch?' })
  name: string | null;

  @ApiProperty({ description: 'The options, in the order of the poll.', type: [PollOption] })
  options: PollOption[];

  @ApiProperty({
    description: 'How many have a vote in it; who took theirs back does not count.',
    type: 'integer',
    minimum: 0,
    example: 4,
  })
  voters: number;

  @ApiProperty({
    description: 'The last vote of each voter, in the order in which they were given; 2,000 at most.',
    type: [PollVoteView],
  })
  votes: PollVoteView[];
}
