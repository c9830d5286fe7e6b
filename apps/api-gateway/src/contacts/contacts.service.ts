import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { AppError, type ContactProfile } from '@svc/contracts';
import { toView } from '../messages/conversations.service.js';
import { bounded, ContactRepository, type Person } from './contact.repository.js';

/** Persons on the other side, as their messages show them. */
@Injectable()
export class ContactsService {
  constructor(private readonly contacts: ContactRepository) {}

  /** @throws AppError `CONTACT_NOT_FOUND` */
  async get(person: Person): Promise<ContactProfile> {
    const facts = await this.contacts.factsOf(person);
    const { first, last, direct, groups, sent, name, conversations } = facts;
    if (!first || !last) throw new AppError('CONTACT_NOT_FOUND');
    const digits = /^(\d+)@s\.whatsapp\.net$/.exec(person.contact)?.[1];
    return {
      contact: person.contact,
      phone: digits ? `+${digits}` : null,
      name,
      firstSeenAt: first.toISOString(),
      lastSeenAt: last.toISOString(),
      received: bounded(direct + groups),
      sent: bounded(sent),
      conversationIds: conversations,
    };
  }

  /**
   * A JSON document (`ContactExport`), written while it is read: nobody holds all of it in memory.
   * @throws AppError `CONTACT_NOT_FOUND`
   */
  async export(person: Person): Promise<Readable> {
    const contact = await this.get(person);
    return Readable.from(this.document(person, contact));
  }

  private async *document(person: Person, contact: ContactProfile): AsyncGenerator<string> {
    const head = { exportedAt: new Date().toISOString(), contact };
    yield `${JSON.stringify(head).slice(0, -1)},"messages":[`;
    let separator = '';
    for await (const message of this.contacts.messagesOf(person)) {
      yield `${separator}\n${JSON.stringify(toView(message))}`;
      separator = ',';
    }
    yield '\n]}\n';
  }
}
