/** Makes a text of somebody else one that the database takes: it has neither the character 0 nor half a sign. */
export const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed();
