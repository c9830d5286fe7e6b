/** Bot modes: the built-in AI or the tenant's bot answers a session's inbound messages (specification, "Session"). */
export const BOT_MODES = ['MANAGED', 'EXTERNAL'] as const;
/** Value of `BOT_MODES`. */
export type BotMode = (typeof BOT_MODES)[number];

/** Reasons of a change of the mode that nobody has asked for at that moment: the tenant's own bot was away, and it answers again. */
export const MODE_REASONS = ['FAILOVER', 'FAILBACK'] as const;
/** Value of `MODE_REASONS`. */
export type ModeReason = (typeof MODE_REASONS)[number];

/** Answerers of a session, of what people write to it. */
export const ANSWERERS = ['assistant', 'webhook', 'nobody'] as const;
/** Value of `ANSWERERS`. */
export type Answerer = (typeof ANSWERERS)[number];

/**
 * Modes of an assistant, each going further than the one before it: `off` answers nobody; `shadow` makes answers and keeps them, and sends
 * none; `draft` has a person approve each; `auto` sends them.
 */
export const ASSISTANT_MODES = ['off', 'shadow', 'draft', 'auto'] as const;
/** Value of `ASSISTANT_MODES`. */
export type AssistantMode = (typeof ASSISTANT_MODES)[number];

/** Owners of a conversation: who answers it. */
export const CONVERSATION_OWNERS = ['ASSISTANT', 'HUMAN'] as const;
/** Value of `CONVERSATION_OWNERS`. */
export type ConversationOwner = (typeof CONVERSATION_OWNERS)[number];

/** Reasons for which a conversation is a person's. */
export const HANDOFF_REASONS = [
  'HUMAN_WROTE', // a person wrote in it, on the phone or by API
  'CONTACT_ASKED', // the contact wrote one of the words of the settings
  'MODEL_ASKED', // the model handed it over
  'PROVIDER_FAILED', // each model failed
  'NO_SOURCE', // no source has an answer, and the settings want one
  'LOOP', // contact and assistant answered each other again and again, as two machines do
  'REQUESTED', // a caller of the API asked for it
] as const;
/** Value of `HANDOFF_REASONS`. */
export type HandoffReason = (typeof HANDOFF_REASONS)[number];

/** Words for these reasons in the description of the API. */
export const HANDOFF_REASON_WORDS =
  'HUMAN_WROTE: a person wrote in it, on the phone or by hand. CONTACT_ASKED: the contact wrote one of the `handoffWords`. MODEL_ASKED: the model handed it over. PROVIDER_FAILED: no model answered. NO_SOURCE: no source has an answer, and the settings are `onlyFromSources`. LOOP: both sides answered each other again and again, as machines do. REQUESTED: by API.';

/** Reasons for which a QR code is told besides the usual one, that the last has expired. */
export const QR_REASONS = ['refreshed'] as const;
/** Value of `QR_REASONS`. */
export type QrReason = (typeof QR_REASONS)[number];

/** Stages of a link that needs a passkey. */
export const PASSKEY_STAGES = ['challenge', 'sent', 'compare', 'finishing'] as const;
/** Value of `PASSKEY_STAGES`. */
export type PasskeyStage = (typeof PASSKEY_STAGES)[number];

/** Steps of such a link that are told after its beginning. */
export const PASSKEY_STEPS = ['sent', 'compare', 'finishing', 'linked', 'failed'] as const;
/** Value of `PASSKEY_STEPS`. */
export type PasskeyStep = (typeof PASSKEY_STEPS)[number];

/** Reasons for which such a link comes to nothing. */
export const PASSKEY_FAILURES = [
  'EXPIRED', // nobody answered or confirmed in time
  'PHONE_SILENT', // the platform took the answer, and the phone did not go on
  'REFUSED', // the platform did not take an answer
  'NO_ANSWER', // the platform did not answer
  'UNREADABLE', // the platform said what nobody here can read
  'CONNECTION_LOST',
  'GIVEN_UP',
] as const;
/** Value of `PASSKEY_FAILURES`. */
export type PasskeyFailure = (typeof PASSKEY_FAILURES)[number];

/** Life of a message; `RECEIVED` is the only one of an inbound message. */
export const MESSAGE_STATUSES = ['QUEUED', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'RECEIVED'] as const;
/** Value of `MESSAGE_STATUSES`. */
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** Senders of an outbound message: software with a key of the API, the built-in assistant, or a member of the tenant by hand. */
export const SENDERS = ['API', 'ASSISTANT', 'MEMBER'] as const;
/** Value of `SENDERS`. */
export type Sender = (typeof SENDERS)[number];

/** Reasons for which an outbound message failed for good: `failure.code`. */
export const FAILURE_CODES = [
  'SESSION_LOGGED_OUT',
  'SESSION_DELETED',
  'EXPIRED',
  'NOT_ON_PLATFORM',
  'NOT_IN_GROUP',
  'REJECTED_BY_PLATFORM',
  'NO_ACK',
  'SEND_ERROR',
  'MEDIA_UNAVAILABLE',
  'MEDIA_REFUSED',
  'MEDIA_UPLOAD_FAILED',
  'ACCOUNT_RESTRICTED',
  'NEW_CHAT_QUOTA',
  'CANCELED',
  'BOT_MODE_CHANGED',
  'OVERTAKEN',
  // A scheduled message that could not go out at its time has one of these five codes.
  'CONTACT_OPTED_OUT',
  'SESSION_NOT_CONNECTED',
  'RATE_LIMITED',
  'PAYMENT_REQUIRED',
  'VALIDATION_FAILED',
] as const;
/** Value of `FAILURE_CODES`. */
export type FailureCode = (typeof FAILURE_CODES)[number];

