export {
  MediaRequest,
  UploadRequest,
  UploadedMedia,
  ReactionRequest,
  EditRequest,
  DeleteRequest,
  CONTENT_FIELDS,
  type ContentField,
  SendMessageRequest,
} from './messages/send-message-request.js';
export { type Metadata, QUEUE_FOR_SECONDS, SEND_AHEAD_DAYS } from './messages/send-options.js';
export {
  QueuedMessage,
  MESSAGE_RELATIONS,
  type MessageRelation,
  RelatedMessage,
  MessageView,
  SendMessageV1,
  ReconcileSessionV1,
  FindMessagesV1,
  FoundMessages,
  SendMessage,
  ReconcileSession,
  FindMessages,
} from './messages/messages.js';
export { PageQuery, type Page } from './page.js';
export { ListMessagesQuery } from './messages/list-query.js';
export { ConversationView, ListConversationsQuery } from './messages/conversations.js';
export { ContactEvent, ContactEventsReply, ContactExport, ContactProfile } from './messages/contacts.js';
export { ReadContactEvents, ReadContactEventsV1 } from './messages/contacts.js';
export { TenantLimits, SessionLimits, DryRunRefusal, DryRun } from './tenants/limits.js';
export { DayUsed, MonthUsage, SessionUsed } from './tenants/usage.js';
export { OpenCheckoutBody, SubscriptionView } from './tenants/subscription.js';
export {
  CreateWebhookBody,
  UpdateWebhookBody,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from './webhooks/endpoints.js';
export {
  EndpointReasonBody,
  WebhookTestResult,
  LastAttempt,
  RecentAttempts,
  BoundedCount,
  WebhookHealth,
} from './webhooks/actions.js';
export { HIDDEN_VALUE } from './webhooks/headers.js';
export { PutExternalConfigBody, ExternalBotEnv, ExternalConfig } from './sessions/external-config.js';
export {
  CreateApiKeyBody,
  ApiKeyView,
  RotatedKey,
  NewApiKey,
  CheckApiKeysBody,
  CheckedApiKey,
  CheckedApiKeys,
} from './tenants/api-keys.js';
export { HttpErrorBody } from './http-error.js';
