import { hiddenAddress } from '@svc/contracts';
import {
  type Credentials,
  Platform,
  type PlatformAddress,
  type PlatformListener,
  type PlatformSocket,
  type PlatformStore,
} from '../port.js';
import { WhatsAppCredentials } from './keys/credentials.js';
import { deserialize } from './keys/key-store.js';
import { hiddenAddressKey } from './stanzas/jids.js';
import { downloadFile } from './messages/media-download.js';
import { keyIdOf } from './messages/outgoing.js';
import { LIBRARY_REVISION } from './socket/client-version.js';
import { openSocket } from './socket/socket.js';
import { FailureScope } from './socket/watchdog.js';

/** Platform as the only door of this wing: everything that uses the platform library stands behind it. */
export class WhatsAppPlatform extends Platform {
  override readonly revision = LIBRARY_REVISION;
  override readonly keyIdOf = keyIdOf;
  override readonly download = downloadFile;
  override readonly hiddenAddressKey = hiddenAddressKey;

  newCredentials(): Credentials {
    return new WhatsAppCredentials();
  }

  credentialsFrom(bytes: Buffer): Credentials {
    return WhatsAppCredentials.from(bytes);
  }

  open(
    address: PlatformAddress,
    credentials: Credentials,
    store: PlatformStore,
    listener: PlatformListener,
  ): PlatformSocket {
    return openSocket(address, (credentials as WhatsAppCredentials).creds, store, listener);
  }

  hiddenAddressIn(value: Buffer): string | undefined {
    const user = deserialize(value);
    return typeof user === 'string' ? hiddenAddress(user) : undefined;
  }
}

/** Ends the session in whose context a promise was rejected without a listener, instead of the process. */
export function endFailedSession(): void {
  FailureScope.failed();
}
