import { Logger } from '@nestjs/common';
import { RpcClient } from '@svc/messaging';

/** Asks the services of a running stack, then hangs up. */
export async function askServices<T>(natsUrl: string, ask: (rpc: RpcClient) => Promise<T>): Promise<T> {
  Logger.overrideLogger(false); // Nest's NATS client would write lines of its own between those for the person
  const rpc = new RpcClient(natsUrl, 'launcher');
  try {
    return await ask(rpc);
  } finally {
    await rpc.onApplicationShutdown();
  }
}
