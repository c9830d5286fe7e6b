import type { Credentials, PlatformSocket } from '../platform/port.js';
import type { RunnerTools } from './runner-tools.js';

/**
 * Removes the device from the number's list on the platform: over the open socket, else over one that is opened for it. Otherwise people
 * would see a linked device that nobody holds.
 * @throws Error where the platform does not confirm it in time.
 */
export async function unlink(
  open: PlatformSocket | undefined,
  credentials: Credentials | undefined,
  tools: Pick<RunnerTools, 'open' | 'sender' | 'loginTimeoutMs'>,
): Promise<void> {
  if (open) return open.logout();
  if (!credentials?.isLinked) return;
  let socket: PlatformSocket | undefined;
  let limit: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      limit = setTimeout(() => reject(new Error('No login in time.')), tools.loginTimeoutMs);
      const opening = tools.open(credentials, {
        onOpen: () => resolve(),
        onDoubt: () => undefined,
        onClose: ({ reason }) => reject(new Error(`Closed: ${reason}.`)),
        onQr: () => reject(new Error('The link is gone.')),
        onPairingCode: () => undefined,
        onPasskey: () => undefined,
        onCredentials: () => undefined, // forgotten in a moment
        onRestriction: () => undefined,
        ...tools.sender.listener,
      });
      opening.then((opened) => (socket = opened), reject);
    });
    await socket?.logout();
  } finally {
    clearTimeout(limit);
    socket?.close();
  }
}
