import type { DisconnectReason } from '@svc/contracts';
import type {
  Credentials,
  PlatformListener,
  PlatformRestriction,
  PlatformSocket,
} from '../src/platform/port.js';

/** Credentials of a number: `linked`, `half` or `fresh`. */
export class FakeCredentials implements Credentials {
  constructor(readonly state: string) {}

  get isLinked(): boolean {
    return this.state === 'linked';
  }

  get isHalfLinked(): boolean {
    return this.state === 'half';
  }

  toBytes(): Buffer {
    return Buffer.from(this.state);
  }
}

/** A socket that was opened: what the platform says on it, and what became of it. */
export interface FakeSocket {
  credentials: FakeCredentials;
  platform: PlatformListener;
  closed: boolean;
  unlinked: boolean;
}

/** Makes a socket for a runner, and the test's side of it. */
export function fakeSocket(
  credentials: Credentials,
  platform: PlatformListener,
): [FakeSocket, PlatformSocket] {
  const one = { credentials: credentials as FakeCredentials, platform, closed: false, unlinked: false };
  const socket = {
    close: () => void (one.closed = true),
    unanswered: () => undefined,
    recycle: (reason: DisconnectReason) => platform.onClose({ next: 'later', reason, isMalfunction: true }),
    logout: async () => void (one.unlinked = true),
    setAlwaysOnline: () => undefined,
    restrictions: async (): Promise<PlatformRestriction[]> => [],
    requestPairingCode: async () => ({
      code: 'ABCD1234',
      expiresAt: new Date(Date.now() + 100_000).toISOString(),
    }),
  };
  return [one, socket as unknown as PlatformSocket];
}
