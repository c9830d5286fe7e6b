import { RpcClient } from '@svc/messaging';

/** Asks the services of a running stack, then hangs up. */
export async function askServices<T>(natsUrl: string, ask: (rpc: RpcClient) => Promise<T>): Promise<T> {
  const rpc = RpcClient.at(natsUrl, 'launcher');
  try {
    return await ask(rpc);
  } finally {
    await rpc.onApplicationShutdown();
  }
}
