import { setTimeout as delay } from 'node:timers/promises';
import { FormData, request } from 'undici';
import { type Actor, createTenant, linkActors, type NewTenant } from '../../stack/actor.js';
import type { Answer, Stack } from '../../stack/stack.js';

/** The pace of an attack. */
const CALLS_PER_SECOND = 50;

/** A customer who pays for the largest plan and attacks, with ordinary keys. */
export class Attacker {
  /** Answers by status, so that a report shows what was refused. */
  readonly answers: Record<number, number> = {};
  private readonly undo: (() => Promise<unknown>)[] = [];
  private hasEnded = false;

  private constructor(
    readonly stack: Stack,
    readonly tenant: NewTenant,
    /** Origin of receivers that do what the first part of the path says (`bare/receiver.mjs`). */
    readonly receivers: string,
  ) {}

  static async create(stack: Stack, receivers: string): Promise<Attacker> {
    return new Attacker(stack, await createTenant(stack, '--plan', 'ENTERPRISE'), receivers);
  }

  /** Calls the API as this tenant, or with another key; counts the answer. */
  async call<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    key = this.tenant.apiKey,
  ): Promise<Answer<T>> {
    const answer = await this.stack.api<T>(key, method, path, body);
    this.count(answer.status);
    return answer;
  }

  /** Sends a file of this size to `POST /v1/media`. */
  async upload(bytes: number): Promise<void> {
    const form = new FormData();
    form.set('file', new Blob([Buffer.alloc(bytes, 'x')], { type: 'text/plain' }), 'note.txt');
    const headers = { authorization: `Bearer ${this.tenant.apiKey}` };
    const url = `${this.stack.file.gateway}/v1/media`;
    const { statusCode, body } = await request(url, { method: 'POST', headers, body: form });
    await body.dump();
    this.count(statusCode);
  }

  /** Links a number that may send as much as any. */
  async link(): Promise<Actor> {
    const [actor] = await linkActors(this.stack, this.tenant, 1, (one) => one.promote());
    return this.deleteAtEnd(actor as Actor);
  }

  /** Deletes the session of a number when the attack is over: its socket ends with it. */
  deleteAtEnd(actor: Actor): Actor {
    this.atEnd(() => actor.api('DELETE', `/v1/sessions/${actor.sessionId}`));
    return actor;
  }

  /** Opens a host that does not do what it should, until the attack is over (the simulator's README). @returns its address. */
  async openHost(kind: 'http-proxy' | 'http-host', behaviour: string): Promise<string> {
    const host = { kind, behaviour };
    const { id, url } = await this.stack.platform<{ id: string; url: string }>(
      'POST',
      '/hostile-hosts',
      host,
    );
    this.atEnd(() => this.stack.platform('DELETE', `/hostile-hosts/${id}`));
    return url;
  }

  /** Calls at the pace of an attack until it is over, whatever becomes of the calls before. */
  pace(call: (n: number) => Promise<unknown>, perSecond = CALLS_PER_SECOND): void {
    const underWay = new Set<Promise<unknown>>();
    const begin = (n: number): void => {
      const one = call(n).catch(() => this.count(0));
      underWay.add(one);
      void one.finally(() => underWay.delete(one));
    };
    const calls = (async (): Promise<void> => {
      const startedAt = performance.now();
      for (let n = 0; !this.hasEnded; n += 1) {
        await delay(Math.max(0, startedAt + (n * 1_000) / perSecond - performance.now()));
        if (!this.hasEnded) begin(n);
      }
      await Promise.all(underWay);
    })();
    this.atEnd(() => calls);
  }

  /** Notes what is to be taken back when the attack is over. */
  atEnd(undo: () => Promise<unknown>): void {
    this.undo.push(undo);
  }

  /** Ends the attack; returns when nothing of it goes on but what the services still have to do. */
  async end(): Promise<void> {
    this.hasEnded = true;
    for (const undo of this.undo.reverse()) await undo();
  }

  private count(status: number): void {
    this.answers[status] = (this.answers[status] ?? 0) + 1;
  }
}
