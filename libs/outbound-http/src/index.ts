export { NO_HTTPS, NOT_ALLOWED, DESTINATION_NOT_ALLOWED, AddressGuard } from './addresses/address-guard.js';
export { AllowedOrigins } from './addresses/allowed-origins.js';
export type { Resolve } from './addresses/name-resolver.js';
export { AddressList, OwnAddresses } from './addresses/own-addresses.js';
export type { Answer, ExchangeListener, PostLimits } from './http/exchange.js';
export { guardedConnector, OutboundHttp } from './http/outbound-http.js';
export { openTunnel, type TunnelOptions, TunnelRefused } from './http/tunnel.js';
