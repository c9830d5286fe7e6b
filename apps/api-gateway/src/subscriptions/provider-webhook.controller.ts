import { Controller, Headers, HttpCode, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import {
  AppError,
  invalidField,
  PROVIDER_EVENT_MAX,
  type ProviderEventReply,
  TakeProviderEvent,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import type { FastifyRequest } from 'fastify';

/** Where the payment provider tells what happened: the body goes on as it came, its signature is checked by `billing`. */
@ApiExcludeController()
@Controller('webhooks')
export class ProviderWebhookController {
  constructor(private readonly rpc: RpcClient) {}

  @Post('stripe')
  @HttpCode(200)
  take(
    @Req() { body }: FastifyRequest,
    @Headers('stripe-signature') signature: string | undefined,
  ): Promise<ProviderEventReply> {
    if (!signature) throw invalidField('stripe-signature', 'stripe-signature is missing');
    if (!Buffer.isBuffer(body)) throw invalidField('body', 'body is missing');
    if (body.length > PROVIDER_EVENT_MAX) throw new AppError('PAYLOAD_TOO_LARGE');
    return this.rpc.request(TakeProviderEvent, { payload: body.toString('utf8'), signature });
  }
}
