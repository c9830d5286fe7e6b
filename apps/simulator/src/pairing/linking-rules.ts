import type { Person } from '../people/person.js';

/** Names under which the order to draw the QR code anew comes: which one is sent when is not known. */
export const REDRAW_CHILDREN = ['companion_reg_refresh', 'pair-device-rotate-qr'] as const;

/** Ways of asking devices for the passkey of the account: never, always, until one was linked with it. */
export const PASSKEY_RULES = ['off', 'always', 'once'] as const;

/** Steps at which a ceremony with a passkey may fail. */
export const PASSKEY_FAILURES = ['prologue', 'continuation-silent', 'nonce', 'pairing-request'] as const;

/** Systems that a device with a typed code may name: the common ones. */
const SYSTEMS = ['Windows', 'Mac OS', 'Linux', 'Ubuntu', 'Chrome OS', 'Android', 'iOS'];

/** Rules of phone and platform for the linking of a device to a number. */
export interface LinkingRules {
  /** Number of scans, each with another secret, that are answered by an order to draw the code anew. */
  refreshOnScan: number;
  refreshChild: (typeof REDRAW_CHILDREN)[number];
  /** True when an empty message comes before the phone's answer to a typed code. */
  precursor: boolean;
  /** Number of typed codes in whose place the device is asked for another one. */
  refreshCode: number;
  /** Value of an attribute of that question: whether the person has to ask for the other code. */
  forceManualRefresh: boolean;
  /** Systems that a device with a typed code may name. */
  systems: string[];
  passkey: (typeof PASSKEY_RULES)[number];
  /** True when the phone takes the proof of the secret that it was shown, and asks its owner for no comparison. */
  acceptProof: boolean;
  /** Step at which platform or phone give up; null: nowhere. */
  failAt: (typeof PASSKEY_FAILURES)[number] | null;
  /** Error number of what is refused within a ceremony. */
  failCode: number;
  /** True when the challenge does not come by itself: the device has to ask for it. */
  optionsMissing: boolean;
  /** Time for which a challenge holds, in ms. */
  challengeMs: number;
  /** True when a connection lives on during a ceremony; whether the real one does is not known. */
  keepsConnection: boolean;
}

const usual = (): LinkingRules => ({
  refreshOnScan: 0,
  refreshChild: 'companion_reg_refresh',
  precursor: false,
  refreshCode: 0,
  forceManualRefresh: false,
  systems: SYSTEMS,
  passkey: 'off',
  acceptProof: false,
  failAt: null,
  failCode: 400,
  optionsMissing: false,
  challengeMs: 600_000,
  keepsConnection: true,
});

/** This class keeps the rules of linking by number. */
export class RulesOfLinking {
  private readonly byPhone = new Map<string, LinkingRules>();

  of({ phone }: Pick<Person, 'phone'>): LinkingRules {
    return this.byPhone.get(phone) ?? usual();
  }

  change(phone: string, change: Partial<LinkingRules>): LinkingRules {
    const rules = { ...this.of({ phone }), ...change };
    this.byPhone.set(phone, rules);
    return rules;
  }

  clear(phone: string): void {
    this.byPhone.delete(phone);
  }

  clearAll(): void {
    this.byPhone.clear();
  }
}
