import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { AppError } from '@svc/contracts';
import { Repository } from 'typeorm';
import { GatewayConfig } from '../config.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { isSuspended } from '../tenants/suspension.js';
import { chatLink, drawQr, inkOn } from './chat-link.js';
import type { WidgetConfig } from './widget-bodies.js';
import { WIDGET_WORDS } from './widget-words.js';
import { Widget } from './widget.entity.js';

/** Path of the script, two folders above this one, and above the bundle. */
const SCRIPT = join(import.meta.dirname, '../../public/widget.js');

/** This class gives browsers of strangers what the tenant wants shown and the number, and nothing else of either. */
@Injectable()
export class PublicWidgetService {
  /** The same for all widgets: it asks for its configuration beside itself. */
  readonly script = readFileSync(SCRIPT, 'utf8');
  readonly scriptTag = `"${createHash('sha256').update(this.script).digest('base64url').slice(0, 22)}"`;

  constructor(
    @InjectRepository(Widget) private readonly widgets: Repository<Widget>,
    private readonly sessions: SessionsService,
    private readonly config: GatewayConfig,
  ) {}

  /**
   * @param origin as the browser says it
   * @throws AppError `WIDGET_NOT_FOUND`, `ORIGIN_NOT_ALLOWED`
   */
  async of(id: string, origin: string | undefined): Promise<WidgetConfig> {
    const widget = await this.widgets.findOneBy({ id });
    if (!widget) throw new AppError('WIDGET_NOT_FOUND');
    if (!origin || !widget.allowedOrigins.includes(origin)) throw new AppError('ORIGIN_NOT_ALLOWED');
    const { title, greeting, color, side, language, prefilledText } = widget;
    const phone = await this.phoneOf(widget);
    const link = phone === null ? null : chatLink(this.config.chatLinkUrl, phone, prefilledText);
    return {
      ...{ title, greeting, link, qr: link === null ? null : drawQr(link) },
      ...{ color, ink: inkOn(color), side, language, words: WIDGET_WORDS[language] },
    };
  }

  /** Reads the phone of a session. A session that is deleted, or whose tenant is suspended, has no number to show: the widget shows nothing. */
  private async phoneOf({ tenantId, sessionId }: Widget): Promise<string | null> {
    if (await isSuspended(this.widgets, tenantId)) return null;
    try {
      return (await this.sessions.owned(tenantId, sessionId)).phone;
    } catch (error) {
      if ((error as AppError).code === 'SESSION_NOT_FOUND') return null;
      throw error;
    }
  }
}
