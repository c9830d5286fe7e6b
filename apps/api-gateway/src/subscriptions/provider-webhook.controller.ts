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

/** `t=<seconds>,v1=<hex>`, and others of these beside it. */
const SIGNATURE = /^t=(\d{1,12})(?:,v\d=[0-9a-f]{64}){1,8}$/;
/** Largest age of a signature, in seconds, as in the provider's own library. */
const TOLERANCE_SECONDS = 300;

/** This controller takes events of the payment provider: the body goes on as it came, and `billing` checks its signature. */
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
    assertSignature(signature);
    if (!Buffer.isBuffer(body)) throw invalidField('body', 'body is missing');
    if (body.length > PROVIDER_EVENT_MAX) throw new AppError('PAYLOAD_TOO_LARGE');
    return this.rpc.request(TakeProviderEvent, { payload: body.toString('utf8'), signature });
  }
}

/** Refuses what cannot be a signature of this moment: whoever has no key shall cost no other service anything. */
function assertSignature(signature: string | undefined): asserts signature is string {
  const [, seconds] = SIGNATURE.exec(signature ?? '') ?? [];
  if (seconds === undefined || Math.abs(Date.now() / 1000 - Number(seconds)) > TOLERANCE_SECONDS) {
    throw invalidField('stripe-signature', 'stripe-signature must be a signature of the last 5 minutes');
  }
}
