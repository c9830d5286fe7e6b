export { LLM_CALL_MAX, LlmCalledV1, LlmCalled } from './llm-events.js';
export {
  MessageReceivedV1,
  MessageFailure,
  OutboundMessageV1,
  MessageFailedV1,
  MessageReceived,
  MessageSent,
  MessageDelivered,
  MessageRead,
  MessageFailed,
} from './message-events.js';
export {
  SessionConnectedV1,
  SessionEndedV1,
  SessionQrGeneratedV1,
  SessionTierChangedV1,
  SessionDeletedV1,
  SessionConnected,
  SessionDisconnected,
  SessionQrGenerated,
  SessionLoggedOut,
  SessionDeleted,
  SessionTierChanged,
} from './session-events.js';
export { SubscriptionChangedV1, SubscriptionChanged } from './subscription-events.js';
export {
  WebhookStateV1,
  WebhookChangedV1,
  WebhookPaused,
  WebhookRecovered,
  WebhookChanged,
} from './webhook-events.js';
