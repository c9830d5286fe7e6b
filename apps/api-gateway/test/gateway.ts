import { randomUUID } from 'node:crypto';
import { CreateTenant, type CreateTenantV1, type NewTenant } from '@svc/contracts';
import { startTestService, type TestService } from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { FakeServices } from './fake-services.js';

/** An answer over HTTP, read to its end. */
export interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
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
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
    const parsed = isJson ? (JSON.parse(text) as Record<string, unknown>) : { text };
    return { status: response.status, headers: response.headers, body: parsed };
  }

  async stop(): Promise<void> {
    await this.fakes.stop();
    await this.service.stop();
  }
}
