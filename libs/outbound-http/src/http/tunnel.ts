import type { Socket } from 'node:net';
import { InvalidAnswer, readHead } from './answer-head.js';

/** Most bytes of the head with which a proxy answers. */
const MOST_HEAD = 16 * 1024;
const HEAD_END = '\r\n\r\n';

/** A proxy answered, and does not let through. */
export class TunnelRefused extends Error {
  override readonly name = 'TunnelRefused';

  /** @param status of its answer. */
  constructor(readonly status: number) {
    super(`The proxy answered ${status}.`);
  }
}

/** Options of a tunnel. */
export interface TunnelOptions {
  /** Value of `Proxy-Authorization`. */
  authorization?: string;
  /** Ends the attempt. */
  signal: AbortSignal;
}

/**
 * Opens a tunnel on a connection to an HTTP proxy (RFC 9110, 9.3.6). Resolves when the proxy lets through: the connection is paused then, and
 * what came behind the answer is the first that is read. Of its answer no more than 16 KB is kept, and the connection is destroyed with an attempt that fails.
 * @param authority host and port of the far end.
 * @throws TunnelRefused, InvalidAnswer, the reason of the signal, or what ended the connection.
 */
export function openTunnel(
  socket: Socket,
  authority: string,
  { authorization, signal }: TunnelOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const head = new TunnelHead();
    const settle = (error?: Error): void => {
      socket.off('data', onData).off('error', settle).off('close', onClose);
      signal.removeEventListener('abort', onAbort);
      if (!error) return resolve();
      socket.destroy();
      reject(error);
    };
    const onClose = (): void => settle(new Error('The proxy closed the connection.'));
    const onAbort = (): void => settle(signal.reason as Error);
    const onData = (bytes: Buffer): void => {
      try {
        const rest = head.read(bytes);
        if (!rest) return;
        socket.pause();
        if (rest.length > 0) socket.unshift(rest);
        settle();
      } catch (error) {
        settle(error as Error);
      }
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort);
    socket.on('data', onData).on('error', settle).on('close', onClose);
    const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`];
    if (authorization !== undefined) lines.push(`Proxy-Authorization: ${authorization}`);
    socket.write(lines.join('\r\n') + HEAD_END);
  });
}

/** The head of the proxy's answer, as it comes in. */
class TunnelHead {
  private text = '';

  /**
   * @returns what stands behind the head; undefined until it is complete.
   * @throws TunnelRefused, InvalidAnswer
   */
  read(bytes: Buffer): Buffer | undefined {
    const before = this.text.length;
    this.text += bytes.toString('latin1', 0, MOST_HEAD + HEAD_END.length - before);
    const end = this.text.indexOf(HEAD_END, Math.max(0, before - HEAD_END.length));
    if (end === -1) {
      if (this.text.length > MOST_HEAD) throw new InvalidAnswer('The head of the proxy is too long.');
      return undefined;
    }
    const { status } = readHead(this.text.slice(0, end));
    if (status < 200 || status > 299) throw new TunnelRefused(status);
    return bytes.subarray(end + HEAD_END.length - before);
  }
}
