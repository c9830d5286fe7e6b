/** Tells whether an address is that of a group. */
export function isGroupAddress(address: string): boolean {
  return address.endsWith('@g.us');
}

/** Reads the number in E.164 form that an address is made of; undefined where it has none. */
export function phoneOfAddress(address: string): string | undefined {
  const digits = /^(\d+)@s\.whatsapp\.net$/.exec(address)?.[1];
  return digits && `+${digits}`;
}
