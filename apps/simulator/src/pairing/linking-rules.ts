import type { Person } from '../people/person.js';

/** Names under which the order to draw the QR code anew comes: which one is sent when is not known. */
export const REDRAW_CHILDREN = ['companion_reg_refresh', 'pair-device-rotate-qr'] as const;

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
}

const usual = (): LinkingRules => ({
  refreshOnScan: 0,
  refreshChild: 'companion_reg_refresh',
  precursor: false,
  refreshCode: 0,
  forceManualRefresh: false,
  systems: SYSTEMS,
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
