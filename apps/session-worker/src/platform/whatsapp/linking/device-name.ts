import type { WABrowserDescription } from '@whiskeysockets/baileys';

/** Browser that every device says it is: others than the well-known ones are refused. */
const BROWSER = 'Chrome';
/** System that a device says it runs on where the platform wants a common one. */
const PLAIN_SYSTEM = 'Mac OS';
const VERSION = '14.4.1';

/** Makes the description of a device. The phone lists it under this name; without one, under that of a common system. */
export const describeDevice = (name: string = PLAIN_SYSTEM): WABrowserDescription => [name, BROWSER, VERSION];

/**
 * Gives a device the name of a common system in place of its own: with a typed code the platform refuses others. The library reads the
 * description when it asks for the code.
 */
export function makePlain(device: WABrowserDescription): void {
  device[0] = PLAIN_SYSTEM;
}
