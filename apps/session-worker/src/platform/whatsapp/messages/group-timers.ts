import type { EventEmitter } from 'node:events';
import { isGroup } from '@svc/contracts';
import { log } from '@svc/service';
import type { SignalKeyStore } from '@whiskeysockets/baileys';
import { addressOf } from '../stanzas/jids.js';
import { partsOf, type Stanza } from '../stanzas/stanzas.js';
import { timerChange } from './chat-timers.js';

/** Parts of a notification that give a group a timer, or take it. */
const TIMERS = new Set(['ephemeral', 'not_ephemeral']);

/** Remembers the timers that groups are given. One that is missed comes with the next message of a member. */
export function watchGroupTimers(stanzas: EventEmitter, keys: Pick<SignalKeyStore, 'get' | 'set'>): void {
  stanzas.on('CB:notification,type:w:gp2', (stanza: Stanza) => {
    remember(stanza, keys).catch((error: unknown) => log().warn({ err: error }, 'a timer is not remembered'));
  });
}

async function remember(stanza: Stanza, keys: Pick<SignalKeyStore, 'get' | 'set'>): Promise<void> {
  const chat = addressOf(stanza.attrs['from']);
  const part = partsOf(stanza).find(({ tag }) => TIMERS.has(tag));
  if (!part || !isGroup(chat)) return;
  const timer = { seconds: Number(part.attrs['expiration']) || 0, setAt: 0 };
  const sentAt = Number(stanza.attrs['t']) || Date.now() / 1_000;
  const change = await timerChange(keys, { chat, timer, sentAt });
  if (change) await keys.set(change);
}
