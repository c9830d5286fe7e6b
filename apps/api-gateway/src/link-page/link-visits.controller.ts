import { Body, Controller, Delete, Get, Headers, HttpCode, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { AppError, ConfirmPasskeyBody, type PairingCode, PasskeyAssertion, type PasskeyView } from '@svc/contracts';
import type { FastifyRequest } from 'fastify';
import { Public } from '../auth/authorization.js';
import { PublicPaces } from '../widget/public-paces.js';
import {
  type LinkOffer,
  type LinkProgress,
  LookBody,
  OpenBody,
  type OpenedLink,
  SECRET,
  TypedCodeBody,
} from './link-bodies.js';
import { LinkVisits } from './link-visits.service.js';

/** `/v1/public/link`: for our own page (`public/link-page`), without an API key. It is in no description: nobody else calls it. */
@ApiExcludeController()
@Controller('v1/public/link')
export class LinkVisitsController {
  constructor(
    private readonly visits: LinkVisits,
    private readonly paces: PublicPaces,
  ) {}

  @Post('look')
  @HttpCode(200)
  @Public()
  look(@Req() { ip }: FastifyRequest, @Body() { token }: LookBody): Promise<LinkOffer> {
    this.paces.takeAddress(ip);
    return this.visits.look(token);
  }

  @Post('open')
  @HttpCode(200)
  @Public()
  open(@Req() { ip }: FastifyRequest, @Body() body: OpenBody): Promise<OpenedLink> {
    this.paces.takeAddress(ip);
    return this.visits.open(body);
  }

  @Get()
  @Public()
  progress(@Req() { ip }: FastifyRequest, @Headers('authorization') key?: string): Promise<LinkProgress> {
    return this.visits.progress(this.keyIn(ip, key));
  }

  @Post('code')
  @HttpCode(200)
  @Public()
  code(
    @Req() { ip }: FastifyRequest,
    @Headers('authorization') key: string | undefined,
    @Body() { phone }: TypedCodeBody,
  ): Promise<PairingCode> {
    return this.visits.typedCode(this.keyIn(ip, key), phone);
  }

  @Get('passkey')
  @Public()
  passkey(@Req() { ip }: FastifyRequest, @Headers('authorization') key?: string): Promise<PasskeyView> {
    return this.visits.passkey(this.keyIn(ip, key));
  }

  @Post('passkey/response')
  @HttpCode(200)
  @Public()
  answerPasskey(
    @Req() { ip }: FastifyRequest,
    @Headers('authorization') key: string | undefined,
    @Body() assertion: PasskeyAssertion,
  ): Promise<PasskeyView> {
    return this.visits.answerPasskey(this.keyIn(ip, key), assertion);
  }

  @Post('passkey/confirm')
  @HttpCode(200)
  @Public()
  confirmPasskey(
    @Req() { ip }: FastifyRequest,
    @Headers('authorization') key: string | undefined,
    @Body() { code }: ConfirmPasskeyBody,
  ): Promise<PasskeyView> {
    return this.visits.confirmPasskey(this.keyIn(ip, key), code);
  }

  @Delete('passkey')
  @HttpCode(204)
  @Public()
  giveUpPasskey(@Req() { ip }: FastifyRequest, @Headers('authorization') key?: string): Promise<void> {
    return this.visits.giveUpPasskey(this.keyIn(ip, key));
  }

  /** Reads the key of the browser. @throws AppError `LINK_NOT_FOUND`, `RATE_LIMITED` */
  private keyIn(ip: string, authorization = ''): string {
    this.paces.takeAddress(ip);
    const [, key = ''] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
    if (!SECRET.test(key)) throw new AppError('LINK_NOT_FOUND');
    return key;
  }
}
