import type { EventEmitter } from 'node:events';
import type { MessageListener } from '../../port.js';
import { receiptIds, receiptKind, type Stanza, timeOf } from '../messages/stanzas.js';

/** Confirms receipts to the platform after they are written. The library does it at once, and a crash would lose the receipt. */
export function confirmWrittenReceipts(
  stanzas: EventEmitter,
  listener: MessageListener,
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
