import { Injectable } from '@nestjs/common';
import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { hiddenAddress, isGroup, phoneAddress } from '@svc/contracts';
import { fileOf } from '../../content/received-file.js';
import { describeMessage } from '../../content/describe.js';
import type { Group } from '../../people/groups.js';
import type { Person } from '../../people/person.js';
import { Platform } from '../../platform.js';
import { Refusal } from '../../http/refusal.js';
import type { BehaviourChange, ContactView, CreateContact } from './contact-bodies.js';
import { withoutUndefined } from '../../http/without-undefined.js';
import type { ReceivedQuery, ReceivedView, SentView, WriteMessage } from '../messages/message-bodies.js';
import { messageOfBody } from '../messages/message-of-body.js';
import { readStanza } from '../wire/stanza-json.js';

/** This service makes contacts, writes as them, and lists the messages that reached them. */
@Injectable()
export class ContactsService {
  constructor(private readonly platform: Platform) {}

  create({ phone, name, registered, aliases }: CreateContact): ContactView {
    if (aliases?.includes(phone)) {
      const words = 'aliases must be other numbers than phone';
      throw new Refusal(400, 'VALIDATION_FAILED', words, { fields: { aliases: [words] } });
    }
    const person = this.platform.population.ensureContact(phone);
    person.name = name ?? person.name;
    person.registered = registered ?? person.registered;
    if (aliases) this.platform.population.setAliases(person, aliases);
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

  changeBehaviour(phone: string, change: BehaviourChange): ContactView {
    const person = this.platform.population.ensureContact(phone);
    Object.assign(person.behaviour, withoutUndefined(change));
    this.platform.population.touch(person);
    this.platform.receipts.catchUp(person);
    return toContactView(person);
  }

  async write(phone: string, body: WriteMessage): Promise<string> {
    const { population, media, inbound, groupInbound } = this.platform;
    const destination = this.destinationOf(phone, body);
    const author = population.ensureContact(phone);
    if (!author.registered) {
      throw new Refusal(409, 'CONTACT_NOT_REGISTERED', `${phone} is not on the platform and cannot write`);
    }
    const chat = 'subject' in destination ? destination.jid : phoneAddress(destination.phone);
    const message = messageOfBody(body, media, { person: author, chat, people: population });
    const { addressing, flaws, attributes, sealedAttributes } = body;
    const { undecryptable = 0, copies = 1 } = flaws ?? {};
    const plaintext = body.plaintext === undefined ? undefined : Buffer.from(body.plaintext, 'base64');
    const options = {
      addressing,
      ...{ attributes, sealedAttributes },
      parts: body.parts?.map((part, index) => readStanza(part, `parts.${index}`)),
      plaintext,
      ...(flaws ? { flaws: { undecryptable, copies } } : {}),
    };
    const sent =
      'subject' in destination
        ? groupInbound.send(author, destination, message, options)
        : inbound.send(author, destination, message, options);
    return (await sent).id;
  }

  private destinationOf(phone: string, { to, group: jid }: WriteMessage): Person | Group {
    if ((to === undefined) === (jid === undefined)) {
      const words = 'exactly one of to and group must be given';
      throw new Refusal(400, 'VALIDATION_FAILED', words, { fields: { to: [words], group: [words] } });
    }
    if (to !== undefined) {
      const account = this.platform.population.get(to);
      if (account?.isAccount) return account;
      throw new Refusal(404, 'ACCOUNT_NOT_FOUND', `to names no account: ${to}`, { field: 'to' });
    }
    const group = this.platform.groups.find(jid);
    if (group?.members.some((member) => member.phone === phone)) return group;
    throw new Refusal(404, 'GROUP_NOT_FOUND', `${phone} is in no group ${jid}`, { field: 'group' });
  }

  read(phone: string, from: string): number {
    return this.platform.receipts.readAll(this.platform.population.ensureContact(phone), from);
  }

  play(phone: string, from: string): number {
    return this.platform.receipts.playAll(this.platform.population.ensureContact(phone), from);
  }

  /**
   * Lists received messages in order of arrival; the last `limit` of them that came before the message with the id `before`.
   * @throws Refusal where there is no such message
   */
  received(phone: string, { from, before, limit }: ReceivedQuery): ReceivedView[] {
    const all = this.platform.population.get(phone)?.received ?? [];
    const messages = all.filter((message) => from === undefined || message.from === from);
    const end = before === undefined ? messages.length : messages.findIndex(({ id }) => id === before);
    if (end < 0) {
      const words = 'before must be the id of a message that the contact received';
      throw new Refusal(400, 'VALIDATION_FAILED', words, { fields: { before: [words] } });
    }
    return messages
      .slice(limit === undefined ? 0 : Math.max(0, end - limit), end)
      .map(({ address, delivered: _d, read: _r, content, ...view }) => ({
        ...view,
        group: isGroup(address) ? address : null,
        content: content ?? describeMessage(messageOf(view)),
      }));
  }

  /** Finds the bytes of a file that the contact can open. @throws Refusal where there are none */
  file(phone: string, id: string): { file: Buffer; mimeType: string } {
    const received = this.platform.population.get(phone)?.received.find((each) => each.id === id);
    const file = received && fileOf(this.platform.media, messageOf(received));
    if (!Buffer.isBuffer(file)) {
      const message = `${phone} has no file of a message ${id}${file ? `: ${file}` : ''}`;
      throw new Refusal(404, 'FILE_NOT_FOUND', message);
    }
    return { file, mimeType: received?.content?.mimeType ?? 'application/octet-stream' };
  }

  sent(phone: string, to?: string): SentView[] {
    const messages = [...(this.platform.population.get(phone)?.sent.values() ?? [])];
    return messages
      .filter((message) => to === undefined || message.to === to)
      .map(({ sentAt: _, ...view }) => view);
  }
}

/** Reads a received message from its JSON, in which bytes are base64. */
const messageOf = ({ message }: { message: unknown }): proto.Message =>
  proto.Message.fromObject(message as object);

const toContactView = (person: Person): ContactView => ({
  phone: person.phone,
  name: person.name ?? null,
  jid: phoneAddress(person.phone),
  lid: hiddenAddress(person.lid),
  aliases: [...person.aliases],
  registered: person.registered,
  behaviour: { ...person.behaviour },
});
