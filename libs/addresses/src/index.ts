export { type Resolve, NOT_ALLOWED, DESTINATION_NOT_ALLOWED, AddressGuard } from './address-guard.js';
export { AllowedOrigins } from './allowed-origins.js';
export { type Connector, type ConnectTarget, guardedConnector } from './guarded-connector.js';
export { AddressList, OwnAddresses } from './own-addresses.js';
export { nameResolver } from './name-resolver.js';
