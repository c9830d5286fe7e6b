import { randomInt } from 'node:crypto';
import { waitFor, type WebhookReceiver } from '@svc/testing';
import type { Answer, Stack } from './stack.js';

/** The operator's answer to `tenants create`. */
export interface NewTenant {
  tenantId: string;
  apiKey: string;
  kid: string;
}

/** The smallest picture. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const LINK_LIMIT_MS = 60_000;
/** Numbers linked side by side: each costs a quarter of a second of CPU. */
const LINKED_AT_A_TIME = 6;

/** A text that a contact has received, as the simulator saw it. */
export interface InboxItem {
  id: string;
  /** Text of the message; null where it has none of its own, as a picture. */
  text: string | null;
  content: { caption?: string; media?: { problem: string | null } };
  /** Time at which the contact had it. */
  receivedAt: string;
  duplicates: number;
}

/** Invents a number nobody else uses in this run, of a length that exists. */
export function inventPhone(): string {
  return `49155${String(randomInt(100_000_000)).padStart(8, '0')}`;
}

/** Actor: a tenant with one linked number, as its software would act. */
export class Actor {
  private constructor(
    readonly stack: Stack,
    readonly tenant: NewTenant,
    readonly sessionId: string,
    readonly phone: string,
  ) {}

  /** Makes a tenant and links a number to it by QR. */
  static async create(stack: Stack, ...tenantOptions: string[]): Promise<Actor> {
    return Actor.link(stack, await createTenant(stack, ...tenantOptions));
  }

  /** Links a number to a tenant that exists, in the usual way or in another one. */
  static async link(stack: Stack, tenant: NewTenant, link = linkNumber): Promise<Actor> {
    const phone = inventPhone();
    return new Actor(stack, tenant, await link(stack, tenant.apiKey, phone), phone);
  }

  /** Makes a tenant and links a number of its sandbox. */
  static async inSandbox(stack: Stack): Promise<Actor> {
    const { tenantId, apiKey } = await createTenant(stack);
    const { body } = await stack.api(apiKey, 'POST', '/v1/api-keys', { environment: 'TEST' });
    const tenant = { tenantId, apiKey: String(body['secret']), kid: String(body['kid']) };
    const { id, phone } = await linkSandboxNumber(stack, tenant.apiKey);
    return new Actor(stack, tenant, id, phone.slice(1));
  }

  api<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
    return this.stack.api<T>(this.tenant.apiKey, method, path, body);
  }

  /** Raises the session to the highest warmup tier: load is not what the tiers are for. */
  async promote(): Promise<void> {
    const path = `/v1/sessions/${this.sessionId}/promote-warmup-tier`;
    expectStatus(await this.api('POST', path, { tier: 4, reason: 'load test' }), 201, 200);
  }

  /** Has every event of the session delivered to the receiver, own words and changes too; returns the webhook secret. */
  async listen(receiver: WebhookReceiver): Promise<string> {
    const hears = { own: true, changes: true };
    const body = { enabled: true, webhookUrl: `${receiver.origin}/hook`, hears };
    const answer = await this.api<{ webhookSecret: string }>(
      'PUT',
      `/v1/sessions/${this.sessionId}/external-config`,
      body,
    );
    expectStatus(answer, 200);
    return answer.body.webhookSecret;
  }

  send(to: string, text: string, clientMessageId?: string): Promise<Answer> {
    return this.api('POST', '/v1/messages', {
      sessionId: this.sessionId,
      to: `+${to}`,
      text,
      ...(clientMessageId ? { clientMessageId } : {}),
    });
  }

  sendFile(to: string, caption: string, clientMessageId: string): Promise<Answer> {
    const media = { kind: 'image', base64: PIXEL, mimeType: 'image/png', caption };
    return this.api('POST', '/v1/messages', {
      sessionId: this.sessionId,
      to: `+${to}`,
      media,
      clientMessageId,
    });
  }

  /** Uploads a picture to send; returns its id. */
  async upload(): Promise<string> {
    const body = new FormData();
    body.append('file', new Blob([Buffer.from(PIXEL, 'base64')], { type: 'image/png' }), 'pixel.png');
    const headers = { authorization: `Bearer ${this.tenant.apiKey}` };
    const response = await fetch(`${this.stack.file.gateway}/v1/media`, { method: 'POST', headers, body });
    return ((await response.json()) as { mediaId: string }).mediaId;
  }

  async inbox(contact: string): Promise<InboxItem[]> {
    const page = await this.stack.platform<{ items: InboxItem[] }>(
      'GET',
      `/contacts/${contact}/messages?from=${this.phone}`,
    );
    return page.items;
  }

  /** Writes a text to the linked number, as a contact. */
  async write(contact: string, text: string): Promise<void> {
    await this.stack.platform('POST', `/contacts/${contact}/messages`, { to: this.phone, text });
  }

  /** Sends a picture to the linked number, as a contact. */
  async writeFile(contact: string, caption: string): Promise<void> {
    const content = { type: 'image', caption, media: { size: 2_000 } };
    await this.stack.platform('POST', `/contacts/${contact}/messages`, { to: this.phone, content });
  }
}

