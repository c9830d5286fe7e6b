export {
  type Resolve,
  NOT_ALLOWED,
  DESTINATION_NOT_ALLOWED,
  AddressGuard,
} from './addresses/address-guard.js';
export { AllowedOrigins } from './addresses/allowed-origins.js';
export { type Connector, type ConnectTarget, guardedConnector } from './addresses/guarded-connector.js';
export { AddressList, OwnAddresses } from './addresses/own-addresses.js';
export { nameResolver } from './addresses/name-resolver.js';
export { type Answer, isPermanent4xx } from './http/answer.js';
export { WebhookClient } from './http/outbound-http.js';
