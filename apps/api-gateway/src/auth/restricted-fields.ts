import type { Scope } from '@svc/contracts';

/**
 * Fields of payloads that are shown only to keys of a scope: the scope of the route that shows the same. Whoever scans a QR code has the
 * number, so it is for those who may link one. A webhook carries it, as the specification has it.
 */
export const RESTRICTED_FIELDS: Readonly<Record<string, Readonly<Record<string, Scope>>>> = {
  'session.qr_generated': { qr: 'admin:*' },
};
