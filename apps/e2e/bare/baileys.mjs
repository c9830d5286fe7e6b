// Bare reference for the benchmarks of the session worker: sockets of the library with their keys in memory, nothing else.
// Commands come over IPC, one at a time (`commands` below); each is answered with its figures.
import { makeWASocket, initAuthCreds, WA_CERT_DETAILS } from '@whiskeysockets/baileys';

const { PLATFORM_URL, PLATFORM_TRUST_ROOT, PLATFORM_CONTROL } = process.env;
WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(PLATFORM_TRUST_ROOT, 'hex');
for (const name of ['log', 'info', 'warn', 'error', 'debug']) console[name] = () => {};
process.on('disconnect', () => process.exit(0));

const quiet = { level: 'silent', child: () => quiet };
for (const level of ['trace', 'debug', 'info', 'warn', 'error']) quiet[level] = () => {};

/** Numbers by phone: phone -> { creds, keys, sock } */
const numbers = new Map();

function memoryKeys() {
  const kept = new Map();
  return {
    get: async (type, ids) => Object.fromEntries(ids.map((id) => [id, kept.get(`${type}|${id}`)])),
    set: async (changes) => {
      for (const [type, values] of Object.entries(changes))
        for (const [id, value] of Object.entries(values))
          if (value) kept.set(`${type}|${id}`, value);
          else kept.delete(`${type}|${id}`);
    },
  };
}

/** Resolves when the number is logged in; scans its QR code first where it is not linked yet. */
function open(phone) {
  const number = numbers.get(phone) ?? { creds: initAuthCreds(), keys: memoryKeys() };
  numbers.set(phone, number);
  return new Promise((opened) => {
    const sock = makeWASocket({
      waWebSocketUrl: PLATFORM_URL,
      logger: quiet,
      auth: number,
      emitOwnEvents: false,
      // The library is idle while the other side is measured, and a busy simulator may answer its ping late.
      keepAliveIntervalMs: 120_000,
    });
    number.sock = sock;
    sock.ev.on('creds.update', (change) => Object.assign(number.creds, change));
    sock.ev.on('connection.update', ({ connection, qr }) => {
      if (qr) void scan(phone, qr);
      if (connection === 'open') opened();
      // The socket opens anew also after the linking itself, which ends with 515.
      if (connection === 'close') void open(phone).then(opened);
    });
  });
}

async function scan(phone, qr) {
  await fetch(`${PLATFORM_CONTROL}/accounts/${phone}/scan`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ qr }),
  });
}

const commands = {
  async link(phones) {
    for (const phone of phones) await open(phone);
  },
  /** Sends so many texts from every number to its contact, one after the other; all numbers at the same time. */
  async send({ to, each }) {
    const send = async ([phone, contact]) => {
      const { sock } = numbers.get(phone);
      for (let n = 0; n < each; n += 1)
        await sock.sendMessage(`${contact}@s.whatsapp.net`, { text: `bare ${n}` });
    };
    await Promise.all(Object.entries(to).map(send));
  },
  memory() {
    globalThis.gc();
    const { rss, heapUsed } = process.memoryUsage();
    return { rss, heapUsed };
  },
};

process.on('message', async ({ name, argument }) => {
  const begun = process.cpuUsage();
  const result = await commands[name](argument);
  const { user, system } = process.cpuUsage(begun);
  process.send({ cpuMs: (user + system) / 1000, result });
});
process.send({ ready: true });
