import { Module, type Provider } from '@nestjs/common';
import { STREAM_READERS } from '@svc/contracts';
import { JetStreamStrategy, Messaging } from '@svc/messaging';
import { MEDIA_STORE, openMediaStore } from '@svc/media-store';
import { AddressGuard } from '@svc/outbound-http';
import {
  auditOutboxProvider,
  connectionProviders,
  databaseModule,
  erasedContactsProvider,
  outboxProvider,
  PeriodicTasks,
  Retention,
  SealedTables,
  SecretBox,
} from '@svc/service';
import { DataSource } from 'typeorm';
import { HistoryService } from './turns/history.service.js';
import { ApprovalRepository } from './approvals/approval.repository.js';
import { ApprovalsConsumer } from './approvals/approvals.consumer.js';
import { ApprovalsService } from './approvals/approvals.service.js';
import { AuditedChanges } from './audited-changes.js';
import { Models } from './answers/model.js';
import { TypingService } from './answers/typing.service.js';
import { AssistantConfig, readConfig } from './config.js';
import { BrainConversations } from './brains/brain-conversations.js';
import { Brains } from './brains/brains.service.js';
import { ConversationsConsumer } from './conversations/conversations.consumer.js';
import { ConversationsService } from './conversations/conversations.service.js';
import { DeletionsConsumer } from './deletions/deletions.consumer.js';
import { DeletionsService } from './deletions/deletions.service.js';
import { ErasuresConsumer } from './deletions/erasures.consumer.js';
import { ExportsService } from './deletions/exports.service.js';
import { ErasuresService } from './deletions/erasures.service.js';
import { DraftRepository } from './drafts/draft.repository.js';
import { DraftsConsumer } from './drafts/drafts.consumer.js';
import { DraftsService } from './drafts/drafts.service.js';
import { ChatFilesService } from './files/chat-files.service.js';
import { FileTexts } from './files/file-texts.js';
import { AddressReader } from './knowledge/address-reader.js';
import { GapsRepository } from './knowledge/gaps.repository.js';
import { KnowledgeConsumer } from './knowledge/knowledge.consumer.js';
import { KnowledgeRepository } from './knowledge/knowledge.repository.js';
import { KnowledgeService } from './knowledge/knowledge.service.js';
import { ReadingService } from './knowledge/reading.service.js';
import { PlayRepository } from './playground/play.repository.js';
import { PlaygroundConsumer } from './playground/playground.consumer.js';
import { JudgeService } from './playground/judge.service.js';
import { PlaygroundService } from './playground/playground.service.js';
import { ProviderRepository } from './providers/provider.repository.js';
import { ProvidersConsumer } from './providers/providers.consumer.js';
import { ProvidersService } from './providers/providers.service.js';
import { RETENTION_RULES } from './retention-rules.js';
import { EvalsService } from './settings/evals.service.js';
import { PublishingService } from './settings/publishing.service.js';
import { SettingsConsumer } from './settings/settings.consumer.js';
import { SettingsService } from './settings/settings.service.js';
import { ApprovalRequests } from './tools/approval-requests.repository.js';
import { McpClients } from './tool-servers/mcp-clients.js';
import { ToolServerRepository } from './tool-servers/tool-server.repository.js';
import { ToolServersConsumer } from './tool-servers/tool-servers.consumer.js';
import { ToolServersService } from './tool-servers/tool-servers.service.js';
import { ToolCallRepository } from './tools/tool-call.repository.js';
import { ToolCallsService } from './tools/tool-calls.service.js';
import { ToolRepository } from './tools/tool.repository.js';
import { ToolsConsumer } from './tools/tools.consumer.js';
import { ToolsService } from './tools/tools.service.js';
import { AnswerMaker } from './turns/answer-maker.js';
import { AnsweringService } from './turns/answering.service.js';
import { CallRepository } from './turns/call.repository.js';
import { ChecksService } from './turns/checks.service.js';
import { InboundConsumer } from './inbound/inbound.consumer.js';
import { InboundService } from './inbound/inbound.service.js';
import { PhoneTextRepository } from './inbound/phone-text.repository.js';
import { ModelCallsService } from './turns/model-calls.service.js';
import { RoundsService } from './turns/rounds.service.js';
import { SendingService } from './turns/sending.service.js';
import { FiguresRepository } from './turn-list/figures.repository.js';
import { TurnListRepository } from './turn-list/turn-list.repository.js';
import { TurnListConsumer } from './turn-list/turn-list.consumer.js';
import { TurnRunner } from './turns/turn-runner.js';
import { TurnRepository } from './turns/turn.repository.js';

