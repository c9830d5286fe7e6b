import type { Envelope, MessageFailure } from '@svc/contracts';
import type { FairPlaces } from '@svc/service';
import type { SessionStore } from '../journal/session-store.js';
import type { Credentials, Platform, PlatformListener, PlatformSocket } from '../platform/port.js';
import type { NewChats } from '../sending/new-chats.js';
import type { SessionSender } from '../sending/session-sender.js';
import type { Restrictions } from '../sessions/restrictions.js';
import type { StatusChange } from '../sessions/session-rows.js';

/** Tools of a runner; `RunnerFactory` makes them. */
export interface RunnerTools {
  platform: Pick<Platform, 'newCredentials' | 'credentialsFrom'>;
  store: Pick<SessionStore, 'loadCredentials' | 'saveCredentials' | 'forget' | 'close'>;
  sender: Pick<SessionSender, 'listener' | 'attach' | 'detach' | 'drain' | 'inHand'>;
  newChats: Pick<NewChats, 'events' | 'apply' | 'ask'>;
  logins: Pick<FairPlaces, 'enter'>;
  loginTimeoutMs: number;
  /** True for a number that counts as online as long as it is connected. */
  alwaysOnline: boolean;
  /** @throws ProxyError */
  open(credentials: Credentials, listener: PlatformListener): Promise<PlatformSocket>;
  /** Ends all open messages of the session. */
  failMessages(failure: MessageFailure): Promise<void>;
  writeStatus(change: StatusChange, events: Envelope[]): Promise<void>;
  writeRestrictions(restrictions: Restrictions): Promise<void>;
  /** Reads the time until which the QR code is viewed, in ms since 1970. */
  viewedUntil(): Promise<number>;
  /** Calls `wake` when the version that the platform refused is not needed any more; undefined where nobody watches versions. */
  awaitVersion(wake: () => void): (() => void) | undefined;
  /** Reports that a write was refused because the partition has another owner. */
  onLeaseLost(): void;
  /** The runner has ended by itself. */
  onEnded(): void;
}
