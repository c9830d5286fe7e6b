import { expect } from '@jest/globals';
import { waitFor, type WebhookReceiver } from '@svc/testing';
import { Actor, expectStatus, inventPhone } from '../../src/stack/actor.js';
import type { Stack } from '../../src/stack/stack.js';

const LONG = 60_000;
const HOUR_MS = 3_600_000;

/** A person who has left traces, and the words that are theirs: every text of theirs and to them has the word. */
export interface Person {
  phone: string;
  lid: string;
  name: string;
  word: string;
}

/** Scene in which a person leaves traces by every door that there is. */
export class Traces {
  readonly ben = inventPhone();
  private group = '';

  private constructor(
    private readonly stack: Stack,
    private readonly actor: Actor,
    private readonly receiver: WebhookReceiver,
    readonly person: Person,
  ) {}

  static async leave(stack: Stack, actor: Actor, receiver: WebhookReceiver): Promise<Person> {
    const phone = inventPhone();
    const word = `words${inventPhone()}`;
    const name = `Ada${inventPhone()}`;
    const { lid } = await stack.platform<{ lid: string }>('POST', '/contacts', { phone, name });
    const scene = new Traces(stack, actor, receiver, { phone, lid, name, word });
    await scene.writes();
    await scene.isWrittenTo();
    await scene.isInGroup();
    await scene.votesAndCalls();
    await scene.isNamedToOthers();
    await scene.isAskedFor();
    return scene.person;
  }

  /** Lets the person write. */
  private async writes(): Promise<void> {
    const { word } = this.person;
    const base64 = Buffer.from(`a file of ${word}`).toString('base64');
    const first = await this.received({ text: `first ${word}` });
    await this.received({ content: { type: 'image', caption: word, media: { base64 } } });
    await this.received({ content: { type: 'document', filename: `${word}.pdf`, media: { base64 } } });
    await this.received({ content: { type: 'poll', name: word, options: [`a ${word}`, 'b'] } });
    await this.received({ content: { type: 'contact', contacts: [{ displayName: word, phone: this.ben }] } });
    await this.received({ content: { type: 'edit', text: `edited ${word}`, targetKeyId: first.keyId } });
    const sealed = { type: 'edit', text: `sealed ${word}`, targetKeyId: first.keyId, sealed: {} };
    await this.received({ content: sealed });
    await this.received({ content: { type: 'text', text: word, quotedKeyId: first.keyId } });
    await this.received({ content: { type: 'revoke', targetKeyId: first.keyId } });
    // It is dead at the receiver, whose answer repeats what it got.
    await waitFor('a dead letter', () => this.receiver.bodies('/dead').length >= 5, LONG);
    const messageIds = [first.messageId];
    expectStatus(await this.call('POST', `sessions/${this.actor.sessionId}/read`, { messageIds }), 204);
    await this.platform(`typing`, { to: this.actor.phone, state: 'composing' });
    await this.sends({ reaction: { messageId: first.messageId, emoji: '👍' } });
    await this.sends({ text: `an answer ${word}`, replyTo: first.messageId });
  }

  /** Sends messages to the person. */
  private async isWrittenTo(): Promise<void> {
    const { word, name } = this.person;
    const metadata = { note: `metadata ${word}` };
    const sent = await this.sends({ text: `out ${word}`, clientMessageId: `order-of-${name}`, metadata });
    const base64 = Buffer.from(`sent ${word}`).toString('base64');
    const media = {
      kind: 'document',
      base64,
      mimeType: 'text/plain',
      filename: `${word}.txt`,
      caption: word,
    };
    await this.sends({ media });
    await this.sends({ edit: { messageId: sent, text: `corrected ${word}` } });
    await this.sends({ poll: { name: word, options: ['a', `b ${word}`] } });
    await this.sends({ delete: { messageId: sent } });
    const sendAt = new Date(Date.now() + HOUR_MS).toISOString();
    await this.send({ text: `scheduled ${word}`, sendAt, clientMessageId: `later-${name}` });
    await this.call('POST', 'messages', { ...this.toPerson(), text: word, dryRun: true });
    // A refusal may be logged.
    await this.call('POST', 'messages', { ...this.toPerson(), text: `${word}\u0000`, clientMessageId: name });
    const [outbound] = await this.actor.inbox(this.person.phone);
    await this.received({ content: { type: 'reaction', emoji: '❤️', targetKeyId: outbound?.id } });
    // The owner writes on the phone itself.
    const written = { to: this.person.phone, text: `on the phone ${word}` };
    await this.stack.platform('POST', `/accounts/${this.actor.phone}/messages`, written);
    await this.listed(`on the phone ${word}`);
  }

  /** Lets the person write in a group, and others about them. */
  private async isInGroup(): Promise<void> {
    const { phone, lid, word } = this.person;
    const members = [this.ben, phone, this.actor.phone];
    const made = await this.stack.platform<{ jid: string }>('POST', '/groups', {
      subject: 'A group',
      members,
    });
    this.group = made.jid;
    const { keyId, messageId } = await this.received({ group: this.group, text: `in the group ${word}` });
    const quote = {
      stanzaId: keyId,
      participant: lid,
      quotedMessage: { conversation: `in the group ${word}` },
    };
    const contextInfo = { ...quote, mentionedJid: [`${phone}@s.whatsapp.net`] };
    const message = { extendedTextMessage: { text: 'I agree', contextInfo } };
    await this.received({ group: this.group, message }, this.ben);
    await this.sendsToGroup({ text: 'Who is there?', mentions: [`+${phone}`] });
    await this.sendsToGroup({ text: 'We are', replyTo: messageId });
    await this.sendsToGroup({ reaction: { messageId, emoji: '👍' } });
  }

