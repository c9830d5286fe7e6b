// Jest `setupFiles` of mutation tests: a mutated line connects to nobody, over TCP (fetch, HTTP and TLS run through it) or UDP, asks no name
// server and starts no process or thread, which would be without this guard. What runs in this process before is not undone.
//
// The modules are asked for, not imported: Jest copies the functions of a module when it is first imported, and the copies would go on
// working.
const [child, dgram, dns, net, threads] = ['child_process', 'dgram', 'dns', 'net', 'worker_threads'].map(
  (name) => process.getBuiltinModule(`node:${name}`),
);

function refuse() {
  throw new Error('Specs of mutated modules open no sockets.');
}
/** @returns every function of an object, by its name. */
const functionsOf = (object, pattern = /./) =>
  Object.getOwnPropertyNames(object).filter(
    (name) => pattern.test(name) && typeof object[name] === 'function',
  );

net.Socket.prototype.connect = refuse;
net.Server.prototype.listen = refuse;
for (const method of ['bind', 'connect', 'send', 'addMembership']) dgram.Socket.prototype[method] = refuse;
const QUESTION = /^(lookup|resolve|reverse)/;
for (const resolver of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
  for (const prototype of [resolver, Object.getPrototypeOf(resolver)]) {
    for (const question of functionsOf(prototype, QUESTION)) prototype[question] = refuse;
  }
}
for (const start of functionsOf(child, /^(exec|fork|spawn)/)) child[start] = refuse;
child.ChildProcess.prototype.spawn = refuse;
threads.Worker = refuse;
