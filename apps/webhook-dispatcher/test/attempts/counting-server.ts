import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from '@jest/globals';
import type { SelfSigned } from '@svc/testing';

/** Server on loopback that counts the connections and requests that reach it. */
export class CountingServer {
  connections = 0;
  requests = 0;
  private readonly server;

  private constructor(answer: RequestListener, tls: SelfSigned | undefined) {
    const listener: RequestListener = (request, response) => {
      this.requests += 1;
      request.resume().on('end', () => answer(request, response));
    };
    this.server = tls ? createTlsServer(tls, listener) : createServer(listener);
    this.server.on('connection', () => (this.connections += 1));
    // The server closes no connection: the client alone decides which stay.
    this.server.keepAliveTimeout = 0;
  }

  /**
   * Listens while the tests of the file that asks run.
   * @param tls what it shows; without it, it speaks plain HTTP.
   */
  static ofThisFile(answer: RequestListener, tls?: SelfSigned): CountingServer {
    const one = new CountingServer(answer, tls);
    beforeAll(() => new Promise<void>((resolve) => one.server.listen(0, '127.0.0.1', resolve)));
    afterAll(async () => {
      one.server.closeAllConnections();
      await new Promise((resolve) => one.server.close(resolve));
    });
    return one;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Counts the connections that are open now. */
  open(): Promise<number> {
    return new Promise((done) => this.server.getConnections((_, count) => done(count)));
  }
}
