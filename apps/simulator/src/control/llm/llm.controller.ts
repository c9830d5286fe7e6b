import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ErrorBody } from '../../http/refusals.js';
import { CallsSince, LlmCallList, LlmKeyList, LlmKeyView } from './call-bodies.js';
import { KeyPipe } from './key.js';
import { LlmService } from './llm.service.js';
import { RulesBody, RulesView } from './rule-bodies.js';

const KEY = { name: 'key', description: 'Key with which the stand-in is called.', example: 'test-key' };
const COUNTS = { status: 200, type: LlmKeyView, description: 'The counts as they are now.' };
const RULES = { status: 200, type: RulesView, description: 'The rules as they are now.' };

@ApiTags('language models')
@ApiResponse({ status: '4XX', type: ErrorBody, description: 'Refused; the message says why.' })
@Controller('llm/keys')
export class LlmController {
  constructor(private readonly llm: LlmService) {}

  @Get()
  @ApiOperation({ summary: 'Lists the keys with which the stand-in for language models was called' })
  @ApiResponse({ status: 200, type: LlmKeyList, description: 'All of them, at most 1,000.' })
  list(): LlmKeyList {
    return { items: this.llm.list() };
  }

  @Get(':key')
  @ApiOperation({ summary: 'Counts what the stand-in has given to a key, and what was cut' })
  @ApiParam(KEY)
  @ApiResponse(COUNTS)
  get(@Param('key', KeyPipe) key: string): LlmKeyView {
    return this.llm.get(key);
  }

  @Delete(':key')
  @ApiOperation({
    summary: 'Forgets rules, counts and calls of a key, and shows the counts for the last time',
  })
  @ApiParam(KEY)
  @ApiResponse(COUNTS)
  forget(@Param('key', KeyPipe) key: string): LlmKeyView {
    return this.llm.forget(key);
  }

  @Get(':key/rules')
  @ApiOperation({ summary: 'Shows how the stand-in answers a key' })
  @ApiParam(KEY)
  @ApiResponse(RULES)
  rules(@Param('key', KeyPipe) key: string): RulesView {
    return this.llm.rules(key);
  }

  @Put(':key/rules')
  @ApiOperation({
    summary: 'Says how the stand-in answers a key, in place of what was said before',
    description:
      'Rules that hold once (`times`) are a script. Where none holds, the answer repeats what was written. Calls that are being answered stay as they are.',
  })
  @ApiParam(KEY)
  @ApiResponse(RULES)
  setRules(@Param('key', KeyPipe) key: string, @Body() body: RulesBody): RulesView {
    return this.llm.setRules(key, body);
  }

  @Get(':key/calls')
  @ApiOperation({
    summary: 'Lists what a key has asked for',
    description:
      'Ask again with `since` to learn what has come since. The latest 1,000 of all keys are kept.',
  })
  @ApiParam(KEY)
  @ApiResponse({ status: 200, type: LlmCallList, description: 'What came after `since`.' })
  calls(@Param('key', KeyPipe) key: string, @Query() { since = 0 }: CallsSince): LlmCallList {
    return this.llm.calls(key, since);
  }
}
