import { AsyncLocalStorage } from 'node:async_hooks';
import { WA_CERT_DETAILS } from '@whiskeysockets/baileys';

// Library patch: trust-root-per-socket
/**
 * Gives each socket a trust root of its own. The library has one for the whole process, which it reads in the middle of
 * a handshake: from here on what it reads depends on whose handshake that is. Without one it is the library's, so that a
 * live session never trusts the sandbox. Call it once, after `shareAsyncContext`.
 */
export function trustRootPerSocket(): <T>(trustRoot: string | undefined, work: () => T) => T {
  const own = WA_CERT_DETAILS.PUBLIC_KEY;
  const roots = new AsyncLocalStorage<Buffer>();
  Object.defineProperty(WA_CERT_DETAILS, 'PUBLIC_KEY', { get: () => roots.getStore() ?? own });
  return (trustRoot, work) => roots.run(trustRoot ? Buffer.from(trustRoot, 'hex') : own, work);
}