const configured: Provider[] = [
  {
    provide: JetStreamStrategy,
    inject: [Messaging],
    useFactory: (messaging: Messaging) => new JetStreamStrategy(messaging, STREAM_READERS.assistant),
  },
  {
    provide: Retention,
    inject: [DataSource, PeriodicTasks],
    useFactory: (dataSource: DataSource, tasks: PeriodicTasks) =>
      new Retention(dataSource, tasks, RETENTION_RULES),
  },
  {
    provide: SecretBox,
    inject: [AssistantConfig],
    useFactory: ({ secretsKey, secretsKeysPrevious }: AssistantConfig) =>
      new SecretBox(secretsKey, ...secretsKeysPrevious),
  },
  {
    provide: SealedTables,
    inject: [DataSource, PeriodicTasks, ProviderRepository, ToolRepository, ToolServerRepository],
    useFactory: (
      dataSource: DataSource,
      tasks: PeriodicTasks,
      providers: ProviderRepository,
      tools: ToolRepository,
      servers: ToolServerRepository,
    ) => new SealedTables(dataSource, tasks, [providers.table, tools.table, servers.table]),
  },
  {
    provide: AddressGuard,
    inject: [AssistantConfig],
    useFactory: (config: AssistantConfig) => new AddressGuard(config),
  },
  { provide: MEDIA_STORE, inject: [AssistantConfig], useFactory: openMediaStore },
  erasedContactsProvider(AssistantConfig),
  outboxProvider,
  auditOutboxProvider,
];

/** The whole wiring of `assistant`. */
@Module({
  imports: [databaseModule('assistant', readConfig, [])],
  controllers: [
    SettingsConsumer,
    ProvidersConsumer,
    ConversationsConsumer,
    DraftsConsumer,
    InboundConsumer,
    TurnListConsumer,
    KnowledgeConsumer,
    ToolsConsumer,
    ApprovalsConsumer,
    ToolServersConsumer,
    PlaygroundConsumer,
    DeletionsConsumer,
    ErasuresConsumer,
  ],
  providers: [
    ...connectionProviders('assistant', AssistantConfig, readConfig),
    ...configured,
    SettingsService,
    PublishingService,
    EvalsService,
    AuditedChanges,
    ProviderRepository,
    ProvidersService,
    ConversationsService,
    DraftRepository,
    DraftsService,
    KnowledgeRepository,
    GapsRepository,
    KnowledgeService,
    AddressReader,
    ReadingService,
    FileTexts,
    ChatFilesService,
    HistoryService,
    Models,
    BrainConversations,
    Brains,
    TypingService,
    TurnRepository,
    TurnListRepository,
    FiguresRepository,
    CallRepository,
    ChecksService,
    ModelCallsService,
    RoundsService,
    ToolServerRepository,
    McpClients,
    ToolServersService,
    ToolRepository,
    ToolsService,
    ToolCallRepository,
    ApprovalRequests,
    ToolCallsService,
    SendingService,
    AnswerMaker,
    AnsweringService,
    PlayRepository,
    PlaygroundService,
    JudgeService,
    PhoneTextRepository,
    InboundService,
    TurnRunner,
    ApprovalRepository,
    ApprovalsService,
    DeletionsService,
    ErasuresService,
    ExportsService,
  ],
})
export class AppModule {}
