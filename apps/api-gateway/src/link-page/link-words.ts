import type { LinkNames } from './link-names.js';

/** Texts that a number writes to itself once it is linked, by the language of the page. */
const LINKED = {
  en: ({ tenant, installation }: LinkNames): string =>
    `This number is linked now: ${tenant}, and ${installation}, which runs the service for it, can read and write here. To end it, open Settings, Linked devices, tap the device, and log it out.`,
  de: ({ tenant, installation }: LinkNames): string =>
    `Diese Nummer ist jetzt verbunden: ${tenant} und ${installation}, der Betreiber des Dienstes, können hier lesen und schreiben. So beenden Sie es: Einstellungen, Verknüpfte Geräte, das Gerät antippen und abmelden.`,
};

export type LinkLanguage = keyof typeof LINKED;
export const LINK_LANGUAGES = Object.keys(LINKED) as LinkLanguage[];

/** Writes what the number says to itself; a link that was opened in no known language speaks English. */
export function linkedText(language: unknown, names: LinkNames): string {
  return LINKED[LINK_LANGUAGES.find((one) => one === language) ?? 'en'](names);
}
