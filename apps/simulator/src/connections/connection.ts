import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { Companion } from '../people/companion.js';
import { isMute } from '../people/faults.js';
import type { Person } from '../people/person.js';
import type { Transport } from '../noise/cipher.js';
import { frame, FrameReader } from '../noise/frames.js';
import type { HandshakeResult, Responder } from '../noise/handshake.js';
import type { ClientConnection, RubbishKind } from '../wire/client-connection.js';
import { type Attributes, decodeStanza, encodeStanza, SERVER, type Stanza, stanza } from '../wire/nodes.js';

/** Takes what happens on a connection. */
export interface ConnectionHandler {
  /** Takes a login or a wish to be linked; the stanzas of the client wait until it is done. */
  onHandshake(connection: Connection, result: HandshakeResult): Promise<void>;
  onStanza(connection: Connection, node: Stanza): Promise<void>;
  /** Reports that the connection has ended; the socket may take its time to close. */
  onEnd(connection: Connection): void;
  onClose(connection: Connection): void;
  onError(connection: Connection, error: Error): void;
}

const RUBBISH_BYTES = 64;
/** A list of 200 things that are not there. */
const UNDECODABLE = Buffer.from([0, 248, 200]);

/** A query to the client that waits for its answer. */
interface PendingQuery {
  answer(node: Stanza): void;
  fail(error: Error): void;
  timer: NodeJS.Timeout;
}

/** This class serves one client: handshake first, then encrypted stanzas, handled strictly one after the other. */
export class Connection implements ClientConnection {
  /** Device of the connection, set once the login was accepted. */
  companion?: Companion;
  /** Owner of the device, set once it is found. */
  person?: Person;
  private readonly reader = new FrameReader();
  private readonly pendingQueries = new Map<string, PendingQuery>();
  private helloSent = false;
  private hasEnded = false;
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
    socket.on('error', (error) => handler.onError(this, error));
    socket.on('close', () => this.handleClose());
  }

  get open(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  send(node: Stanza): boolean {
    return this.sendPlain(encodeStanza(node));
  }

  sendRubbish(kind: RubbishKind): boolean {
    if (kind === 'undecodable') return this.sendPlain(UNDECODABLE);
    if (!this.transport || !this.open) return false;
    this.socket.send(frame(randomBytes(RUBBISH_BYTES)));
    return true;
  }

  /** Stops reading and writing, or goes on with it; even the transport does not answer meanwhile. */
  pause(paused: boolean): void {
    if (paused) this.socket.pause();
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
        this.pendingQueries.delete(id);
        fail(new Error(`the client did not answer within ${timeoutMs} ms`));
      };
      this.pendingQueries.set(id, { answer, fail, timer: setTimeout(expire, timeoutMs) });
      this.send(stanza('iq', { ...attributes, from: SERVER, id }, content));
    });
  }

  end(reason?: Stanza): void {
    if (reason) this.send(reason);
    this.socket.close();
    this.markEnded();
  }

  drop(): void {
    this.socket.terminate();
    this.markEnded();
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
      // An error of one client may harm its own connection alone.
      this.handler.onError(this, error as Error);
      this.drop();
    }
  }

  private handle(body: Buffer): void {
    if (this.transport) return this.enqueue(decodeStanza(this.transport.incoming.decrypt(body)));
    if (this.helloSent) return this.endHandshake(this.responder.finish(body));
    this.helloSent = true;
    const hello = this.responder.hello(body);
    this.socket.send(frame(hello.frame));
    if (hello.result) this.endHandshake(hello.result);
  }

  private endHandshake(result: HandshakeResult): void {
    this.transport = result.transport;
    this.work = this.handler.onHandshake(this, result).catch((error: Error) => {
      // Without it there is nobody whose stanzas could be taken.
      this.handler.onError(this, error);
      this.drop();
    });
  }

  private enqueue(node: Stanza): void {
    if (this.settleQuery(node)) return;
    this.work = this.work
      .then(() => this.handler.onStanza(this, node))
      .catch((error: Error) => this.handler.onError(this, error));
  }

  private settleQuery(node: Stanza): boolean {
    const query = node.tag === 'iq' ? this.pendingQueries.get(node.attrs.id ?? '') : undefined;
    if (!query || !/^(result|error)$/.test(node.attrs.type ?? '')) return false;
    clearTimeout(query.timer);
    this.pendingQueries.delete(node.attrs.id ?? '');
    query.answer(node);
    return true;
  }

  private markEnded(): void {
    if (!this.hasEnded) this.handler.onEnd(this);
    this.hasEnded = true;
  }

  private handleClose(): void {
    this.markEnded();
    for (const query of this.pendingQueries.values()) {
      clearTimeout(query.timer);
      query.fail(new Error('the client went away'));
    }
    this.pendingQueries.clear();
    this.handler.onClose(this);
  }
}