/** Links so many numbers to a tenant, in the usual way or in another one; each is prepared when it is linked. */
export async function linkActors(
  stack: Stack,
  tenant: NewTenant,
  count: number,
  prepare: (actor: Actor) => Promise<void> = () => Promise.resolve(),
  link: () => Promise<Actor> = () => Actor.link(stack, tenant),
): Promise<Actor[]> {
  const actors: Actor[] = [];
  let started = 0;
  const linkSome = async (): Promise<void> => {
    while (started < count) {
      started += 1;
      const actor = await link();
      await prepare(actor);
      actors.push(actor);
    }
  };
  await Promise.all(Array.from({ length: LINKED_AT_A_TIME }, linkSome));
  return actors;
}

/** Makes a tenant through the operator CLI; GROWTH by default. */
export function createTenant(stack: Stack, ...options: string[]): Promise<NewTenant> {
  return stack.operator<NewTenant>(
    'tenants',
    'create',
    '--name',
    `e2e ${inventPhone()}`,
    ...(options.length > 0 ? options : ['--plan', 'GROWTH']),
  );
}

/** Creates a session and scans its QR code with the phone of this number; resolves when it is connected. */
export async function linkNumber(stack: Stack, apiKey: string, phone: string): Promise<string> {
  const id = await createSession(stack, apiKey);
  const path = `/v1/sessions/${id}`;
  // A code that is replaced between the look and the scan is refused: then the next one is scanned.
  await waitFor(
    'a QR code to be scanned',
    async () => {
      const { status, body } = await stack.api<{ qr: string }>(apiKey, 'GET', `${path}/qr`);
      return status === 200 && stack.platform('POST', `/accounts/${phone}/scan`, { qr: body.qr });
    },
    LINK_LIMIT_MS,
  );
  await waitFor(
    'the session to connect',
    async () => {
      const answer = await stack.api(apiKey, 'GET', path);
      return answer.body['status'] === 'CONNECTED';
    },
    LINK_LIMIT_MS,
  );
  return id;
}

/** Creates a session of a sandbox and has its code scanned; resolves when it is connected. */
export async function linkSandboxNumber(
  stack: Stack,
  testKey: string,
  name = 'e2e',
): Promise<{ id: string; phone: string }> {
  const id = await createSession(stack, testKey, name);
  const linked = await answerOf('the session to be linked', async () => {
    const answer = await stack.api(testKey, 'POST', `/v1/sandbox/sessions/${id}/scan`);
    // A call that was answered 504 may have linked it all the same.
    return answer.status === 409 ? stack.api(testKey, 'GET', `/v1/sessions/${id}`) : answer;
  });
  expectStatus(linked, 200);
  if (linked.body['status'] !== 'CONNECTED' || linked.body['id'] !== id)
    throw new Error(`It is not linked: ${JSON.stringify(linked.body)}`);
  return { id, phone: String(linked.body['phone']) };
}

/** Creates a session; one of a call that was answered 504 stays without a connection, since nobody views its code. */
export async function createSession(stack: Stack, apiKey: string, name = 'e2e'): Promise<string> {
  const answer = await answerOf('a session to be created', () =>
    stack.api<{ id: string }>(apiKey, 'POST', '/v1/sessions', { name }),
  );
  expectStatus(answer, 201);
  return answer.body.id;
}

/** Repeats a call until its answer is not 503 or 504, with which a machine under load may answer. */
export function answerOf<T>(what: string, call: () => Promise<Answer<T>>): Promise<Answer<T>> {
  return waitFor(
    what,
    async () => {
      const answer = await call();
      return answer.status >= 503 ? undefined : answer;
    },
    LINK_LIMIT_MS,
  );
}

/** @throws Error with the answer when its status is none of these. */
export function expectStatus(answer: Answer<unknown>, ...statuses: number[]): void {
  if (!statuses.includes(answer.status)) {
    throw new Error(
      `Expected ${statuses.join(' or ')}, got ${answer.status}: ${JSON.stringify(answer.body)}`,
    );
  }
}
