import { partsOf, type Stanza } from '../../stanzas/stanzas.js';

/** Time for which a challenge holds that does not say so, and bounds of what is believed, in ms. */
const USUAL_MS = 600_000;
const LEAST_MS = 1_000;
const MOST_MS = 15 * 60_000;
/** Longest challenge that is believed, with all that comes with it. */
const MOST_BYTES = 16_384;

/** Challenge of the platform. */
export interface PasskeyOptions {
  /** The options, as a browser takes them. */
  options: Record<string, unknown>;
  timeoutMs: number;
}

/** Finds the challenge in a stanza; undefined where it has none that can be read. */
export function optionsIn(stanza: Stanza | undefined): PasskeyOptions | undefined {
  const content = stanza && partsOf(stanza).find(({ tag }) => tag === 'passkey_request_options')?.content;
  if (!(typeof content === 'string' || content instanceof Uint8Array) || content.length > MOST_BYTES)
    return undefined;
  const options = parsed(Buffer.from(content as string).toString());
  if (typeof options?.['challenge'] !== 'string' || typeof options['rpId'] !== 'string') return undefined;
  const timeout = Number(options['timeout']) || USUAL_MS;
  return { options, timeoutMs: Math.min(Math.max(timeout, LEAST_MS), MOST_MS) };
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
