export {
  PROVIDER_KINDS,
  type ProviderKind,
  PutProviderBody,
  ProviderView,
  TenantAssistant,
} from './assistant/provider.js';
export {
  PublishAssistantBody,
  PutSessionAssistantBody,
  SessionAssistant,
} from './assistant/session-assistant.js';
export { PublishedSettings } from './assistant/published-settings.js';
export { AssistantSettings } from './assistant/settings.js';
export { DraftView, EditDraftBody, ListDraftsQuery, SentDraft } from './assistant/drafts.js';
export { ConversationOwnerView, HandoffBody, HandoffView } from './assistant/handoffs.js';
export {
  AddKnowledgeBody,
  FoundKnowledge,
  KNOWLEDGE_KINDS,
  KNOWLEDGE_STATES,
  type KnowledgeKind,
  KnowledgeGap,
  KnowledgePassage,
  KnowledgeSource,
  KnowledgeSourceText,
  type KnowledgeState,
  SearchKnowledgeBody,
  SOURCE_CHARACTERS_MAX,
  SOURCE_FILE_MAX,
  SOURCES_MAX,
} from './assistant/knowledge.js';
export {
  AssistantFigures,
  DayFigure,
  FIGURE_DAYS_MAX,
  FiguresQuery,
  OutcomeFigure,
} from './assistant/figures.js';
export { DemandEvalsBody, EvalsRun, EvalsRunBody, JudgeBody, Judgement, Verdict } from './assistant/evals.js';
export { PLAY_SIDES, PlayBody, PlayedAnswer, PlayMessage, type PlaySide } from './assistant/playground.js';
export {
  APPROVED_CALL_STATES,
  ApprovedCall,
  LISTED_CALL_STATES,
  ListToolCallsQuery,
  TOOL_CALL_STATES,
  type ToolCallState,
  WaitingCallView,
} from './assistant/tools/tool-calls.js';
export {
  ALLOWED_TOOLS_MAX,
  calledToolOf,
  OfferedTool,
  PutToolServerBody,
  TOOL_SERVER_NAME,
  ToolServer,
  TOOL_SERVERS_MAX,
  ToolServers,
  ToolServerView,
} from './assistant/tools/tool-servers.js';
export { PutToolBody, TOOL_NAME, Tools, TOOLS_MAX, ToolView } from './assistant/tools/tools.js';
export {
  MODEL_CALL_STATES,
  type ModelCallState,
  ModelCallView,
  ToolCallView,
  TURN_OUTCOMES,
  type TurnOutcome,
  TurnView,
} from './assistant/turns.js';
export { HttpErrorBody } from './http-error.js';
export { MayBeAbsent } from './may-be-absent.js';
export { ContactProfile, ContactEvent, ContactExport, ContactTurn } from './messages/contacts.js';
export { ListConversationsQuery, ConversationView } from './messages/conversations.js';
export { ErasureCounts, Erasure } from './messages/erasures.js';
export { ListMessagesQuery } from './messages/list-query.js';
export { UploadRequest, UploadedMedia } from './messages/media.js';
export { OptOutView, OptOutWords } from './messages/opt-outs.js';
export { PollOption, PollResult, PollVoteView } from './messages/polls.js';
export {
  type RepeatDifference,
  QueuedMessage,
  RelatedMessage,
  MessageView,
  CanceledMessage,
} from './messages/messages.js';
export { SendMessageRequest } from './messages/send-message-request.js';
export { QUEUE_FOR_SECONDS, SEND_AHEAD_DAYS } from './messages/send-options.js';
export { PageQuery, type Page, BoundedCount } from './page.js';
export {
  PutExternalConfigBody,
  ExternalBotEnv,
  ExternalConfig,
  MintedKey,
} from './sessions/external-config.js';
export { Failover } from './sessions/failover.js';
export { LINK_PAGE_SECONDS, LinkPageBody, LinkPageView } from './sessions/link-page.js';
export { PairingCodeBody, PairingCode, MarkReadBody, TypingBody, ContactView } from './sessions/live.js';
export {
  PasskeyView,
  PasskeyAssertionResponse,
  PasskeyAssertion,
  ConfirmPasskeyBody,
} from './sessions/passkey.js';
export {
  CreateSessionBody,
  UpdateSessionBody,
  SessionRestriction,
  SessionState,
  SessionView,
  CreatedSession,
  SessionQr,
} from './sessions/sessions.js';
export { PromoteTierBody, TierPromotion } from './sessions/tiers.js';
export { type WarmupCriterionName, WarmupCriterion, WarmupState } from './sessions/warmup.js';
export {
  CreateApiKeyBody,
  ApiKeyView,
  RotatedKey,
  NewApiKey,
  CheckApiKeysBody,
  CheckedApiKey,
  CheckedApiKeys,
} from './tenants/api-keys.js';
export { BusinessHours, OpenTime, type Weekday, WEEKDAYS } from './assistant/hours.js';
export { AuditEntry } from './tenants/audit.js';
export {
  LimitCount,
  SessionDay,
  TenantLimits,
  SandboxLimits,
  SessionLimits,
  DryRunRefusal,
  DryRun,
} from './tenants/limits.js';
export { SubscriptionView, OpenCheckoutBody, ProviderPage } from './tenants/subscription.js';
export {
  TOKEN_BLOCK,
  TOKEN_BLOCK_CENTS,
  CURRENCY,
  UsageQuery,
  TokenKinds,
  TokenUsage,
  DayUsed,
  SessionUsed,
  MonthUsage,
} from './tenants/usage.js';
export {
  EndpointReasonBody,
  WebhookTestResult,
  LastAttempt,
  RecentAttempts,
  WebhookHealth,
} from './webhooks/actions.js';
export {
  DELIVERY_STATUSES,
  type DeliveryStatus,
  EventFilter,
  DeadLettersQuery,
  DeliveriesQuery,
  DeliveryAttempt,
  DeliveryView,
} from './webhooks/deliveries.js';
export {
  CreateWebhookBody,
  UpdateWebhookBody,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from './webhooks/endpoints.js';
export { EventLogQuery, EventStreamQuery, LoggedEvent, EventLogPage } from './webhooks/event-log.js';
export { HIDDEN_VALUE } from './headers.js';
export { type Aspect, ASPECTS, Hears, HEARS_BY_DEFAULT, HearsBody } from './webhooks/hears.js';
export {
  type RunEffect,
  type AnswerRule,
  PAUSE_AFTER,
  NEW_SECRET_HOURS,
  ANSWER_RULES,
  answerRuleOf,
  answerTable,
} from './webhooks/receiver-answers.js';
export {
  REPLAYABLE_STATUSES,
  type ReplayableStatus,
  type ReplayState,
  ReplayBody,
  Replay,
  ReplayStart,
} from './webhooks/replays.js';
