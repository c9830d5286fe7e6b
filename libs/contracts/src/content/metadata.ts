/** A tenant's own words on a message, kept with it and repeated in each of its events. */
export type Metadata = Record<string, string>;
