import { type NatsAccess, RpcClient } from '@svc/messaging';

/** Asks the services of a running stack, then hangs up. */
export async function askServices<T>(nats: NatsAccess, ask: (rpc: RpcClient) => Promise<T>): Promise<T> {
  const rpc = RpcClient.at(nats, 'operator');
  try {
    return await ask(rpc);
  } finally {
    await rpc.onApplicationShutdown();
  }
}
