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
  type Answerer,
  ASSISTANT_MODES,
  CONVERSATION_OWNERS,
  type ConversationOwner,
  HANDOFF_REASONS,
  type HandoffReason,
  type AssistantMode,
  type BotMode,
  type ModeReason,
  type PasskeyStage,
  type PasskeyStep,
  type PasskeyFailure,
  MESSAGE_STATUSES,
  type MessageStatus,
  type FailureCode,
  RESTRICTION_REASONS,
  type RestrictionReason,
  type MediaFailure,
  type MessageChangeKind,
  LIMIT_LAYERS,
  type LimitLayer,
  PLANS,
  type Plan,
  SUBSCRIPTION_STATUSES,
  type SubscriptionStatus,
  type EndpointStatus,
  type PauseReason,
  type EndpointOrdering,
  type KeyEnvironment,
  type Scope,
  TYPING_STATES,
  type TypingState,
  ENTITLEMENT_KEYS,
  type EntitlementKey,
  type EntitlementValue,
  TOKEN_OVERAGES,
  type TokenOverage,
  SENDERS,
  type Sender,
} from './enums.js';
export {
  comesBack,
  CONNECT_REASONS,
  DISCONNECT_REASONS,
  type DisconnectReason,
  isLive,
  isMoving,
  LOGOUT_REASONS,
  type LogoutReason,
  SESSION_STATUS_WORDS,
  sessionAway,
  type SessionStatus,
  type StateWords,
  type StatusReason,
} from './session-states.js';
export type { ErrorEntry } from './errors/error-entry.js';
export { ERROR_CATALOGUE, type ErrorCode } from './errors/errors.js';
export {
  Envelope,
  type FieldProblem,
  invalidField,
  invalidFields,
  parseData,
  parseEnvelope,
  readEnvelope,
  validationFailed,
} from './parsing.js';
export { type Layer, LAYERS } from './limits/layers.js';
export { limitReached, messagesReached, MORE_SESSIONS } from './limits/limit-reached.js';
export { type Quota, quotaConflict } from './quota.js';
export { sentencesOf, unknownField } from './rule-words.js';
export {
  PARTITION_COUNT,
  STREAMS,
  commandSubject,
  deadLetterSubject,
  eventSubject,
  eventSubjectOfAll,
  ownerSubject,
  partitionOf,
} from './subjects.js';
export { STREAM_READERS, type StreamReader } from './stream-readers.js';
export * from './commands/index.js';
export * from './content/index.js';
export * from './events/index.js';
export * from './http/index.js';
export * from './notices/index.js';
export * from './requests/index.js';
