export {
  DatabaseProxy,
  natsLogin,
  type ServiceProcess,
  startProcess,
  startTestNats,
  temporaryDirectory,
  type TestDatabase,
  type TestNats,
  waitFor,
} from '@svc/test-servers';
export { type AgedRow, agedRowsLeft } from './aged-rows.js';
export { AuditChain, type ChainBehaviour } from './audit-chain.js';
export { HostileHost, type HostileHostCounts } from './hostile-host.js';
export {
  type LlmCall,
  type LlmCounts,
  type LlmKeyCounts,
  type LlmRule,
  LlmStandIn,
  type LlmUsage,
} from './llm-stand-in.js';
export { schemaColumns } from './schema-columns.js';
export { functionsWithoutFile } from './schema-functions.js';
export { readEveryEvent } from './event-readers.js';
export { natsConnectionOf } from './nats-connection.js';
export { createTestDatabase, serviceUrl, type TestSchema } from './test-database.js';
export {
  bootTestService,
  type BootedService,
  startTestServers,
  startTestService,
  type TestServers,
  type TestService,
} from './test-service.js';
export { selfSigned, type ServerCertificate as SelfSigned } from '@svc/certificates';
export { seededRandom } from './seeded-random.js';
export {
  type DeliveryBody,
  type ReceivedWebhook,
  type WebhookAnswer,
  WebhookReceiver,
} from './webhook-receiver.js';
export {
  NO_STRIPE_FAULTS,
  type StripeFaults,
  StripeStandIn,
  type StripeStandInOptions,
} from './stripe/stripe-stand-in.js';
export type {
  StandInCustomer,
  StandInInvoice,
  StandInItem,
  StandInSubscription,
  StripeWorld,
} from './stripe/stripe-world.js';
export {
  type ApiContent,
  type ApiDocument,
  type ApiOperation,
  type ApiResponse,
  apiOperations,
  contentExamples,
  parametersOf,
  responseFor,
  isStream,
  type JsonSchema,
  resolveSchema,
} from './openapi/api-document.js';
export { type ApiAnswer, AnswerCheck } from './openapi/answer-check.js';
export {
  idFor,
  idsInPath,
  pathWithIds,
  referencesOf,
  type ResourceIds,
  withIds,
} from './openapi/resource-ids.js';
export { fuzzApi, type FuzzOptions, type FuzzReport } from './openapi/fuzz.js';
export type { FuzzWorld } from './openapi/fuzz-requests.js';
export { breakingChanges } from './openapi/breaking-changes.js';
export type { ContractCase, ContractWorld } from './contract-cases/contract-case.js';
export { webhookCases } from './contract-cases/webhooks.js';
export { auditCases, type AuditWorld } from './contract-cases/audit.js';
export { boundEndpointCases } from './contract-cases/bound-endpoints.js';
export { sessionCases, type SessionWorld } from './contract-cases/sessions.js';
export { assistantConversationCases } from './contract-cases/assistant/conversations.js';
export { assistantKnowledgeCases, type KnowledgeWorld } from './contract-cases/assistant/knowledge.js';
export { assistantToolServerCases, type ToolServerWorld } from './contract-cases/assistant/tool-servers.js';
export { assistantToolCases } from './contract-cases/assistant/tools.js';
export { assistantToolCallCases, type ToolCallWorld } from './contract-cases/assistant/tool-calls.js';
export { assistantCases } from './contract-cases/assistant/settings.js';
export { assistantDraftCases, type DraftWorld } from './contract-cases/assistant/drafts.js';
export { limitsCases } from './contract-cases/limits.js';
export { NO_LIMITS, PLAN_NUMBERS, subscriptionCases } from './contract-cases/subscriptions.js';
export { linkedSessionCases, type LinkedWorld } from './contract-cases/linked-sessions.js';
export { type AskedLink, passkeyCases, type PasskeyWorld } from './contract-cases/passkeys.js';
export { deliveryCases, type DeadLetter, type DeliveryWorld } from './contract-cases/deliveries.js';
export { eventLogCases, type EventLogWorld } from './contract-cases/event-log.js';
export { paymentCases, type PaymentWorld } from './contract-cases/payments.js';
export { endMessageCases } from './contract-cases/end-message.js';
export {
  wholeTenantInAssistantCases,
  wholeTenantInBillingCases,
  wholeTenantInLimitsCases,
  wholeTenantInSessionsCases,
  wholeTenantInWebhooksCases,
} from './contract-cases/whole-tenants.js';
