import type { LiveLocation } from '@svc/contracts';
import type { InboundLocation } from '../../messages.js';
import { number, text } from '../kinds/kind.js';
import type { DecodedContent } from './decoded-content.js';
import { fields } from './words.js';

const LIVE = 'liveLocationMessage';
const MOST_CHARS = 2_000;

/** Reads what a location says of somebody on the way; undefined for a message of another kind. */
export function liveLocationIn(type: string, content: unknown): LiveLocation | undefined {
  if (type !== LIVE) return undefined;
  const { accuracyInMeters, speedInMps, degreesClockwiseFromMagneticNorth, caption } = fields(content);
  const facts = {
    ...{ accuracy: number(accuracyInMeters), speed: number(speedInMps) },
    direction: number(degreesClockwiseFromMagneticNorth),
    caption: text(caption)?.slice(0, MOST_CHARS),
  };
  return Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined)) as LiveLocation;
}

/** Reads a later location of somebody whose first one has been told: they come every few seconds. @returns undefined for any other message */
export function laterLocationIn({
  type,
  content,
}: Pick<DecodedContent, 'type' | 'content'>): InboundLocation | undefined {
  const liveLocation = liveLocationIn(type, content);
  const { degreesLatitude, degreesLongitude, timeOffset } = fields(content);
  const [latitude, longitude, secondsOn] = [degreesLatitude, degreesLongitude, timeOffset].map(number);
  if (!liveLocation || latitude === undefined || longitude === undefined || !secondsOn) return undefined;
  return { latitude, longitude, secondsOn, liveLocation };
}
