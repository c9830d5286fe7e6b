import { Refusal } from '../http/refusal.js';
import type { Person } from '../people/person.js';
import { stanza } from '../wire/nodes.js';
import type { LinkingRules } from './linking-rules.js';
import type { Notices } from './notices.js';
import type { ScannedQr } from './qr.js';
import type { Registration } from './registration.js';

/** Orders a device to draw its code anew. */
export function orderRedrawing(
  person: Person,
  registration: Registration,
  { rules, notices }: { rules: LinkingRules; notices: Notices },
): void {
  notices.send(person, registration, 'companion_reg_refresh', stanza(rules.refreshChild));
}

/** Takes a scan as far as redrawing goes. @throws Refusal where it links nothing: the code has to be drawn anew and scanned again. */
export function assertRedrawn(
  person: Person,
  registration: Registration,
  { ref, advSecret }: ScannedQr,
  tools: { rules: LinkingRules; notices: Notices },
): void {
  const { redrawing } = registration;
  if (redrawing && redrawing.ref !== ref)
    throw refusal(
      422,
      'QR_REF_CHANGED',
      'qr shows another reference than the code that had to be drawn anew',
    );
  const scanned = redrawing?.secrets ?? [];
  if (scanned.some((secret) => secret.equals(advSecret)))
    throw refusal(422, 'QR_SECRET_KEPT', 'qr shows a secret that was scanned before');
  if (scanned.length >= tools.rules.refreshOnScan) return;
  registration.redrawing = { ref, secrets: [...scanned, advSecret] };
  orderRedrawing(person, registration, tools);
  throw refusal(409, 'SCAN_AGAIN', 'the device was told to draw its code anew: scan it again');
}

const refusal = (status: number, code: string, message: string): Refusal =>
  new Refusal(status, code, message, { field: 'qr' });
