import { Body, Controller, Delete, Get, Headers, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ConfirmPasskeyBody, type PairingCode, type PasskeyView } from '@svc/contracts';
import type { FastifyRequest } from 'fastify';
import { Public } from '../auth/authorization.js';
import { NoBodyGuard } from '../edge/no-body.guard.js';
import { PublicPaces } from '../widget/public-paces.js';
import { HelperLinks } from './helper-links.service.js';
import {
  type HelperLink,
  keyIn,
  type LinkOffer,
  type LinkProgress,
  LookBody,
  OpenBody,
  type OpenedLink,
  TypedCodeBody,
} from './link-bodies.js';
import { LinkVisits } from './link-visits.service.js';

/** `/v1/public/link`: for our own page (`public/link-page`), without an API key. It is in no description: nobody else calls it. */
@ApiExcludeController()
@Controller('v1/public/link')
export class LinkVisitsController {
  constructor(
    private readonly visits: LinkVisits,
    private readonly helper: HelperLinks,
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
    return this.visits.progress(this.keyOf(ip, key));
  }

  @Post('code')
  @HttpCode(200)
  @Public()
  code(
    @Req() { ip }: FastifyRequest,
    @Headers('authorization') key: string | undefined,
    @Body() { phone }: TypedCodeBody,
  ): Promise<PairingCode> {
    return this.visits.typedCode(this.keyOf(ip, key), phone);
  }

  @Get('passkey')
  @Public()
  passkey(@Req() { ip }: FastifyRequest, @Headers('authorization') key?: string): Promise<PasskeyView> {
    return this.visits.passkey(this.keyOf(ip, key));
  }

  @Post('passkey/helper')
  @HttpCode(200)
  @Public()
  @UseGuards(NoBodyGuard)
  helperLink(@Req() { ip }: FastifyRequest, @Headers('authorization') key?: string): Promise<HelperLink> {
    return this.helper.make(this.keyOf(ip, key));
  }

  @Post('passkey/confirm')
  @HttpCode(200)
  @Public()
  confirmPasskey(
    @Req() { ip }: FastifyRequest,
    @Headers('authorization') key: string | undefined,
    @Body() { code }: ConfirmPasskeyBody,
  ): Promise<PasskeyView> {
    return this.visits.confirmPasskey(this.keyOf(ip, key), code);
  }

  @Delete('passkey')
  @HttpCode(204)
  @Public()
  @UseGuards(NoBodyGuard)
  giveUpPasskey(@Req() { ip }: FastifyRequest, @Headers('authorization') key?: string): Promise<void> {
    return this.visits.giveUpPasskey(this.keyOf(ip, key));
  }

  /** @throws AppError `LINK_NOT_FOUND`, `RATE_LIMITED` */
  private keyOf(ip: string, authorization: string | undefined): string {
    this.paces.takeAddress(ip);
    return keyIn(authorization);
  }
}