/** Reasons for which the platform lets a session begin no new chats. */
export const RESTRICTION_REASONS = ['ACCOUNT_RESTRICTED', 'NEW_CHAT_QUOTA'] as const;
/** Value of `RESTRICTION_REASONS`. */
export type RestrictionReason = (typeof RESTRICTION_REASONS)[number];

/** Statuses of the file of an inbound message. */
export const MEDIA_STATUSES = ['STORED', 'FAILED'] as const;
/** Value of `MEDIA_STATUSES`. */
export type MediaStatus = (typeof MEDIA_STATUSES)[number];

/** Reasons for which the file of an inbound message is missing: `media.reason`. */
export const MEDIA_FAILURES = ['INVALID', 'TOO_LARGE', 'GONE', 'CORRUPT', 'UNAVAILABLE'] as const;
/** Value of `MEDIA_FAILURES`. */
export type MediaFailure = (typeof MEDIA_FAILURES)[number];

/** Changes that a message may make to an earlier one. */
export const MESSAGE_CHANGES = ['EDITED', 'REVOKED'] as const;
/** Value of `MESSAGE_CHANGES`. */
export type MessageChangeKind = (typeof MESSAGE_CHANGES)[number];

/** Daily limits, in the order in which they are checked (specification, "Limits"). */
export const LIMIT_LAYERS = ['session', 'plan'] as const;
/** Value of `LIMIT_LAYERS`. */
export type LimitLayer = (typeof LIMIT_LAYERS)[number];

/** Plans of the specification. */
export const PLANS = ['STARTER', 'GROWTH', 'ENTERPRISE'] as const;
/** Value of `PLANS`. */
export type Plan = (typeof PLANS)[number];

/** States of a subscription. */
export const SUBSCRIPTION_STATUSES = [
  'TRIALING',
  'ACTIVE',
  'PAST_DUE',
  'UNPAID',
  'CANCELED',
  'PAUSED',
] as const;
/** Value of `SUBSCRIPTION_STATUSES`. */
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/** Keepers of a subscription: the operator by hand, or the payment provider. */
export const SUBSCRIPTION_KEEPERS = ['operator', 'stripe'] as const;
/** Value of `SUBSCRIPTION_KEEPERS`. */
export type SubscriptionKeeper = (typeof SUBSCRIPTION_KEEPERS)[number];

/** States of a webhook endpoint. `DISABLED`: a bound endpoint whose session went back to `MANAGED`. */
export const ENDPOINT_STATUSES = ['ACTIVE', 'PAUSED', 'DISABLED'] as const;
/** Value of `ENDPOINT_STATUSES`. */
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];

/** Reasons for which an endpoint is paused: five permanent 4xx in a row, or a request. */
export const PAUSE_REASONS = ['PERMANENT_4XX', 'REQUESTED'] as const;
/** Value of `PAUSE_REASONS`. */
export type PauseReason = (typeof PAUSE_REASONS)[number];

/**
 * Order in which an endpoint gets the events of a conversation. `CONVERSATION`: first attempts in order, one that failed
 * steps aside. `STRICT`: what follows waits until the one before it is delivered or dead.
 */
export const ENDPOINT_ORDERINGS = ['CONVERSATION', 'STRICT'] as const;
/** Value of `ENDPOINT_ORDERINGS`. */
export type EndpointOrdering = (typeof ENDPOINT_ORDERINGS)[number];

/** Environments in which a key is valid: with the platform, or in the tenant's sandbox. */
export const KEY_ENVIRONMENTS = ['LIVE', 'TEST'] as const;
/** Value of `KEY_ENVIRONMENTS`. */
export type KeyEnvironment = (typeof KEY_ENVIRONMENTS)[number];

/** Scopes of API keys (specification, "Authentication"). */
export const SCOPES = ['*', 'messages:send', 'messages:read', 'webhooks:manage', 'admin:*'] as const;
/** Value of `SCOPES`. */
export type Scope = (typeof SCOPES)[number];

/** Typing states that a session shows a contact. */
export const TYPING_STATES = ['composing', 'recording', 'paused'] as const;
/** Value of `TYPING_STATES`. */
export type TypingState = (typeof TYPING_STATES)[number];

/** Rules for a plan whose tokens are used up: go on and bill, or refuse until the month ends. */
export const TOKEN_OVERAGES = ['bill', 'block'] as const;
/** Value of `TOKEN_OVERAGES`. */
export type TokenOverage = (typeof TOKEN_OVERAGES)[number];

/** The entitlements of a tenant by name, as the operator writes them. */
export const ENTITLEMENT_KEYS = [
  ...(['sessions', 'messages', 'calls', 'tokens'] as const),
  ...(['overage', 'storage', 'pace'] as const),
  ...(['endpoints', 'keys', 'widgets', 'scheduled'] as const),
];
/** Value of `ENTITLEMENT_KEYS`. */
export type EntitlementKey = (typeof ENTITLEMENT_KEYS)[number];
/** The value of one entitlement: a whole number, or how tokens beyond the included ones are treated. */
export type EntitlementValue = number | TokenOverage;
