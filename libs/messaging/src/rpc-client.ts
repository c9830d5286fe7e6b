import { ClientNats } from '@nestjs/microservices';
import { AppError, parseData, type RequestContract } from '@svc/contracts';
import { firstValueFrom, timeout, TimeoutError } from 'rxjs';
import { STEADY_CONNECTION } from './connection.js';

/** Asks other services over Nest's own NATS transport. */
export class RpcClient {
  private readonly client: ClientNats;

  constructor(url: string, name: string) {
    this.client = new ClientNats({ servers: [url], name, ...STEADY_CONNECTION });
  }

  /**
   * Sends the request to any instance of the app and checks the reply.
   * @param timeoutMs 5 seconds by default.
   * @throws AppError what the other side threw, or `UPSTREAM_UNAVAILABLE` (nobody listens), `UPSTREAM_TIMEOUT`.
   */
  async request<Q extends object, A extends object>(
    contract: RequestContract<Q, A>,
    request: Q,
    timeoutMs = 5_000,
  ): Promise<A> {
    const reply$ = this.client.send<unknown>(contract.subject, request).pipe(timeout(timeoutMs));
    const reply = await firstValueFrom(reply$).catch((error: unknown) => {
      throw toAppError(contract.app, error);
    });
    return checkReply(contract, reply);
  }

  /** Called by Nest at shutdown. */
  async onApplicationShutdown(): Promise<void> {
    await this.client.close();
  }
}

/** A reply that breaks its contract is a fault between services: never the `VALIDATION_FAILED` of whoever asked. */
function checkReply<A extends object>(contract: RequestContract<object, A>, reply: unknown): A {
  try {
    return parseData(contract.reply, reply);
  } catch (cause) {
    throw new AppError('INTERNAL', undefined, {}, { cause });
  }
}

function toAppError(app: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof TimeoutError)
    return new AppError('UPSTREAM_TIMEOUT', `${app} did not answer in time.`, { app });
  if (typeof error === 'object' && error !== null && 'code' in error && 'meta' in error)
    return AppError.fromBody(error);
  // No subscriber, or no connection at this moment: the same to the caller.
  return new AppError('UPSTREAM_UNAVAILABLE', `${app} is not available.`, { app }, { cause: error });
}
