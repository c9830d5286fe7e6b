/** Pattern of the shortest and longest number of a subscriber with country code. */
export const PLAUSIBLE_PHONE = /^[1-9]\d{6,14}$/;

/** Says whether a number could be that of a phone. */
export const isPlausiblePhone = (phone: string): boolean => PLAUSIBLE_PHONE.test(phone);
