import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A proxy that means harm: where it is, what became of the connections to it, and its end. */
export interface HostileProxy {
  url: string;
  connections: { opened: number; open: number; mostOpen: number; received: number };
  stop(): Promise<void>;
}

/** Most bytes that an attack of a test takes. */
const MOST_BYTES = 20_000_000;
const DRIP_MS = 50;

type Attack = (socket: Socket, state: HostileProxy['connections']) => void;

const everyFewMs = (socket: Socket, write: () => void): void => {
  const timer = setInterval(write, DRIP_MS);
  socket.on('close', () => clearInterval(timer));
};

const endlessHead: Attack = (socket, state) => {
  socket.write('HTTP/1.1 200 OK\r\nX: ');
  everyFewMs(socket, () => {
    if (state.received < MOST_BYTES && socket.writableLength === 0) socket.write(Buffer.alloc(100_000, 97));
    state.received = socket.bytesWritten;
  });
};
const drippingHead: Attack = (socket) => {
  socket.write('HTTP/1.1 200 OK\r\nX: ');
  everyFewMs(socket, () => socket.write('a'));
};
const silent: Attack = () => undefined;
const silentTunnel: Attack = (socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\n');
const drippingTunnel: Attack = (socket) => {
  socket.write('HTTP/1.1 200 OK\r\n\r\n');
  everyFewMs(socket, () => socket.write('HTTP/1.1 1'));
};
const silentSocks: Attack = (socket) => void socket.write(Buffer.from([5, 0]));
const endlessSocks: Attack = (socket, state) =>
  everyFewMs(socket, () => {
    if (state.received < MOST_BYTES && socket.writableLength === 0) socket.write(Buffer.alloc(100_000, 5));
    state.received = socket.bytesWritten;
  });

async function started(scheme: string, attack: Attack): Promise<HostileProxy> {
  const connections = { opened: 0, open: 0, mostOpen: 0, received: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    connections.opened += 1;
    connections.open += 1;
    connections.mostOpen = Math.max(connections.mostOpen, connections.open);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      connections.open -= 1;
    });
    socket.once('data', () => attack(socket, connections));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Ways in which a far side does harm, by what it does. */
export const HOSTILE_PROXIES: Record<string, () => Promise<HostileProxy>> = {
  'never ends the head of its answer': () => started('http', endlessHead),
  'answers a byte at a time': () => started('http', drippingHead),
  'says nothing': () => started('http', silent),
  'lets through and then says nothing': () => started('http', silentTunnel),
  'lets through and then answers a byte at a time': () => started('http', drippingTunnel),
  'speaks SOCKS and stops in the middle': () => started('socks5', silentSocks),
  'answers SOCKS without end': () => started('socks5', endlessSocks),
};
