import type { OutboundType } from '@svc/contracts';
import { audio } from './audio.js';
import { contact } from './contact.js';
import { deletion } from './delete.js';
import { document } from './document.js';
import { edit } from './edit.js';
import { image } from './image.js';
import type { IncomingField, IncomingType, KindOf, ReceivingKind } from './kind.js';
import { location } from './location.js';
import { poll } from './poll.js';
import { reaction } from './reaction.js';
import { sticker } from './sticker.js';
import { text } from './text.js';
import { video } from './video.js';

/** Table of all kinds of messages. A kind that the contracts name and that is missing here does not compile. */
export const KINDS: { readonly [K in OutboundType | IncomingType]: KindOf<K> } = {
  ...{ text, image, video, audio, document, sticker, location, contact, poll, reaction, edit },
  delete: deletion,
};

/** Readers of all names that the platform has for one of these kinds. */
export const INCOMING: ReadonlyMap<string, IncomingField> = new Map(
  (Object.values(KINDS) as Partial<ReceivingKind>[]).flatMap(({ incoming }) =>
    Object.entries(incoming ?? {}),
  ),
);
