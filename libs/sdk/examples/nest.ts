// A Nest receiver. Start the app with `NestFactory.create(AppModule, { rawBody: true })`: Nest then keeps the bytes
// beside the parsed body. On Express it also takes `app.useBodyParser('json', { limit: '1mb' })`, as 100 kB are its default.
import { Controller, HttpCode, Inject, Logger, Post, Req, UnauthorizedException } from '@nestjs/common';
import type { RawBodyRequest } from '@nestjs/common';
import { verifyWebhook, type WebhookEvent } from '@svc/sdk';
import type { IncomingMessage } from 'node:http';

/** Tokens under which the secret and the handler are found; a handler stores `deliveryId`s: the same delivery may come again. */
export const SECRET = Symbol('secret of the endpoint');
export const HANDLE = Symbol('handler of events');

@Controller('hook')
export class HookController {
  private readonly logger = new Logger(HookController.name);

  constructor(
    @Inject(SECRET) private readonly secret: string,
    @Inject(HANDLE) private readonly handle: (event: WebhookEvent) => unknown,
  ) {}

  @Post()
  @HttpCode(200)
  async receive(@Req() request: RawBodyRequest<IncomingMessage>): Promise<void> {
    const result = verifyWebhook(request.rawBody, request.headers, this.secret);
    if (!result.ok) {
      this.logger.warn(`webhook refused: ${result.reason}. ${result.message}`);
      throw new UnauthorizedException();
    }
    await this.handle(result.event);
  }
}
