import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AssistantSettings,
  type Envelope,
  LlmCalled,
  type LlmCalledV1,
  MessageReceived,
  type MessageReceivedV1,
  type ProviderKind,
  PublishAssistantSettings,
  SetAssistantSettings,
  SetProvider,
} from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { AuditChain, startTestService, type TestService, waitFor } from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { Neighbours } from './neighbours.js';
import { StandIn } from './stand-in.js';

/** A session whose assistant answers, and the people who write to it. */
export class Shop {
  readonly tenantId = randomUUID();
  readonly sessionId = randomUUID();
  /** Key with which it asks the stand-in. */
  readonly key = `key-${randomBytes(12).toString('hex')}`;

  constructor(private readonly scene: Scene) {}

  /** Publishes settings; what is left out is quick and without typing. */
  async settings(settings: Partial<AssistantSettings> = {}): Promise<void> {
    const { tenantId, sessionId } = this;
    const { rpc } = this.scene.service;
    const quick = { mode: 'auto', debounceMs: 50, maxWaitMs: 100_000, typing: false, ...settings };
    await rpc.request(SetAssistantSettings, { tenantId, sessionId, settings: quick as AssistantSettings });
    await rpc.request(PublishAssistantSettings, { tenantId, sessionId, actor: 'key:test' });
  }

  /** Sets the provider: the stand-in. */
  async provider(
    fields: { kind?: ProviderKind; baseUrl?: string; fallbackModel?: string } = {},
  ): Promise<void> {
    const request = {
      tenantId: this.tenantId,
      baseUrl: this.scene.model.url,
      model: 'stand-in',
      key: this.key,
      actor: 'key:test',
    };
    await this.scene.service.rpc.request(SetProvider, { ...request, ...fields });
  }

  /** A contact writes. @returns the id of the message. */
  async write(chat: string, text: string, fields: Partial<MessageReceivedV1> = {}): Promise<string> {
    const messageId = randomUUID();
    const now = new Date().toISOString();
    const data: MessageReceivedV1 = {
      ...{
        sessionId: this.sessionId,
        messageId,
        chatId: chat,
        remoteJid: chat,
        isGroup: false,
        fromMe: false,
      },
      ...{
        keyId: messageId,
        body: { type: 'text', text },
        pushName: 'Ada',
        phone: null,
        timestamp: now,
        receivedAt: now,
      },
      ...fields,
    };
    await this.publish(envelopeOf(MessageReceived, { tenantId: this.tenantId }, data));
    return messageId;
  }

  publish(envelope: Envelope): Promise<unknown> {
    return this.scene.service.messaging.publishEvent(envelope);
  }

  /** Waits until a turn of the chat has ended. @returns outcomes and details, oldest first. */
  async ended(chat: string, count = 1): Promise<{ outcome: string; detail: string | null }[]> {
    const read = (): Promise<{ outcome: string; detail: string | null }[]> =>
      this.scene.service.database.query(
        `SELECT outcome, detail FROM assistant.turn WHERE session_id = '${this.sessionId}' AND chat = '${chat}' AND state = 'DONE'
         ORDER BY first_at`,
      );
    await waitFor(`${count} turns of ${chat} to end`, async () => (await read()).length >= count);
    return read();
  }

  /** Lists what `billing` was told of this session. */
  told(): LlmCalledV1[] {
    return this.scene.llmCalled
      .filter(({ tenantId }) => tenantId === this.tenantId)
      .map(({ data }) => data as LlmCalledV1);
  }
}

/** The assistant under test, the services around it, and a model. */
export class Scene {
  readonly llmCalled: Envelope[] = [];

  private constructor(
    readonly service: TestService,
    readonly around: Neighbours,
    readonly model: StandIn,
    /** The audit log of the gateway. */
    readonly audit: AuditChain,
    /** Folder of files. */
    readonly folder: string,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<Scene> {
    const model = await StandIn.start();
    const folder = await mkdtemp(join(tmpdir(), 'assistant-files-'));
    const service = await startTestService(serviceOptions, schema, {
      ...{ SECRETS_KEY: randomBytes(32).toString('base64'), SVC_MODE: 'development' },
      ...{ CONTACT_HASH_KEY: randomBytes(32).toString('hex'), MEDIA_DIR: folder },
      ...{ WEBHOOK_ALLOWED_ORIGINS: 'http://127.0.0.1:*', SANDBOX_LLM_URL: model.url, ...env },
    });
    const chain = await AuditChain.listen(service.nats.url);
    const neighbours = await Neighbours.listen(service.messaging);
    const scene = new Scene(service, neighbours, model, chain, folder);
    service.messaging.onEventCopy(LlmCalled, (envelope) => scene.llmCalled.push(envelope));
    return scene;
  }

  /** Makes a session whose assistant answers by these settings. */
  async shop(settings: Partial<AssistantSettings> = {}): Promise<Shop> {
    const shop = new Shop(this);
    await shop.provider();
    await shop.settings(settings);
    return shop;
  }

  async stop(): Promise<void> {
    await this.audit.stop();
    await this.service.stop();
    await this.model.stop();
    await rm(this.folder, { recursive: true });
  }
}

/** Makes the address of another person each time. */
export const aContact = (): string =>
  `49151${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}@s.whatsapp.net`;
