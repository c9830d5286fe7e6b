import type { AuthenticationCreds } from '@whiskeysockets/baileys';
import type { LibrarySocket } from '../messages/outgoing.js';

// Library patch: own-name
/**
 * Keeps the library from telling the platform the own name. It does so by a presence without a type, which counts as `available` and
 * silences the owner's phone; and it takes every change of the credentials that does not repeat the name for a change of the name
 * (upstream: WhiskeySockets/Baileys issue 2553). So each change repeats it, and a name is there before its change is told.
 * @param onName is called when the name has changed.
 */
export function holdBackOwnName({ ev, authState: { creds } }: LibrarySocket, onName: () => void): void {
  const emit = ev.emit.bind(ev) as (event: string, data: unknown) => boolean;
  const emitWithName = (event: string, data: unknown): boolean => {
    if (event !== 'creds.update') return emit(event, data);
    const update = data as Partial<AuthenticationCreds>;
    if (!update.me) return emit(event, creds.me ? { ...update, me: creds.me } : update);
    const isNew = update.me.name !== creds.me?.name;
    creds.me = update.me;
    const heard = emit(event, update);
    if (isNew) onName();
    return heard;
  };
  ev.emit = emitWithName;
}
