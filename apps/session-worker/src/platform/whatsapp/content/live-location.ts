import type { LiveLocation } from '@svc/contracts';
import type { proto } from '@whiskeysockets/baileys';
import { number, text } from '../kinds/kind.js';
import { fields } from './words.js';

const MOST_CHARS = 2_000;

/** Reads what a place says of somebody on the way; undefined for a message of another kind. */
export function liveLocationIn(type: string, content: unknown): LiveLocation | undefined {
  if (type !== 'liveLocationMessage') return undefined;
  const { accuracyInMeters, speedInMps, degreesClockwiseFromMagneticNorth, caption } = fields(content);
  const facts = {
    ...{ accuracy: number(accuracyInMeters), speed: number(speedInMps) },
    direction: number(degreesClockwiseFromMagneticNorth),
    caption: text(caption)?.slice(0, MOST_CHARS),
  };
  return Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined)) as LiveLocation;
}

/** Says whether a message is a later place of somebody whose first one has been told: they come every few seconds. */
export function isLaterPlace({ liveLocationMessage }: proto.IMessage): boolean {
  return (liveLocationMessage?.timeOffset ?? 0) > 0;
}
