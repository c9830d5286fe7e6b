import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import {
  AppError,
  type ContactEvent,
  type ContactEventsReply,
  type ContactProfile,
  type ContactTurn,
  ExportContactTurns,
  type MessageView,
  phoneOf,
  ReadContactEvents,
} from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { Answerers } from '../assistant/answerers.service.js';
import { ContactAliases } from '../messages/contact-aliases.js';
import { MessagesService } from '../messages/messages.service.js';
import { bounded, type ContactFacts, ContactRepository, type Person } from './contact.repository.js';
import { ContactTraces, PATIENCE_MS } from './contact-traces.js';

/** This class shows and exports persons on the other side, as their messages show them. */
@Injectable()
export class ContactsService {
  constructor(
    private readonly contacts: ContactRepository,
    private readonly traces: ContactTraces,
    private readonly aliases: ContactAliases,
    private readonly messages: MessagesService,
    private readonly answerers: Answerers,
    private readonly rpc: RpcClient,
  ) {}

  /**
   * Reads a person as the messages show it.
   * @throws AppError `CONTACT_NOT_FOUND`
   */
  async get(asked: Person): Promise<ContactProfile> {
    const person = await this.personOf(asked);
    const profile = profileOf(person, await this.contacts.factsOf(person));
    if (!profile) throw new AppError('CONTACT_NOT_FOUND', 'No message is with this contact, or by them.');
    return profile;
  }

  /**
   * Reads a person as `get` does, and also where no message is with the person or by them, but a trace is stored: that takes a while to
   * find.
   * @throws AppError `CONTACT_NOT_FOUND`, or that the dispatcher does not answer.
   */
  async getTraced(person: Person): Promise<ContactProfile> {
    const facts = await this.contacts.factsOf(person);
    if (!facts.last) facts.first = facts.last = await this.traces.find(person);
    const profile = profileOf(person, facts);
    if (!profile) throw new AppError('CONTACT_NOT_FOUND');
    return profile;
  }

  /**
   * Exports a JSON document (`ContactExport`), written while it is read: nobody holds all of it in memory.
   * @throws AppError `CONTACT_NOT_FOUND`, or that the dispatcher does not answer.
   */
  async export(asked: Person): Promise<Readable> {
    const person = await this.personOf(asked);
    const contact = await this.getTraced(person);
    // The first part now: an answer that has begun can only break off.
    const events = this.allEventsOf(person);
    const first = await events.next();
    return Readable.from(this.document(person, contact, prepended(first, events)));
  }

  private async *document(
    person: Person,
    contact: ContactProfile,
    events: AsyncIterable<ContactEvent>,
  ): AsyncGenerator<string> {
    const head = { exportedAt: new Date().toISOString(), contact };
    yield `${JSON.stringify(head).slice(0, -1)},"messages":[`;
    yield* listed(this.messageViewsOf(person));
    yield '\n],"events":[';
    yield* listed(events);
    yield '\n],"turns":[';
    yield* listed(this.turnsOf(person));
    yield '\n]}\n';
  }

  /** Finds the person whose number may have been written in another way. */
  async personOf({ tenantId, contact }: Person): Promise<Person> {
    return { tenantId, contact: await this.aliases.contactOf(tenantId, contact) };
  }

  /** Lists the address of a person, and the other spellings of the number that are known. */
  async spellingsOf({ tenantId, contact }: Person): Promise<string[]> {
    return [contact, ...(await this.aliases.of(tenantId, contact))];
  }

  /** Reads the events that name the person, in whichever spelling, each once. */
  private async *allEventsOf({ tenantId, contact }: Person): AsyncGenerator<ContactEvent> {
    yield* this.eventsOf({ tenantId, contact });
    for (const alias of await this.aliases.of(tenantId, contact))
      for await (const event of this.eventsOf({ tenantId, contact: alias }))
        if (!JSON.stringify(event).includes(JSON.stringify(contact))) yield event;
  }

  private async *messageViewsOf(person: Person): AsyncGenerator<MessageView> {
    for await (const messages of this.contacts.messagesOf(person))
      yield* await this.messages.viewsOf(messages);
  }

  /** Reads what the assistant keeps of the person, in whichever spelling; where the tenant never had one there is nothing, nor perhaps that service. */
  private async *turnsOf({ tenantId, contact }: Person): AsyncGenerator<ContactTurn> {
    if (!(await this.answerers.isUsedBy(tenantId))) return;
    for (const spelling of await this.spellingsOf({ tenantId, contact })) {
      let before: string | undefined;
      do {
        const request = { tenantId, contact: spelling, ...(before && { before }) };
        const { turns, next } = await this.rpc.request(ExportContactTurns, request, PATIENCE_MS);
        yield* turns;
        before = next ?? undefined;
      } while (before);
    }
  }

  private async *eventsOf({ tenantId, contact }: Person): AsyncGenerator<ContactEvent> {
    let next: string | null = '0';
    while (next !== null) {
      const reply: ContactEventsReply = await this.rpc.request(
        ReadContactEvents,
        { tenantId, contact, after: next },
        PATIENCE_MS,
      );
      yield* reply.events;
      next = reply.next;
    }
  }
}

function profileOf(
  { contact }: Person,
  { first, last, direct, groups, sent, name, conversations }: ContactFacts,
): ContactProfile | null {
  if (!first || !last) return null;
  return {
    ...{ contact, phone: phoneOf(contact), name },
    firstSeenAt: first.toISOString(),
    lastSeenAt: last.toISOString(),
    received: bounded(direct + groups),
    sent: bounded(sent),
    conversationIds: conversations,
  };
}

/** Rebuilds an iterator whose first step was taken already. */
async function* prepended<T>(
  first: IteratorResult<T, void>,
  rest: AsyncGenerator<T, void>,
): AsyncGenerator<T> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

/** Elements of a JSON array. */
async function* listed(items: AsyncIterable<object>): AsyncGenerator<string> {
  let separator = '';
  for await (const item of items) {
    yield `${separator}\n${JSON.stringify(item)}`;
    separator = ',';
  }
}
