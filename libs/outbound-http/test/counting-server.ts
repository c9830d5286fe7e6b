import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from '@jest/globals';

/** A server on loopback that counts what reaches it. */
export class CountingServer {
  connections = 0;
  requests = 0;
  private readonly server;

  private constructor(answer: RequestListener) {
    const listener: RequestListener = (request, response) => {
      this.requests += 1;
      request.resume().on('end', () => answer(request, response));
    };
    this.server = createServer(listener);
    this.server.on('connection', () => (this.connections += 1));
    // The client alone decides which connections stay.
    this.server.keepAliveTimeout = 0;
  }

  /**
   * Listens while the tests of the file that asks run.
   */
  static ofThisFile(answer: RequestListener): CountingServer {
    const one = new CountingServer(answer);
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

  /** Connections that are open now. */
  open(): Promise<number> {
    return new Promise((done) => this.server.getConnections((_, count) => done(count)));
  }
}
