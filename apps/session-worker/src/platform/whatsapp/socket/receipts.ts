import type { EventEmitter } from 'node:events';
import { isOfContent, storable } from '@svc/database';
import { log } from '@svc/service';
import { countUntold } from '../../../untold.js';
import type { MessageListener } from '../../port.js';
import type { Stanza } from '../stanzas/stanzas.js';

// Library patch: held-receipts
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
    const confirm = (): void => {
      for (const handle of library) handle(stanza);
    };
    written.then(confirm, (error: unknown) => {
      if (!isOfContent(error)) return abandon();
      log().error({ err: error }, 'a receipt cannot be written: it is confirmed all the same');
      countUntold('receipt');
      confirm();
    });
  });
}

/** Reads the status that a receipt reports; undefined for requests and confirmations among devices. */
export function receiptKind(type: string | undefined): 'delivered' | 'read' | undefined {
  if (type === undefined || type === 'inactive') return 'delivered';
  return type === 'read' || type === 'played' ? 'read' : undefined;
}

/** Lists all messages that a receipt is for. */
export function receiptIds({ attrs, content }: Stanza): string[] {
  const lists = Array.isArray(content) ? (content as Stanza[]).filter(({ tag }) => tag === 'list') : [];
  const items = lists.flatMap((list) => (Array.isArray(list.content) ? (list.content as Stanza[]) : []));
  return [attrs['id'], ...items.map((item) => item.attrs['id'])]
    .filter((id) => id !== undefined)
    .map(storable);
}

/** Delay from which on a stanza reports something earlier, e.g. what happened while the session was not connected. */
const LATE_MS = 2_000;

/** The time of a stanza: as the platform says in whole seconds, where that is not just now. */
export function timeOf({ attrs }: Stanza, now = Date.now()): Date {
  const named = Number(attrs['t']) * 1_000;
  return new Date(named > 0 && named < now - LATE_MS ? named : now);
}
