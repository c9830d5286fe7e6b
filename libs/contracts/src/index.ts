export { type ErrorMeta, type ErrorBody, AppError } from './app-error.js';
export { type ErrorEntry, ERROR_CATALOGUE, type ErrorCode } from './errors.js';
export {
  type DataClass,
  type EventContract,
  type CommandContract,
  type RequestContract,
  defineEvent,
  defineCommand,
  defineRequest,
  type FieldProblem,
  parseData,
  validationFailed,
  invalidField,
  invalidFields,
} from './contract.js';
export { Envelope, parseEnvelope, readEnvelope } from './envelope.js';
export { PARTITION_COUNT, STREAMS, eventSubject, commandSubject, deadLetterSubject } from './subjects.js';
export {
  BOT_MODES,
  type KeyEnvironment,
  type BotMode,
  SESSION_STATUSES,
  type SessionStatus,
  STATUS_REASONS,
  type StatusReason,
  MESSAGE_STATUSES,
  type MessageStatus,
  FAILURE_CODES,
  type FailureCode,
  RESTRICTION_REASONS,
  type RestrictionReason,
  PLANS,
  type Plan,
  SUBSCRIPTION_KEEPERS,
  type SubscriptionKeeper,
  SUBSCRIPTION_STATUSES,
  type SubscriptionStatus,
  PUBLIC_EVENTS,
  type PublicEvent,
  ENDPOINT_STATUSES,
  ENDPOINT_ORDERINGS,
  type EndpointOrdering,
  type EndpointStatus,
  PAUSE_REASONS,
  type PauseReason,
  SCOPES,
  type Scope,
  MEDIA_STATUSES,
  type MediaStatus,
  MEDIA_FAILURES,
  type MediaFailure,
  MESSAGE_CHANGES,
  type MessageChangeKind,
  TYPING_STATES,
  type TypingState,
  LIMIT_LAYERS,
  type LimitLayer,
} from './enums.js';
export * from './content/index.js';
export * from './events/index.js';
export * from './http/index.js';
export * from './requests/index.js';
