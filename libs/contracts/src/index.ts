export { type ErrorMeta, type ErrorBody, AppError } from './app-error.js';
export {
  type CommandContract,
  type DataClass,
  type EventContract,
  type EventRules,
  type NoticeContract,
  type RequestContract,
  defineCommand,
  defineEvent,
  defineNotice,
  defineRequest,
} from './contract.js';
export {
  BOT_MODES,
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
  MEDIA_STATUSES,
  type MediaStatus,
  MEDIA_FAILURES,
  type MediaFailure,
  MESSAGE_CHANGES,
  type MessageChangeKind,
  LIMIT_LAYERS,
  type LimitLayer,
  PLANS,
  type Plan,
  SUBSCRIPTION_STATUSES,
  type SubscriptionStatus,
  SUBSCRIPTION_KEEPERS,
  type SubscriptionKeeper,
  ENDPOINT_STATUSES,
  type EndpointStatus,
  PAUSE_REASONS,
  type PauseReason,
  ENDPOINT_ORDERINGS,
  type EndpointOrdering,
  type KeyEnvironment,
  SCOPES,
  type Scope,
  TYPING_STATES,
  type TypingState,
} from './enums.js';
export { Envelope, readEnvelope, parseEnvelope } from './envelope.js';
export { type ErrorEntry, ERROR_CATALOGUE, type ErrorCode } from './errors.js';
export { type FieldProblem, invalidField, invalidFields, parseData, validationFailed } from './parsing.js';
export {
  PARTITION_COUNT,
  STREAMS,
  commandSubject,
  deadLetterSubject,
  eventSubject,
  eventSubjectOfAll,
  ownerSubject,
} from './subjects.js';
export * from './commands/index.js';
export * from './content/index.js';
export * from './events/index.js';
export * from './http/index.js';
export * from './notices/index.js';
export * from './requests/index.js';
