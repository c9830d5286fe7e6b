import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AddressGuard } from '@svc/outbound-http';
import { MEDIA_STORE, openMediaStore } from '@svc/media-store';
import { STREAM_READERS } from '@svc/contracts';
import { JetStreamStrategy, Messaging } from '@svc/messaging';
import { connectionProviders, databaseModule, erasedContactsProvider, LongReads } from '@svc/service';
import { AnswersConsumer } from './answers/answers.consumer.js';
import { AnswersRepository } from './answers/answers.repository.js';
import { AnswersService } from './answers/answers.service.js';
import { PastService } from './answers/past.service.js';
import { AssistantController } from './assistant/assistant.controller.js';
import { ToolCallsController } from './assistant/tool-calls.controller.js';
import { ToolCallsService } from './assistant/tool-calls.service.js';
import { DraftsController } from './assistant/drafts.controller.js';
import { ToolServersController } from './assistant/tool-servers.controller.js';
import { ToolsController } from './assistant/tools.controller.js';
import { DraftsService } from './assistant/drafts.service.js';
import { Answerers } from './assistant/answerers.service.js';
import { AnswerersConsumer } from './assistant/answerers.consumer.js';
import { SessionAssistantRow } from './assistant/session-assistant.entity.js';
import { AuditConsumer } from './audit/audit.consumer.js';
import { AuditController } from './audit/audit.controller.js';
import { AuditVerifier } from './audit/audit-verifier.js';
import { AuditWatch } from './audit/audit-watch.js';
import { AuditCheck, AuditHead, AuditRecord, AuditSeen } from './audit/audit-record.entity.js';
import { AuditService } from './audit/audit.service.js';
import { SeenEnds } from './audit/seen-ends.js';
import { ApiKey } from './auth/api-key.entity.js';
import { ApiKeysController } from './keys/api-keys.controller.js';
import { ApiKeysService } from './keys/api-keys.service.js';
import { BotKeysConsumer } from './keys/bot-keys.consumer.js';
import { BotKeys } from './keys/bot-keys.service.js';
import { KeyRotations } from './keys/key-rotations.service.js';
import { KeyRows } from './keys/key-rows.service.js';
import { KeyDigest } from './auth/api-key.js';
import { KeyWatch } from './events/key-watch.js';
import { KeyUsage, KeyVerifier } from './auth/key-verifier.js';
import { RequestPaces } from './auth/request-paces.js';
import { ScopeGuard } from './auth/authorization.js';
import { GatewayConfig, readConfig } from './config.js';
import { ContactRepository } from './contacts/contact.repository.js';
import { ContactTraces } from './contacts/contact-traces.js';
import { ContactsController } from './contacts/contacts.controller.js';
import { ContactsService } from './contacts/contacts.service.js';
import { ConversationListRepository } from './conversations/conversation-list.repository.js';
import { ConversationsService } from './conversations/conversations.service.js';
import { Conversation } from './conversations/conversation.entity.js';
import { ConversationPast } from './conversations/conversation-past.entity.js';
import { ConversationsController } from './conversations/conversations.controller.js';
import { HandoffsController } from './conversations/handoffs.controller.js';
import { HandoffsService } from './conversations/handoffs.service.js';
import { PastSweeper } from './conversations/past-sweeper.js';
import { NoQueryGuard } from './edge/no-query.guard.js';
import { ErasedContact, ErasureRecord } from './erasures/erasure.entity.js';
import { ErasureRunner } from './erasures/erasure-runner.js';
import { ErasuresController } from './erasures/erasures.controller.js';
import { ErasuresService } from './erasures/erasures.service.js';
import { MessageErasure } from './erasures/message-erasure.js';
import { EventLogController } from './events/event-log.controller.js';
import { EventLogService } from './events/event-log.service.js';
import { EventStreamController } from './events/event-stream.controller.js';
import { EventStreams } from './events/event-streams.service.js';
import { LogReader } from './events/log-reader.js';
import { LogTail } from './events/log-tail.js';
import { HelperController } from './link-page/helper.controller.js';
import { HelperLinks } from './link-page/helper-links.service.js';
import { LinkEnd } from './link-page/link-end.js';
import { LinksConsumer } from './link-page/links.consumer.js';
import { LinkPagesController } from './link-page/link-pages.controller.js';
import { LinkPagesService } from './link-page/link-pages.service.js';
import { LinkVisits } from './link-page/link-visits.service.js';
import { LinkVisitsController } from './link-page/link-visits.controller.js';
import { NamesOnPages } from './link-page/link-names.js';
import { McpController } from './mcp/mcp.controller.js';
import { McpService } from './mcp/mcp.service.js';
import { ToolCalls } from './mcp/tool-calls.js';
import { SendPermissions } from './auth/send-permissions.js';
import { LimitsController } from './usage/limits.controller.js';
import { LimitsService } from './limits/limits.service.js';
import { SandboxCounts } from './limits/sandbox-limits.js';
import { QuotasService } from './limits/quotas.service.js';
import { AdmissionService } from './sending/admission.service.js';
import { CancellationController } from './scheduling/cancellation.controller.js';
import { CancellationService } from './scheduling/cancellation.service.js';
import { ClientMessage } from './sending/client-message.entity.js';
import { MessagesService } from './messages/messages.service.js';
import { CallsConsumer } from './calls/calls.consumer.js';
import { CallsService } from './calls/calls.service.js';
import { PollVoteRow } from './polls/poll-vote.entity.js';
import { PollVotesRepository } from './polls/poll-votes.repository.js';
import { PollsConsumer } from './polls/polls.consumer.js';
import { PollsController } from './polls/polls.controller.js';
import { PollsService } from './polls/polls.service.js';
import { JobsRepository } from './sending/jobs.repository.js';
import { Message } from './messages/message.entity.js';
import { MessageListRepository } from './messages/message-list.repository.js';
import { MessageMediaController } from './media/message-media.controller.js';
import { MessageMediaService } from './media/message-media.service.js';
import { MessageSweeper } from './sending/message-sweeper.js';
import { MessagesConsumer } from './messages/messages.consumer.js';
import { MediaController } from './media/media.controller.js';
import { KeptUploads } from './media/kept-uploads.entity.js';
import { Upload } from './media/upload.entity.js';
import { UploadsService } from './media/uploads.service.js';
import { MessagesController } from './messages/messages.controller.js';
import { ContactAlias } from './messages/contact-alias.entity.js';
import { ContactAliases } from './messages/contact-aliases.js';
import { MessageChangesRepository } from './messages/message-changes.repository.js';
import { MessagesRepository } from './messages/messages.repository.js';
import { ScheduledMessage } from './scheduling/scheduled-message.entity.js';
import { ScheduledGate } from './scheduling/scheduled-gate.js';
import { ScheduledSends } from './scheduling/scheduled-sends.js';
import { ScheduleConsumer } from './scheduling/schedule.consumer.js';
import { ScheduleRepository } from './scheduling/schedule.repository.js';
import { SendPublisher } from './sending/send-publisher.js';
import { OutgoingMedia } from './sending/outgoing-media.js';
import { SendingController } from './sending/sending.controller.js';
import { DryRunService } from './sending/dry-run.service.js';
import { ScheduleLimit } from './sending/schedule-limit.js';
import { SendingService } from './sending/sending.service.js';
import { Cursors } from './paging/cursor.js';
import { ContactWrites } from './sandbox/contact-writes.js';
import { SandboxConsumer } from './sandbox/sandbox.consumer.js';
import { SandboxController } from './sandbox/sandbox.controller.js';
import { SandboxDay } from './sandbox/sandbox-day.entity.js';
import { SandboxNumber } from './sandbox/sandbox-number.entity.js';
import { SandboxNumbers } from './sandbox/sandbox-numbers.js';
import { SandboxService } from './sandbox/sandbox.service.js';
import { SandboxesService } from './tenants/sandboxes.service.js';
import { SimulatorClient } from './sandbox/simulator.client.js';
import { ExternalConfigController } from './sessions/external-config.controller.js';
import { ExternalConfigService } from './sessions/external-config.service.js';
import { LiveController } from './sessions/live.controller.js';
import { LiveService } from './sessions/live.service.js';
import { PasskeyController } from './sessions/passkey.controller.js';
import { PasskeyService } from './sessions/passkey.service.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { SessionAssistantController } from './sessions/session-assistant.controller.js';
import { SessionAssistantService } from './sessions/session-assistant.service.js';
import { SessionKnowledgeController } from './sessions/session-knowledge.controller.js';
import { SessionKnowledgeService } from './sessions/session-knowledge.service.js';
import { SessionCreation } from './sessions/session-creation.entity.js';
import { SessionCreationService } from './sessions/session-creation.service.js';
import { SessionsService } from './sessions/sessions.service.js';
import { OptOut, OptOutWordsRow } from './opt-outs/opt-out.entity.js';
import { OptOutsController } from './opt-outs/opt-outs.controller.js';
import { OptOutsRepository } from './opt-outs/opt-outs.repository.js';
import { OptOutsService } from './opt-outs/opt-outs.service.js';
import { SingleUseLinkRow } from './single-use/single-use-link.entity.js';
import { SingleUseLinks } from './single-use/single-use-links.js';
import { SubscriptionsService } from './subscriptions/subscriptions.service.js';
import { TenantPaces } from './subscriptions/tenant-paces.js';
import { DashboardUser } from './tenants/dashboard-user.entity.js';
import { Tenant } from './tenants/tenant.entity.js';
import { ConfirmedNames } from './operator/confirmed-names.js';
import { DeletionRunner } from './operator/deletion-runner.js';
import { DeletionsService } from './operator/deletions.service.js';
import { TenantDeletionRecord } from './operator/tenant-deletion.entity.js';
import { TenantErasure } from './operator/tenant-erasure.js';
import { SuspensionsService } from './operator/suspensions.service.js';
import { TenantKeys } from './operator/tenant-keys.service.js';
import { TenantKeysConsumer } from './operator/tenant-keys.consumer.js';
import { TenantsConsumer } from './operator/tenants.consumer.js';
import { TenantsService } from './operator/tenants.service.js';
import { TimeTravelService } from './operator/time-travel.service.js';
import { PublicPaces } from './widget/public-paces.js';
import { PublicWidgetController } from './widget/public-widget.controller.js';
import { PublicWidgetService } from './widget/public-widget.service.js';
import { Widget } from './widget/widget.entity.js';
import { WidgetsController } from './widget/widgets.controller.js';
import { WidgetsService } from './widget/widgets.service.js';
import { WebhookActionsController } from './webhooks/webhook-actions.controller.js';
import { DeliveriesController } from './webhooks/deliveries.controller.js';
import { ProviderWebhookController } from './subscriptions/provider-webhook.controller.js';
import { SubscriptionController } from './subscriptions/subscription.controller.js';
import { UsageController } from './usage/usage.controller.js';
import { UsageService } from './usage/usage.service.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';

