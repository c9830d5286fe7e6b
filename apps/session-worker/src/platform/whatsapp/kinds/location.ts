import { type IncomingField, number, type ReceivingKind, type SendingKind, text } from './kind.js';

const incoming: IncomingField = {
  body: ({ degreesLatitude, degreesLongitude, name, address }) => ({
    type: 'location',
    latitude: number(degreesLatitude),
    longitude: number(degreesLongitude),
    name: text(name),
    address: text(address),
  }),
};

/** A place on the map. */
export const location: SendingKind & ReceivingKind = {
  outgoing: ({ location: { latitude, longitude, name, address } }) => ({
    location: { degreesLatitude: latitude, degreesLongitude: longitude, name, address },
  }),
  quoted: ({ latitude, longitude, name, address }) => ({
    locationMessage: { degreesLatitude: latitude, degreesLongitude: longitude, name, address },
  }),
  incoming: { locationMessage: incoming, liveLocationMessage: incoming },
};
