import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { PhonePipe } from '../../http/phone.js';
import { Refusal } from '../../http/refusal.js';
import { ErrorBody } from '../../http/refusals.js';
import { withoutUndefined } from '../../http/without-undefined.js';
import { Platform } from '../../platform.js';
import {
  AnswerChallenge,
  AssertionView,
  ConfirmPasskey,
  PasskeyKeyView,
  PasskeyView,
} from './passkey-bodies.js';

const VIEW = { status: 200, type: PasskeyView, description: 'The latest ceremony of the number.' };

/** Controller of what phone and browser do where a device is asked for the passkey of an account. */
@ApiTags('linking')
@ApiParam({ name: 'phone', description: 'Phone of the account.', example: '4915550001000' })
@ApiResponse({ status: '4XX', type: ErrorBody, description: 'Refused; the message says why.' })
@Controller('accounts/:phone/passkey')
export class PasskeyController {
  constructor(private readonly platform: Platform) {}

  @Get()
  @ApiOperation({ summary: 'Shows the screen of the phone, and what the device has done so far' })
  @ApiResponse(VIEW)
  get(@Param('phone', PhonePipe) phone: string): PasskeyView {
    const { stage, problem, code, isProofTaken } = this.platform.pairing.passkeys.of(phone);
    return { stage, problem: problem ?? null, code: code ?? null, proofTaken: isProofTaken };
  }

  @Get('key')
  @ApiOperation({ summary: 'Gives out the passkey, for a browser of a test' })
  @ApiResponse({ status: 200, type: PasskeyKeyView, description: 'The passkey.' })
  key(@Param('phone', PhonePipe) phone: string): PasskeyKeyView {
    return this.platform.pairing.passkeys.authenticatorOf(phone).key;
  }

  @Post('answer')
  @HttpCode(200)
  @ApiOperation({ summary: 'Answers a challenge as the browser of the owner would' })
  @ApiResponse({ status: 200, type: AssertionView, description: 'What the browser gives to the page.' })
  answer(
    @Param('phone', PhonePipe) phone: string,
    @Body() { options, ...circumstances }: AnswerChallenge,
  ): AssertionView {
    const { challenge } = options;
    if (typeof challenge !== 'string')
      throw new Refusal(400, 'VALIDATION_FAILED', 'options have no challenge', { field: 'options' });
    const authenticator = this.platform.pairing.passkeys.authenticatorOf(phone);
    return authenticator.answer(challenge, withoutUndefined(circumstances));
  }

  @Post('confirm')
  @HttpCode(200)
  @ApiOperation({ summary: 'Says on the phone that the device shows this code' })
  @ApiResponse(VIEW)
  confirm(@Param('phone', PhonePipe) phone: string, @Body() { code }: ConfirmPasskey): PasskeyView {
    this.platform.pairing.passkeys.of(phone).confirm(code);
    return this.get(phone);
  }
}
