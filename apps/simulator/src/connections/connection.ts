import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { Companion } from '../people/companion.js';
import { isMute } from '../people/faults.js';
import type { Person } from '../people/person.js';
import type { Transport } from '../noise/cipher.js';
import { frame, FrameReader } from '../noise/frames.js';
import type { Greeting, Responder } from '../noise/handshake.js';
import { SERVER } from '../wire/jids.js';
import { type Attributes, decodeStanza, encodeStanza, type Stanza, stanza } from '../wire/nodes.js';

/** Who is told about what happens on a connection. */
export interface ConnectionHandler {
  greeted(connection: Connection, greeting: Greeting): void;
  received(connection: Connection, node: Stanza): Promise<void>;
  /** From now on nothing gets through any more; the socket may take its time to close. */
  left(connection: Connection): void;
  closed(connection: Connection): void;
  failed(connection: Connection, error: Error): void;
}

/** Ways in which a frame cannot be read. */
export const RUBBISH_KINDS = ['undecryptable', 'undecodable'] as const;
export type RubbishKind = (typeof RUBBISH_KINDS)[number];

const RUBBISH_BYTES = 64;
/** A list of 200 things that are not there. */
const UNDECODABLE = Buffer.from([0, 248, 200]);

interface Question {
  answer(node: Stanza): void;
  fail(error: Error): void;
  timer: NodeJS.Timeout;
}

/** One client socket: handshake first, then encrypted stanzas, handled strictly one after the other. */
export class Connection {
  /** Set once the login was accepted. */
  companion?: Companion;
  /** Set once it is known whose device this is. */
  person?: Person;
  private readonly reader = new FrameReader();
  private readonly questions = new Map<string, Question>();
  private greetedOnce = false;
  private hasLeft = false;
  private transport?: Transport;
  private work: Promise<void> = Promise.resolve();
  private nextId = 0;

  constructor(
    private readonly socket: WebSocket,
    private readonly responder: Responder,
    private readonly handler: ConnectionHandler,
  ) {
    socket.on('message', (data) =>
      this.take(Buffer.isBuffer(data) ? data : Buffer.from(data as ArrayBuffer)),
    );
    socket.on('error', (error) => handler.failed(this, error));
    socket.on('close', () => this.ended());
  }

  get open(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  send(node: Stanza): boolean {
    return this.sendPlain(encodeStanza(node));
  }

  /** A frame that the client cannot read: not decrypt, or decrypted no stanza. */
  sendRubbish(kind: RubbishKind): boolean {
    if (kind === 'undecodable') return this.sendPlain(UNDECODABLE);
    if (!this.transport || !this.open) return false;
    this.socket.send(frame(randomBytes(RUBBISH_BYTES)));
    return true;
  }

  /** Neither reads nor writes until it is let go again; not even the transport answers meanwhile. */
  hold(held: boolean): void {
    if (held) this.socket.pause();
    else this.socket.resume();
  }

  /** Answers an iq; the client matches on the id alone. */
  reply(request: Stanza, content?: Stanza[]): void {
    this.send(stanza('iq', { from: SERVER, type: 'result', id: request.attrs.id }, content));
  }

  refuse(request: Stanza, code: number, text: string): void {
    const error = stanza('error', { code, text });
    this.send(stanza('iq', { from: SERVER, type: 'error', id: request.attrs.id }, [error]));
  }

  /** Sends an iq and waits for the client's answer. */
  ask(attributes: Attributes, content: Stanza[], timeoutMs = 10_000): Promise<Stanza> {
    const id = `srv-${++this.nextId}`;
    return new Promise((answer, fail) => {
      const expire = (): void => {
        this.questions.delete(id);
        fail(new Error(`the client did not answer within ${timeoutMs} ms`));
      };
      this.questions.set(id, { answer, fail, timer: setTimeout(expire, timeoutMs) });
      this.send(stanza('iq', { ...attributes, from: SERVER, id }, content));
    });
  }

  /** Says why, then closes in an orderly way. */
  end(reason?: Stanza): void {
    if (reason) this.send(reason);
    this.socket.close();
    this.leave();
  }

  /** Cuts the TCP connection without a word. */
  drop(): void {
    this.socket.terminate();
    this.leave();
  }

  private sendPlain(plain: Uint8Array): boolean {
    if (!this.transport || !this.open || (this.person && isMute(this.person.faults))) return false;
    this.socket.send(frame(this.transport.outgoing.encrypt(plain)));
    return true;
  }

  private take(chunk: Buffer): void {
    try {
      for (const body of this.reader.push(chunk)) this.handle(body);
    } catch (error) {
      // Whatever a client sends, only its own connection may suffer.
      this.handler.failed(this, error as Error);
      this.drop();
    }
  }

  private handle(body: Buffer): void {
    if (this.transport) return this.enqueue(decodeStanza(this.transport.incoming.decrypt(body)));
    if (!this.greetedOnce) {
      this.greetedOnce = true;
      this.socket.send(frame(this.responder.hello(body)));
      return;
    }
    const greeting = this.responder.finish(body);
    this.transport = greeting.transport;
    this.handler.greeted(this, greeting);
  }

  private enqueue(node: Stanza): void {
    if (this.answered(node)) return;
    this.work = this.work
      .then(() => this.handler.received(this, node))
      .catch((error: Error) => this.handler.failed(this, error));
  }

  private answered(node: Stanza): boolean {
    const question = node.tag === 'iq' ? this.questions.get(node.attrs.id ?? '') : undefined;
    if (!question || !/^(result|error)$/.test(node.attrs.type ?? '')) return false;
    clearTimeout(question.timer);
    this.questions.delete(node.attrs.id ?? '');
    question.answer(node);
    return true;
  }

  private leave(): void {
    if (!this.hasLeft) this.handler.left(this);
    this.hasLeft = true;
  }

  private ended(): void {
    this.leave();
    for (const question of this.questions.values()) {
      clearTimeout(question.timer);
      question.fail(new Error('the client went away'));
    }
    this.questions.clear();
    this.handler.closed(this);
  }
}
