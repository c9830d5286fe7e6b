import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  AppError,
  EraseInAssistant,
  EraseInLimits,
  EraseInSessions,
  EraseInWebhooks,
  type ErasedInWebhooks,
  type Erasure,
  ErasureCounts,
  limitReached,
} from '@svc/contracts';
import { eraseDeadLetters, Messaging, RpcClient } from '@svc/messaging';
import { countErased, ErasedContacts } from '@svc/service';
import { type EntityManager, IsNull, Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { Answerers } from '../assistant/answerers.service.js';
import { AuditService } from '../audit/audit.service.js';
import { actorOf, type Caller } from '../auth/authorization.js';
import { isAbout } from '../contacts/contact-traces.js';
import { ContactsService } from '../contacts/contacts.service.js';
import { LOCK_TENANTS_SQL } from '../limits/quotas.service.js';
import { ErasedContact, ErasureRecord } from './erasure.entity.js';
import { ContactAliases } from '../messages/contact-aliases.js';
import { type ErasureTask, MessageErasure, PATIENCE_MS } from './message-erasure.js';

const REQUEST_SQL = `INSERT INTO erasure (id, tenant_id, contact, requested_at) VALUES ($1, $2, $3, clock_timestamp())
  ON CONFLICT (tenant_id, contact) WHERE finished_at IS NULL DO NOTHING RETURNING requested_at AS "requestedAt"`;
/** Erasures of one tenant that may wait. */
const MOST_WAITING = 1_000;
const RETRY_AFTER_SECONDS = 10;
const WAITING_SQL = `SELECT count(*)::int AS used, clock_timestamp() + ${RETRY_AFTER_SECONDS} * interval '1 second' AS "resetAt"
  FROM erasure WHERE tenant_id = $1 AND finished_at IS NULL`;
const FINISH_SQL = `UPDATE erasure SET finished_at = clock_timestamp(), contact = NULL, counts = $2
  WHERE id = $1 AND finished_at IS NULL`;
const COUNT_NAMES = [
  ...['messages', 'quotes', 'conversations', 'idempotencyKeys', 'files', 'journal', 'sends'],
  ...['events', 'deliveries', 'attempts', 'deadLetters', 'turns'],
] as (keyof ErasureCounts)[];

/**
 * This class erases persons from every service. The row is the request, and stays until each service has said that nothing is left: any step may be
 * taken again. While it runs nothing is sent to the contact, so that what was sent ends somewhere.
 */
@Injectable()
export class ErasuresService {
  constructor(
    @InjectRepository(ErasureRecord) private readonly records: Repository<ErasureRecord>,
    private readonly contacts: ContactsService,
    private readonly messages: MessageErasure,
    private readonly aliases: ContactAliases,
    private readonly answerers: Answerers,
    private readonly audit: AuditService,
    private readonly erased: ErasedContacts,
    private readonly rpc: RpcClient,
    private readonly messaging: Messaging,
  ) {}

  /**
   * Begins an erasure, or returns the one that runs.
   * @throws AppError `CONTACT_NOT_FOUND`, or `RATE_LIMITED` where too many wait already
   */
  async request(caller: Caller, asked: string): Promise<Erasure> {
    const { tenantId } = caller;
    const { contact } = await this.contacts.personOf({ tenantId, contact: asked });
    const running = { tenantId, contact, finishedAt: IsNull() };
    if (!(await this.records.existsBy(running))) {
      await this.contacts.getTraced({ tenantId, contact });
      // Everything that was told before the account's address was known names another spelling of the number, and that alone.
      const names = [contact, ...(await this.aliases.of(tenantId, contact))];
      await this.records.manager.transaction(async (tx) => {
        await assertRoom(tx, tenantId);
        for (const name of names) await this.insert(tx, caller, name);
      });
    }
    const record = await this.records.findOneBy(running);
    // The record existed a moment ago, so the erasure is done.
    if (!record) throw new AppError('CONTACT_NOT_FOUND');
    return this.viewOf(record);
  }

  /** @throws AppError `ERASURE_NOT_FOUND`, `FORBIDDEN` */
  async get(tenantId: string, id: string): Promise<Erasure> {
    const record = await this.records.findOneBy({ id });
    if (!record) throw new AppError('ERASURE_NOT_FOUND');
    if (record.tenantId !== tenantId) throw new AppError('FORBIDDEN');
    return this.viewOf(record);
  }

  /** Carries out an erasure, from wherever it was left. */
  async carryOut({ id: erasureId, tenantId, contact, requestedAt }: ErasureRecord): Promise<void> {
    if (contact === null) return;
    const task: ErasureTask = { erasureId, tenantId, contact, before: requestedAt.toISOString() };
    // The workers first: of what they have forgotten comes no event.
    await this.rpc.request(EraseInSessions, task, PATIENCE_MS);
    await this.inAssistant(task);
    await this.messages.erase(task);
    await this.inWebhooks(task);
    // The steps run once more for what was on its way; later messages are not erased.
    const until = await this.now();
    const { events: waiting, ...sessions } = await this.rpc.request(
      EraseInSessions,
      { ...task, until },
      PATIENCE_MS,
    );
    await this.messages.erase(task);
    const { done: _, events, ...webhooks } = await this.inWebhooks({ ...task, until });
    await this.rpc.request(EraseInLimits, { ...task, until }, PATIENCE_MS);
    await this.inDeadLetters({ ...task, until });
    const turns = await this.inAssistant({ ...task, until });
    const others = { ...sessions, ...webhooks, turns, events: events + waiting };
    await this.records.manager.transaction((tx) => this.finish(tx, { ...task, until }, others));
  }

  private async insert(tx: EntityManager, caller: Caller, contact: string): Promise<void> {
    const { tenantId } = caller;
    const id = uuidv7();
    const [row] = await tx.query<{ requestedAt: Date }[]>(REQUEST_SQL, [id, tenantId, contact]);
    if (!row) return; // another process was faster
    await this.erased.note(tx, { erasureId: id, tenantId, contact, before: row.requestedAt.toISOString() });
    const action = 'contact.erasure_requested';
    await this.audit.write({ tenantId, actor: actorOf(caller), action, target: id }, tx);
  }

  /** Erases the turns with the contact. Where no session of the tenant has an assistant there are none, nor perhaps that service. */
  private async inAssistant(task: ErasureTask & { until?: string }): Promise<number> {
    if (!(await this.answerers.isUsedBy(task.tenantId))) return 0;
    return (await this.rpc.request(EraseInAssistant, task, PATIENCE_MS)).turns;
  }

  private async inWebhooks(task: ErasureTask & { until?: string }): Promise<ErasedInWebhooks> {
    let erased: ErasedInWebhooks;
    do erased = await this.rpc.request(EraseInWebhooks, task, PATIENCE_MS);
    while (!erased.done);
    return erased;
  }

  /** Erases what a service could not process; a dead letter of the contact that is stored from here on was written later. */
  private async inDeadLetters(task: ErasureTask & { until: string }): Promise<void> {
    const until = new Date(task.until);
    const unprocessed = await eraseDeadLetters(
      this.messaging,
      ({ message }, storedAt) => storedAt < until && isAbout(task, message),
    );
    await countErased(this.records.manager, task.erasureId, { unprocessed });
  }

  private async finish(
    tx: EntityManager,
    task: ErasureTask & { until: string },
    others: Record<string, number>,
  ): Promise<void> {
    const { counts: own } = await this.erased.note(tx, task);
    // Last, so that until here a send to another spelling is one to the contact.
    await tx.query('DELETE FROM contact_alias WHERE tenant_id = $1 AND contact = $2', [
      task.tenantId,
      task.contact,
    ]);
    const counts = countsOf({ ...own, ...others });
    const [, finished] = await tx.query<[unknown[], number]>(FINISH_SQL, [task.erasureId, counts]);
    const fact = {
      tenantId: task.tenantId,
      actor: 'system',
      action: 'contact.erased',
      target: task.erasureId,
    };
    if (finished > 0) await this.audit.write({ ...fact, details: { ...counts } }, tx);
  }

  private async viewOf({ id, requestedAt, finishedAt, counts }: ErasureRecord): Promise<Erasure> {
    const own = finishedAt ? counts : await this.soFar(this.records.manager, id);
    return {
      id,
      status: finishedAt ? 'DONE' : 'RUNNING',
      requestedAt: requestedAt.toISOString(),
      finishedAt: finishedAt?.toISOString() ?? null,
      erased: countsOf(own),
    };
  }

  private async soFar(on: EntityManager, erasureId: string): Promise<Record<string, number>> {
    return (await on.findOneBy(ErasedContact, { erasureId }))?.counts ?? {};
  }

  private async now(): Promise<string> {
    const [row] = await this.records.query<[{ now: Date }]>('SELECT clock_timestamp() AS now');
    return row.now.toISOString();
  }
}

/** Checks that one more erasure may wait; of two requests at once the second counts the row of the first. */
async function assertRoom(tx: EntityManager, tenantId: string): Promise<void> {
  await tx.query(LOCK_TENANTS_SQL, [[tenantId]]);
  const [row] = await tx.query<[{ used: number; resetAt: Date }]>(WAITING_SQL, [tenantId]);
  if (row.used < MOST_WAITING) return;
  const counted = { limit: MOST_WAITING, used: row.used };
  const reset = { resetAt: row.resetAt.toISOString(), retryAfterSeconds: RETRY_AFTER_SECONDS };
  throw limitReached('erasure', `No more than ${MOST_WAITING} erasures may wait.`, { ...counted, ...reset });
}

function countsOf(counts: Record<string, number>): ErasureCounts {
  const named = COUNT_NAMES.map((name) => [name, counts[name] ?? 0]);
  const erased = Object.fromEntries(named) as ErasureCounts;
  // Files that came with messages, and what a service could not process, are the gateway's to count.
  const { uploads = 0, unprocessed = 0 } = counts;
  return { ...erased, files: erased.files + uploads, deadLetters: erased.deadLetters + unprocessed };
}
