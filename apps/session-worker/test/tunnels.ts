import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';

/** Proxy of this machine: its address, the connections it opened, and its end. */
export interface Tunnel {
  url: string;
  /** Destinations of the connections it opened. */
  opened: string[];
  /** Refuses all connections from now on, and ends those that are open. */
  refuse(): void;
  /** From now on whoever comes is let through, and never hears anything; who is through already goes on. */
  hold(): void;
  /** Connections that came since then and are open. */
  held: Set<Socket>;
  stop(): Promise<void>;
}

const CREDENTIALS = 'ada:s3cret';

/** Starts an HTTP proxy that takes CONNECT with user and password. */
export async function httpTunnel(): Promise<Tunnel> {
  const server = createServer();
  const state = newState();
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    const expected = `Basic ${Buffer.from(CREDENTIALS).toString('base64')}`;
    if (!state.open || request.headers['proxy-authorization'] !== expected) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    join(state, request.url ?? '', socket, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
  });
  return started('http', server, state);
}

/** Starts a SOCKS 5 proxy that wants user and password (RFC 1928, 1929). */
export async function socksTunnel(): Promise<Tunnel> {
  const state = newState();
  const server = createTcpServer((socket) => void serveSocks(socket, state).catch(() => socket.destroy()));
  return started('socks5', server, state);
}

interface State {
  opened: string[];
  open: boolean;
  holds: boolean;
  sockets: Set<Socket>;
  held: Set<Socket>;
}

const newState = (): State => ({
  opened: [],
  open: true,
  holds: false,
  sockets: new Set(),
  held: new Set(),
});

async function serveSocks(socket: Socket, state: State): Promise<void> {
  const next = async (): Promise<Buffer> => ((await once(socket, 'data')) as [Buffer])[0];
  await next();
  socket.write(Buffer.from([5, 2]));
  const login = await next();
  const user = login.subarray(2, 2 + (login[1] ?? 0)).toString();
  const password = login.subarray(3 + user.length).toString();
  const isAllowed = state.open && `${user}:${password}` === CREDENTIALS;
  socket.write(Buffer.from([1, isAllowed ? 0 : 1]));
  if (!isAllowed) return void socket.end();
  const request = await next();
  const address = [...request.subarray(4, 8)].join('.');
  const port = request.readUInt16BE(request.length - 2);
  join(state, `${address}:${port}`, socket, () => socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])));
}

function join(state: State, destination: string, socket: Socket, ready: () => void): void {
  if (state.holds) return hold(state, socket, ready);
  const [host = '', port = ''] = destination.split(':');
  const far = connect(Number(port), host, () => {
    state.opened.push(destination);
    ready();
    socket.pipe(far).pipe(socket);
  });
  for (const [one, other] of [
    [socket, far],
    [far, socket],
  ] as const) {
    state.sockets.add(one);
    one.on('error', () => other.destroy()).on('close', () => other.destroy());
  }
}

function hold({ held, sockets }: State, socket: Socket, ready: () => void): void {
  for (const all of [held, sockets]) all.add(socket);
  socket.on('error', () => undefined).on('close', () => held.delete(socket));
  // An end is only heard of by who reads, and a server of HTTP leaves its own half open.
  socket.on('end', () => socket.destroy()).resume();
  ready();
}

async function started(scheme: string, server: Server, state: State): Promise<Tunnel> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const cut = (): void => state.sockets.forEach((socket) => socket.destroy());
  return {
    url: `${scheme}://${CREDENTIALS}@127.0.0.1:${port}`,
    opened: state.opened,
    refuse: () => {
      state.open = false;
      cut();
    },
    hold: () => void (state.holds = true),
    held: state.held,
    stop: async () => {
      server.close();
      cut();
      await once(server, 'close');
    },
  };
}
