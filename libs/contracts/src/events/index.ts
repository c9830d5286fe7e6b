// The exports are whole files, not name by name: an event is added in the file of its thing, and nowhere else here.
export * from './assistant-events.js';
export * from './call-events.js';
export * from './events.js';
export * from './live-location-events.js';
export * from './llm-events.js';
export * from './message-events.js';
export * from './outbound-message.js';
export * from './passkey-events.js';
export * from './poll-events.js';
export * from './session-events.js';
export * from './subscription-events.js';
export * from './webhook-events.js';
