// Jest `setupFiles` of the second client: it knows the platform's own hosts by default, and no test may reach them. A connection to another
// address than loopback is refused in this process, and so is every question to a name server.
//
// The modules are asked for, not imported: Jest hands out copies (tools/no-sockets.mjs).
const [dgram, dns, net] = ['dgram', 'dns', 'net'].map((name) => process.getBuiltinModule(`node:${name}`));

const LOOPBACK = /^(127(\.\d+){3}|::1|localhost)$/;
const connect = net.Socket.prototype.connect;

/** Refuses with the host's name, so that a failing test says what was asked for. */
function refuse(host) {
  throw new Error(`The tests reach loopback alone, not ${host}.`);
}

net.Socket.prototype.connect = function connectLoopback(...given) {
  // `net.connect` hands its arguments over as one list.
  const [first, second] = Array.isArray(given[0]) ? given[0] : given;
  const isOptions = typeof first === 'object' && first !== null;
  const host = (isOptions ? first.host : typeof second === 'string' ? second : undefined) ?? 'localhost';
  if (!LOOPBACK.test(host)) refuse(host);
  return connect.apply(this, given);
};
for (const method of ['bind', 'connect', 'send']) dgram.Socket.prototype[method] = () => refuse('a UDP port');
for (const questions of [dns, dns.promises]) {
  const lookup = questions.lookup;
  questions.lookup = (host, ...rest) => (LOOPBACK.test(host) ? lookup(host, ...rest) : refuse(host));
}
