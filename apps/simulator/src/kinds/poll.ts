import { randomBytes } from 'node:crypto';
import { ApiPropertyOptional } from '@nestjs/swagger';
import type { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsString } from 'class-validator';
import { MayBeAbsent } from '../http/may-be-absent.js';
import { type Form, type KindRules, Name, withoutNulls } from './parts/kind.js';

export class PollBody {
  @Name()
  name?: string;

  @ApiPropertyOptional({ description: 'Choices of a poll.', example: ['yes', 'no'], type: [String] })
  @MayBeAbsent()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(12)
  @IsString({ each: true })
  options?: string[];
}

const stanza = () => ({ type: 'poll' });

/** Form of all versions with the same fields. */
const readable: Form<proto.Message.IPollCreationMessage, PollBody> = {
  stanza,
  describe: ({ name, options }) =>
    withoutNulls({ name, options: (options ?? []).map(({ optionName }) => optionName ?? '') }) as PollBody,
};

export const poll: KindRules<PollBody> = {
  body: PollBody,
  required: ['name', 'options'],
  compose: ({ name, options = [] }, { contextInfo }) => ({
    messageContextInfo: { messageSecret: randomBytes(32) },
    pollCreationMessageV3: {
      name,
      options: options.map((optionName) => ({ optionName })),
      selectableOptionsCount: 1,
      contextInfo,
    },
  }),
  forms: {
    pollCreationMessage: readable,
    pollCreationMessageV2: readable,
    pollCreationMessageV3: readable,
    pollCreationMessageV4: { stanza },
    pollCreationMessageV5: { stanza },
  },
};