const ENTITIES = [
  PollVoteRow,
  ApiKey,
  AuditCheck,
  AuditHead,
  AuditRecord,
  AuditSeen,
  ClientMessage,
  ContactAlias,
  Conversation,
  ConversationPast,
  DashboardUser,
  ErasedContact,
  ErasureRecord,
  KeptUploads,
  Message,
  OptOut,
  OptOutWordsRow,
  SandboxDay,
  SandboxNumber,
  ScheduledMessage,
  SessionAssistantRow,
  SessionCreation,
  SingleUseLinkRow,
  Tenant,
  TenantDeletionRecord,
  Upload,
  Widget,
];

/** Events of all tenants; every replica may update the read model, so nothing is partitioned here. */
const events = {
  provide: JetStreamStrategy,
  useFactory: (messaging: Messaging) => new JetStreamStrategy(messaging, STREAM_READERS.gateway),
  inject: [Messaging],
};

/** The whole wiring of `api-gateway`. */
@Module({
  imports: [databaseModule('gateway', readConfig, ENTITIES), TypeOrmModule.forFeature(ENTITIES)],
  controllers: [
    SendingController,
    MessagesController,
    PollsController,
    CancellationController,
    MessageMediaController,
    ConversationsController,
    HandoffsController,
    ContactsController,
    ErasuresController,
    OptOutsController,
    MediaController,
    SessionsController,
    LimitsController,
    UsageController,
    SubscriptionController,
    ProviderWebhookController,
    LiveController,
    PasskeyController,
    ExternalConfigController,
    AssistantController,
    ToolsController,
    ToolServersController,
    DraftsController,
    ToolCallsController,
    SessionAssistantController,
    SessionKnowledgeController,
    WebhooksController,
    WebhookActionsController,
    DeliveriesController,
    EventLogController,
    EventStreamController,
    ApiKeysController,
    AuditController,
    SandboxController,
    WidgetsController,
    PublicWidgetController,
    LinkPagesController,
    LinkVisitsController,
    HelperController,
    McpController,
    MessagesConsumer,
    AnswersConsumer,
    CallsConsumer,
    PollsConsumer,
    SandboxConsumer,
    ScheduleConsumer,
    BotKeysConsumer,
    AuditConsumer,
    TenantsConsumer,
    TenantKeysConsumer,
    LinksConsumer,
    AnswerersConsumer,
  ],
  providers: [
    ...connectionProviders('api-gateway', GatewayConfig, readConfig),
    erasedContactsProvider(GatewayConfig),
    events,
    { provide: MEDIA_STORE, useFactory: openMediaStore, inject: [GatewayConfig] },
    { provide: APP_GUARD, useClass: ScopeGuard },
    { provide: APP_GUARD, useClass: NoQueryGuard },
    KeyVerifier,
    RequestPaces,
    KeyUsage,
    KeyWatch,
    KeyDigest,
    ApiKeysService,
    KeyRotations,
    BotKeys,
    KeyRows,
    AuditService,
    AuditVerifier,
    AuditWatch,
    SeenEnds,
    Cursors,
    SubscriptionsService,
    TenantPaces,
    LimitsService,
    SandboxCounts,
    QuotasService,
    UsageService,
    {
      provide: AddressGuard,
      useFactory: (config: GatewayConfig) => new AddressGuard(config),
      inject: [GatewayConfig],
    },
    UploadsService,
    OutgoingMedia,
    SendingService,
    AnswersRepository,
    AnswersService,
    PastService,
    DryRunService,
    ScheduleLimit,
    SendPermissions,
    CancellationService,
    AdmissionService,
    ScheduleRepository,
    ScheduledGate,
    ScheduledSends,
    SendPublisher,
    MessageSweeper,
    MessagesRepository,
    ContactAliases,
    LongReads,
    MessageChangesRepository,
    MessageListRepository,
    MessagesService,
    CallsService,
    PollsService,
    PollVotesRepository,
    JobsRepository,
    ConversationListRepository,
    ConversationsService,
    HandoffsService,
    PastSweeper,
    ContactRepository,
    ContactTraces,
    ContactsService,
    OptOutsRepository,
    OptOutsService,
    ErasuresService,
    ErasureRunner,
    MessageErasure,
    MessageMediaService,
    SessionsService,
    SessionCreationService,
    LiveService,
    PasskeyService,
    ExternalConfigService,
    Answerers,
    DraftsService,
    ToolCallsService,
    SessionAssistantService,
    SessionKnowledgeService,
    EventLogService,
    EventStreams,
    LogReader,
    LogTail,
    TenantsService,
    TenantKeys,
    SuspensionsService,
    DeletionsService,
    DeletionRunner,
    TenantErasure,
    TimeTravelService,
    SandboxesService,
    SandboxService,
    SandboxNumbers,
    ContactWrites,
    SimulatorClient,
    WidgetsService,
    PublicWidgetService,
    PublicPaces,
    ConfirmedNames,
    SingleUseLinks,
    NamesOnPages,
    LinkPagesService,
    LinkVisits,
    LinkEnd,
    HelperLinks,
    McpService,
    ToolCalls,
  ],
})
export class AppModule {}
