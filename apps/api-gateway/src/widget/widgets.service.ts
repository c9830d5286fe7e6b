import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { AppError, type Page, type PageQuery } from '@svc/contracts';
import { type EntityManager, LessThan, Repository } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { actorOf, type Caller } from '../auth/authorization.js';
import { GatewayConfig } from '../config.js';
import { QuotasService } from '../limits/quotas.service.js';
import { Cursors, DEFAULT_LIMIT } from '../paging/cursor.js';
import { SessionsService } from '../sessions/sessions.service.js';
import type { CreateWidgetBody, UpdateWidgetBody, WidgetView } from './widget-bodies.js';
import { Widget } from './widget.entity.js';

/** A green that white can be read on. */
const DEFAULTS = { prefilledText: '', color: '#0b7a5c', side: 'right', language: 'en' } as const;

/** This class makes, changes and deletes the widgets of tenants, each with a line in the audit log. */
@Injectable()
export class WidgetsService {
  constructor(
    @InjectRepository(Widget) private readonly widgets: Repository<Widget>,
    private readonly sessions: SessionsService,
    private readonly audit: AuditService,
    private readonly cursors: Cursors,
    private readonly config: GatewayConfig,
    private readonly quotas: QuotasService,
  ) {}

  /** @throws AppError `SESSION_NOT_FOUND`, `FORBIDDEN`, `QUOTA_CONFLICT` */
  async create(caller: Caller, body: CreateWidgetBody): Promise<WidgetView> {
    const { tenantId } = caller;
    await this.sessions.owned(tenantId, body.sessionId);
    const most = await this.quotas.most(tenantId, 'widgets');
    return this.widgets.manager.transaction(async (tx) => {
      await this.quotas.assertRoom(tx, tenantId, 'widgets', most);
      // The id consists of random bits alone: the time at which it was made helps nobody to guess it.
      const id = randomUUID();
      await tx.insert(Widget, { ...DEFAULTS, ...sentFields(body), id, tenantId });
      await this.note(tx, caller, 'widget.created', id);
      return this.view(await tx.findOneByOrFail(Widget, { id }));
    });
  }

  async list({ tenantId }: Caller, { limit = DEFAULT_LIMIT, before }: PageQuery): Promise<Page<WidgetView>> {
    const list = `widgets:${tenantId}`;
    const last = this.cursors.decode(list, before);
    const rows = await this.widgets.find({
      where: { tenantId, ...(last ? { id: LessThan(last) } : {}) },
      order: { id: 'DESC' },
      take: limit + 1,
    });
    const views = rows.map((row) => this.view(row));
    return this.cursors.page(list, views, limit, ({ id }) => id);
  }

  async get(caller: Caller, id: string): Promise<WidgetView> {
    return this.view(await this.find(this.widgets.manager, caller, id));
  }

  async update(caller: Caller, id: string, body: UpdateWidgetBody): Promise<WidgetView> {
    if (body.sessionId !== undefined) await this.sessions.owned(caller.tenantId, body.sessionId);
    return this.widgets.manager.transaction(async (tx) => {
      await this.find(tx, caller, id);
      const change = sentFields(body);
      if (Object.keys(change).length > 0) await tx.update(Widget, { id }, change);
      await this.note(tx, caller, 'widget.updated', id, Object.keys(change));
      return this.view(await tx.findOneByOrFail(Widget, { id }));
    });
  }

  async delete(caller: Caller, id: string): Promise<void> {
    await this.widgets.manager.transaction(async (tx) => {
      await this.find(tx, caller, id);
      await tx.delete(Widget, { id });
      await this.note(tx, caller, 'widget.deleted', id);
    });
  }

  private async find(tx: EntityManager, { tenantId }: Caller, id: string): Promise<Widget> {
    const widget = await tx.findOneBy(Widget, { id });
    if (!widget) throw new AppError('WIDGET_NOT_FOUND');
    if (widget.tenantId !== tenantId) throw new AppError('FORBIDDEN');
    return widget;
  }

  private note(
    tx: EntityManager,
    caller: Caller,
    action: string,
    target: string,
    fields?: string[],
  ): Promise<void> {
    const { tenantId } = caller;
    return this.audit.write(
      { tenantId, actor: actorOf(caller), action, target, ...(fields ? { details: { fields } } : {}) },
      tx,
    );
  }

  private view({ tenantId: _, createdAt, ...widget }: Widget): WidgetView {
    const base = this.config.publicUrl?.replace(/\/+$/, '') ?? '';
    const embed = `<script async src="${base}/v1/public/widget/${widget.id}/widget.js"></script>`;
    return { ...widget, embed, createdAt: createdAt.toISOString() };
  }
}

/** Picks the fields that were sent: a body is an instance of its class, which has every field. */
const sentFields = (body: UpdateWidgetBody): Partial<Widget> =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as Partial<Widget>;
