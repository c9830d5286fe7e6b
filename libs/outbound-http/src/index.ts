export {
  NOT_ALLOWED,
  DESTINATION_NOT_ALLOWED,
  AddressGuard,
  AllowedOrigins,
} from './addresses/address-guard.js';
export type { Resolve } from './addresses/name-resolver.js';
export { AddressList, OwnAddresses } from './addresses/own-addresses.js';
export type { Answer, ExchangeListener, PostLimits } from './http/exchange.js';
export { guardedConnector, OutboundHttp } from './http/outbound-http.js';
