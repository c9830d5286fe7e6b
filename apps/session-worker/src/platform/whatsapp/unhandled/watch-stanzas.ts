import type { EventEmitter } from 'node:events';
import { log } from '@svc/service';
import type { BinaryNode } from '@whiskeysockets/baileys';
import { unhandledStanzas } from '../../unhandled-stanzas.js';
import { knowledgeOf } from './known-stanzas.js';
import { namesOf } from './stanza-names.js';
import { shapeOf } from './stanza-shape.js';

/**
 * Counts what the platform sends to one socket and nobody handles. It hears every stanza before the library does, and so it never throws: the
 * library would read nothing any more.
 */
export function watchStanzas(stanzas: EventEmitter): void {
  stanzas.on('frame', (frame: BinaryNode | Uint8Array) => {
    // Before the handshake is done, a frame is bytes.
    if (frame instanceof Uint8Array) return;
    try {
      countUnhandled(frame);
    } catch (error) {
      log().error({ err: error }, 'a stanza cannot be counted');
    }
  });
}

function countUnhandled(stanza: BinaryNode): void {
  for (const name of namesOf(stanza)) {
    const knowledge = knowledgeOf(name);
    if (knowledge === 'known') unhandledStanzas.countKnown(name);
    if (knowledge === 'new') unhandledStanzas.countNew(name, shapeOf(stanza));
  }
}
