import { Body, Controller, Headers, HttpCode, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { PasskeyAssertion } from '@svc/contracts';
import type { FastifyRequest } from 'fastify';
import { Public } from '../auth/authorization.js';
import { PublicPaces } from '../widget/public-paces.js';
import { HelperLinks } from './helper-links.service.js';
import { type Challenge, keyIn, LookBody } from './link-bodies.js';

/** `/v1/public/passkey`: for our own browser helper (`apps/link-helper`), which answers one challenge. It is in no description. */
@ApiExcludeController()
@Controller('v1/public/passkey')
export class HelperController {
  constructor(
    private readonly helper: HelperLinks,
    private readonly paces: PublicPaces,
  ) {}

  @Post('open')
  @HttpCode(200)
  @Public()
  open(@Req() { ip }: FastifyRequest, @Body() { token }: LookBody): Promise<Challenge> {
    this.paces.takeAddress(ip);
    return this.helper.open(token);
  }

  @Post('response')
  @HttpCode(204)
  @Public()
  answer(
    @Req() { ip }: FastifyRequest,
    @Headers('authorization') key: string | undefined,
    @Body() assertion: PasskeyAssertion,
  ): Promise<void> {
    this.paces.takeAddress(ip);
    return this.helper.answer(keyIn(key), assertion);
  }
}
