export { connectionOptions, type NatsAccess, serversOf } from './access.js';
export { type DeadLetter, eraseDeadLetters, findDeadLetter } from './dead-letters.js';
export { envelopeOf, type EnvelopeFields, Messaging, type MessagingOptions } from './messaging.js';
export { type JetStreamOptions, JetStreamStrategy } from './jetstream-strategy.js';
export { HandedEvent, type ReadEvent } from './pull.js';
export { OnCommand, OnEvent, OnRequest } from './patterns.js';
export { unanswered } from './line.js';
export { RpcClient } from './rpc-client.js';
export { REPEATS_DROPPED_S } from './streams.js';