  /** Lets the person vote in a poll of ours, and in one that nobody knows, be on the way, and call. */
  private async votesAndCalls(): Promise<void> {
    const { word } = this.person;
    const early = { pollCreationMessageKey: { id: 'UNKNOWN' }, vote: { encPayload: 'AAAA', encIv: 'AAAA' } };
    await this.platform('messages', { to: this.actor.phone, message: { pollUpdateMessage: early } });
    const option = `b ${word}`;
    const pollId = await this.sends({ poll: { name: word, options: ['a', option] } });
    const { body } = await this.call('GET', `messages/${pollId}`);
    const vote = { type: 'vote', choices: [option], targetKeyId: body['keyId'] };
    await this.platform('messages', { to: this.actor.phone, content: vote });
    const { id: callId } = await this.platform('calls', { to: this.actor.phone });
    const place = { degreesLatitude: 1.5, degreesLongitude: 2.5, timeOffset: 15, caption: word };
    await this.platform('messages', { to: this.actor.phone, message: { liveLocationMessage: place } });
    await this.named('the place', (payload) => payload['secondsOn'] === 15);
    await this.named('the vote', (payload) => payload['pollId'] === pollId);
    await this.named('the call', (payload) => payload['callId'] === callId);
    expectStatus(await this.call('GET', `messages/${pollId}/poll`), 200);
    await this.call('POST', `sessions/${this.actor.sessionId}/calls/${callId}/reject`);
  }

  private async named(what: string, isIt: (payload: Record<string, unknown>) => boolean): Promise<void> {
    const find = () => this.receiver.bodies('/named').find(({ payload }) => isIt(payload));
    await waitFor(what, find, LONG);
  }

  /** Cards of the person that others get, now and later, and one that somebody else writes. */
  private async isNamedToOthers(): Promise<void> {
    const { phone, name } = this.person;
    await this.received(
      { content: { type: 'contact', contacts: [{ displayName: 'A friend', phone }] } },
      this.ben,
    );
    const contact = { displayName: name, phone: `+${phone}` };
    const card = { sessionId: this.actor.sessionId, to: `+${this.ben}`, contact };
    const { body } = await this.call('POST', 'messages', card);
    await this.reaches(String(body['jobId']), 'DELIVERED');
    const sendAt = new Date(Date.now() + HOUR_MS).toISOString();
    expectStatus(await this.call('POST', 'messages', { ...card, sendAt }), 200, 202);
  }

  /** Questions about the person. */
  private async isAskedFor(): Promise<void> {
    const { phone } = this.person;
    const { sessionId } = this.actor;
    expectStatus(await this.call('GET', `sessions/${sessionId}/contacts/+${phone}`), 200);
    expectStatus(await this.call('GET', `contacts/${phone}`), 200);
    expectStatus(await this.call('GET', `contacts/${phone}/export`), 200);
    expectStatus(
      await this.call('POST', `sessions/${sessionId}/typing`, { to: phone, state: 'composing' }),
      204,
    );
  }

  private call(method: string, path: string, body?: object) {
    return this.actor.api(method, `/v1/${path}`, body);
  }

  private platform(action: string, body: object): Promise<{ id: string }> {
    return this.stack.platform<{ id: string }>('POST', `/contacts/${this.person.phone}/${action}`, body);
  }

  private toPerson(): object {
    return { sessionId: this.actor.sessionId, to: `+${this.person.phone}` };
  }

  private async send(message: object): Promise<string> {
    const answer = await this.call('POST', 'messages', { ...this.toPerson(), ...message });
    expectStatus(answer, 200, 202);
    return String(answer.body['jobId']);
  }

  /** Sends a message to the person and waits until they have it. */
  private async sends(message: object): Promise<string> {
    const jobId = await this.send(message);
    await this.reaches(jobId, 'DELIVERED');
    return jobId;
  }

  private async sendsToGroup(message: object): Promise<void> {
    const to = { sessionId: this.actor.sessionId, to: this.group };
    const answer = await this.call('POST', 'messages', { ...to, ...message });
    expectStatus(answer, 200, 202);
    await this.reaches(String(answer.body['jobId']), 'SENT');
  }

  private async reaches(jobId: string, status: string): Promise<void> {
    const reached = async (): Promise<boolean> => {
      const { body } = await this.call('GET', `messages/${jobId}`);
      expect(body['status']).not.toBe('FAILED');
      return [status, 'DELIVERED', 'READ'].includes(String(body['status']));
    };
    await waitFor(`${jobId} to be ${status}`, reached, LONG);
  }

  /** Has somebody write to the number, or to a group, and waits for the webhook. */
  private async received(
    message: object,
    phone = this.person.phone,
  ): Promise<{ keyId: string; messageId: string }> {
    const to = 'group' in message ? {} : { to: this.actor.phone };
    const { id } = await this.stack.platform<{ id: string }>('POST', `/contacts/${phone}/messages`, {
      ...to,
      ...message,
    });
    const find = () => this.receiver.bodies('/hook').find(({ payload }) => payload['keyId'] === id);
    const { payload } = await waitFor(`the webhook of ${JSON.stringify(message)}`, find, LONG);
    return { keyId: id, messageId: String(payload['messageId']) };
  }

  private async listed(text: string): Promise<void> {
    const find = async (): Promise<boolean> =>
      JSON.stringify((await this.call('GET', 'messages')).body).includes(text);
    await waitFor(`the message ${text}`, find, LONG);
  }
}
