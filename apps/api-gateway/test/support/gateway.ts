import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import {
  CreateTenant,
  type CreateTenantV1,
  type NewTenant,
  partitionOf,
  type SendMessageV1,
  STREAMS,
} from '@svc/contracts';
import { startTestService, temporaryDirectory, type TestService } from '@svc/testing';
import { SendPermissions } from '../../src/auth/send-permissions.js';
import { SendPublisher } from '../../src/sending/send-publisher.js';
import { schema } from '../../src/migrations/schema.js';
import { serviceOptions } from '../../src/service-options.js';
import { FakeServices } from './fake-services.js';
import { FakeSimulator } from './fake-simulator.js';

/** An answer over HTTP, read to its end. */
export interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

/** A send command as it lies in the stream. */
export interface SendCommand {
  id: string;
  tenantId: string;
  data: SendMessageV1;
}

/** The gateway on real servers, with the other services played by contract. */
export class TestGateway {
  private constructor(
    readonly service: TestService,
    readonly fakes: FakeServices,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<TestGateway> {
    const service = await startTestService(serviceOptions, schema, {
      KEY_PEPPER: 'pepper of the tests, long enough to pass',
      SVC_MODE: 'development',
      MEDIA_DIR: temporaryDirectory('media'),
      INSTALLATION_NAME: 'Test Messaging',
      ...env,
    });
    return new TestGateway(service, await FakeServices.start(service.nats.url));
  }

  createTenant(change: Partial<CreateTenantV1> = {}): Promise<NewTenant> {
    const name = `Tenant ${randomUUID().slice(0, 8)}`;
    const tenant = {
      name,
      plan: 'GROWTH' as const,
      subscription: 'ACTIVE' as const,
      internal: false,
      ...change,
    };
    return this.service.rpc.request(CreateTenant, tenant);
  }

  /** Makes the sandbox of a tenant, with a test key. */
  async sandboxOf({ tenantId, apiKey }: NewTenant): Promise<NewTenant> {
    const { body } = await this.call(apiKey, 'POST /v1/api-keys', { environment: 'TEST' });
    const sql = 'SELECT id FROM gateway.tenant WHERE sandbox_of = $1';
    const [row] = await this.service.database.query<{ id: string }>(sql, [tenantId]);
    const dashboard = { email: '', password: '' };
    return { tenantId: String(row?.id), apiKey: String(body['secret']), kid: String(body['kid']), dashboard };
  }

  /** Calls a path as `GET`, or with a method in front of it: `POST /v1/messages`. */
  async call(
    key: string | undefined,
    route: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const [path = '', method = 'GET'] = route.split(' ').reverse();
    const response = await fetch(`${this.service.url}${path}`, {
      method,
      headers: {
        ...(key ? { authorization: `Bearer ${key}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return read(response);
  }

  /** Reads the send commands for a session from the stream. */
  async commandsOf(sessionId: string): Promise<SendCommand[]> {
    await this.service.get(SendPublisher).settled();
    const { manager } = this.fakes.messaging;
    const subject = `cmd.${partitionOf(sessionId)}.send-message.${sessionId}`;
    const { state } = await manager.streams.info(STREAMS.commands);
    const commands = [];
    for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq += 1) {
      const stored = await manager.streams.getMessage(STREAMS.commands, { seq });
      if (stored?.subject === subject) commands.push(stored.json<SendCommand>());
    }
    return commands;
  }

  /** Invalidates the cached permissions as the event of a change in another service does, without the wait for it. */
  invalidatePermissions(): void {
    this.service.get(SendPermissions).invalidate();
  }

  async stop(): Promise<void> {
    await this.fakes.stop();
    await this.service.stop();
  }
}

/** Gateway of this test file. */
export let gateway: TestGateway;
/** Tenant of this test file, which may send. */
export let tenant: NewTenant;

/** Starts a gateway as `withGateway` does, with a sandbox whose far side is played by contract. */
export function withSandboxGateway(env: Record<string, string> = {}): void {
  let simulator: FakeSimulator;
  beforeAll(async () => {
    simulator = await FakeSimulator.start();
    gateway = await TestGateway.start({ ...env, SANDBOX_CONTROL_URL: simulator.url });
    tenant = await gateway.createTenant();
  });
  afterAll(async () => {
    await gateway.stop();
    await simulator.stop();
  });
}

/** Starts a gateway with a tenant for this file, and stops it after the last test. */
export function withGateway(env: Record<string, string> = {}): void {
  beforeAll(async () => {
    gateway = await TestGateway.start(env);
    tenant = await gateway.createTenant();
  });
  afterAll(() => gateway.stop());
}

async function read(response: Response): Promise<Answer> {
  const { status, headers } = response;
  const text = await response.text();
  const isJson = text !== '' && headers.get('content-type')?.startsWith('application/json');
  return { status, headers, body: isJson ? (JSON.parse(text) as Record<string, unknown>) : { text } };
}
