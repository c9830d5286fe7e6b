import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  AppError,
  invalidField,
  type OptOutView,
  type OptOutWords,
  type Page,
  type PageQuery,
  phoneOf,
} from '@svc/contracts';
import { Repository } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { actorOf, type Caller } from '../auth/authorization.js';
import type { Person } from '../contacts/contact.repository.js';
import { ContactsService } from '../contacts/contacts.service.js';
import { Cursors, DEFAULT_LIMIT } from '../paging/cursor.js';
import { type OptOut, OptOutWordsRow } from './opt-out.entity.js';
import { type OptOutPlace, OptOutsRepository } from './opt-outs.repository.js';
import { comparable } from './words.js';

const NONE: OptOutWords = { words: [], resumeWords: [] };

/** This class keeps the words by which contacts opt out, and shows and changes who has. */
@Injectable()
export class OptOutsService {
  constructor(
    @InjectRepository(OptOutWordsRow) private readonly words: Repository<OptOutWordsRow>,
    private readonly rows: OptOutsRepository,
    private readonly contacts: ContactsService,
    private readonly audit: AuditService,
    private readonly cursors: Cursors,
  ) {}

  async list(tenantId: string, { limit = DEFAULT_LIMIT, before }: PageQuery): Promise<Page<OptOutView>> {
    const list = `opt-outs:${tenantId}`;
    const last = this.cursors.decode(list, before);
    const rows = await this.rows.list(tenantId, last === undefined ? undefined : placeFrom(last), limit + 1);
    const page = this.cursors.page(list, rows, limit, textOf);
    return { ...page, items: page.items.map(viewOf) };
  }

  /**
   * Notes that a contact has opted out.
   * @throws AppError `CONTACT_NOT_FOUND` where no message is with the contact
   */
  async add(caller: Caller, asked: string): Promise<OptOutView> {
    const { tenantId } = caller;
    const { contact } = await this.contacts.get({ tenantId, contact: asked });
    await this.note(caller, { tenantId, contact }, true);
    const row = await this.rows.find({ tenantId, contact });
    // The contact has opted in again at the same moment.
    if (!row) throw new AppError('CONTACT_NOT_FOUND');
    return viewOf(row);
  }

  /**
   * Notes that a contact has opted in again; also one who never was out.
   * @throws AppError `CONTACT_NOT_FOUND` where no message is with the contact
   */
  async remove(caller: Caller, asked: string): Promise<void> {
    const { tenantId } = caller;
    const { contact } = await this.contacts.get({ tenantId, contact: asked });
    // A send asks under every spelling of the number, so none of them may stay.
    for (const spelling of await this.contacts.spellingsOf({ tenantId, contact })) {
      const person = { tenantId, contact: spelling };
      if (await this.rows.find(person)) await this.note(caller, person, false);
    }
  }

  async getWords(tenantId: string): Promise<OptOutWords> {
    return (await this.words.findOneBy({ tenantId }))?.written ?? NONE;
  }

  /** @throws AppError `VALIDATION_FAILED` where a word has no letter and no digit, or stands in both lists */
  async putWords(caller: Caller, { words, resumeWords }: OptOutWords): Promise<OptOutWords> {
    const { tenantId } = caller;
    const written = { words, resumeWords };
    const compared = comparedOf(written);
    await this.words.manager.transaction(async (tx) => {
      await tx.upsert(OptOutWordsRow, { tenantId, ...compared, written }, ['tenantId']);
      const fact = { tenantId, actor: actorOf(caller), action: 'opt_out_words.updated', target: tenantId };
      await this.audit.write(
        { ...fact, details: { words: words.length, resumeWords: resumeWords.length } },
        tx,
      );
    });
    return written;
  }

  private async note(caller: Caller, person: Person, isOut: boolean): Promise<void> {
    if (!(await this.rows.note(person, isOut))) return;
    const action = isOut ? 'contact.opted_out' : 'contact.opted_in';
    // The audit log stays for ever, and names nobody who may want to be erased.
    await this.audit.write({
      tenantId: person.tenantId,
      actor: actorOf(caller),
      action,
      target: person.tenantId,
    });
  }
}

function comparedOf({ words, resumeWords }: OptOutWords): OptOutWords {
  const compared = { words: words.map(comparable), resumeWords: resumeWords.map(comparable) };
  for (const [field, list] of Object.entries(compared))
    if (list.includes(''))
      throw invalidField(field, `each value in ${field} must contain a letter or a digit`);
  if (compared.resumeWords.some((word) => compared.words.includes(word)))
    throw invalidField(
      'resumeWords',
      'resumeWords must not contain one of the words, also not in other letters',
    );
  return compared;
}

function viewOf({ contact, word, sessionId, changedAt }: OptOut): OptOutView {
  return { contact, phone: phoneOf(contact), word, sessionId, since: changedAt.toISOString() };
}

function textOf({ changedAt, contact }: OptOutPlace): string {
  return `${changedAt.toISOString()} ${contact}`;
}

function placeFrom(text: string): OptOutPlace {
  const [at = '', contact = ''] = text.split(' ');
  return { changedAt: new Date(at), contact };
}
