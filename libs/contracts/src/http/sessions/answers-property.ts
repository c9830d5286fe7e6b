import { ApiProperty } from '@nestjs/swagger';
import { type Answerer, ANSWERERS } from '../../enums.js';

/** This property says who answers a session, beside its mode. */
export function AnswersProperty(example: Answerer = 'nobody'): PropertyDecorator {
  return ApiProperty({
    description:
      'Who answers what people write. webhook: your bot, through the bound endpoint (EXTERNAL), also while that is paused: events wait for it then. nobody: MANAGED, and its assistant is off, as it is until you switch it on. assistant: MANAGED, and its assistant answers (its published `mode` is auto).',
    enum: ANSWERERS,
    example,
  });
}
