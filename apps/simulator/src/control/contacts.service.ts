import { Injectable } from '@nestjs/common';
import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import type { Person } from '../people/person.js';
import { Platform } from '../platform.js';
import { Refusal } from '../refusal.js';
import { lidJid, phoneJid } from '../wire/jids.js';
import type {
  BehaviourChange,
  ContactView,
  CreateContact,
  MessagesSummary,
  ReceivedView,
  SentView,
  WriteMessage,
} from './contact-bodies.js';
import { given } from './lookups.js';

@Injectable()
export class ContactsService {
  constructor(private readonly platform: Platform) {}

  create({ phone, name, registered }: CreateContact): ContactView {
    const person = this.platform.population.ensureContact(phone);
    person.name = name ?? person.name;
    person.registered = registered ?? person.registered;
    this.platform.population.touch(person);
    return toContactView(person);
  }

  list(): ContactView[] {
    return [...this.platform.population.all()].filter((person) => person.isContact).map(toContactView);
  }

  get(phone: string): ContactView {
    const person = this.platform.population.get(phone);
    if (person?.isContact) return toContactView(person);
    throw new Refusal(404, 'CONTACT_NOT_FOUND', `there is no contact with the phone ${phone}`);
  }

  behave(phone: string, change: BehaviourChange): ContactView {
    const person = this.platform.population.ensureContact(phone);
    Object.assign(person.behaviour, given(change));
    this.platform.population.touch(person);
    this.platform.receipts.catchUp(person);
    return toContactView(person);
  }

  async write(phone: string, body: WriteMessage): Promise<string> {
    const message = toMessage(body);
    const account = this.platform.population.get(body.to);
    if (!account?.isAccount) {
      throw new Refusal(404, 'ACCOUNT_NOT_FOUND', `to names no account: ${body.to}`, { field: 'to' });
    }
    const author = this.platform.population.ensureContact(phone);
    if (!author.registered) {
      throw new Refusal(409, 'CONTACT_NOT_REGISTERED', `${phone} is not on the platform and cannot write`);
    }
    return (await this.platform.inbound.send(author, account, message)).id;
  }

  read(phone: string, from: string): number {
    return this.platform.receipts.readAll(this.platform.population.ensureContact(phone), from);
  }

  received(phone: string, from?: string): ReceivedView[] {
    const messages = this.platform.population.get(phone)?.received ?? [];
    return messages
      .filter((message) => from === undefined || message.from === from)
      .map(({ address: _a, delivered: _d, read: _r, ...view }) => view);
  }

  sent(phone: string, to?: string): SentView[] {
    const messages = [...(this.platform.population.get(phone)?.sent.values() ?? [])];
    return messages
      .filter((message) => to === undefined || message.to === to)
      .map(({ sentAt: _, ...view }) => view);
  }

  summary(from?: string): MessagesSummary {
    const summary = { received: 0, duplicates: 0, contacts: 0 };
    for (const person of this.platform.population.all()) {
      const before = summary.received;
      for (const message of person.received) {
        if (from !== undefined && message.from !== from) continue;
        summary.received++;
        summary.duplicates += message.duplicates;
      }
      if (summary.received > before) summary.contacts++;
    }
    return summary;
  }
}

function toMessage({ text, message }: WriteMessage): proto.Message {
  if ((text === undefined) === (message === undefined)) {
    const words = 'exactly one of text and message must be given';
    throw new Refusal(400, 'VALIDATION_FAILED', words, { fields: { text: [words], message: [words] } });
  }
  if (message === undefined) return proto.Message.fromObject({ conversation: text });
  try {
    const made = proto.Message.fromObject(message);
    // Unknown kinds are dropped without a word, which would send something else than was asked for.
    const unknown = Object.keys(message).filter((kind) => !Object.hasOwn(made, kind));
    if (unknown.length > 0) throw new Error(`it knows no ${unknown.join(', ')}`);
    return made;
  } catch (error) {
    const words = `message is not a message of the platform: ${(error as Error).message}`;
    throw new Refusal(400, 'VALIDATION_FAILED', words, { fields: { message: [words] } });
  }
}

const toContactView = (person: Person): ContactView => ({
  phone: person.phone,
  name: person.name ?? null,
  jid: phoneJid(person.phone),
  lid: lidJid(person.lid),
  registered: person.registered,
  behaviour: { ...person.behaviour },
});
