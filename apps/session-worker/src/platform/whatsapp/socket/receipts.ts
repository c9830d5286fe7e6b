import type { EventEmitter } from 'node:events';
import type { PlatformListener } from '../../port.js';
import { receiptIds, receiptKind, type Stanza, timeOf } from './stanzas.js';

/** The library tells the platform at once that a receipt arrived, and a crash would lose it: here it waits for the write. */
export function confirmWrittenReceipts(
  stanzas: EventEmitter,
  listener: PlatformListener,
  abandon: () => void,
): void {
  const library = stanzas.listeners('CB:receipt') as ((stanza: Stanza) => void)[];
  stanzas.removeAllListeners('CB:receipt');
  stanzas.on('CB:receipt', (stanza: Stanza) => {
    const kind = receiptKind(stanza.attrs['type']);
    const written = kind ? listener.onReceipt(receiptIds(stanza), kind, timeOf(stanza)) : Promise.resolve();
    written.then(() => {
      for (const handle of library) handle(stanza);
    }, abandon);
  });
}
