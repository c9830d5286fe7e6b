// Jest `setupFiles` of mutation tests: a mutated line connects to nobody, over TCP (fetch, HTTP and TLS run through it) or UDP, asks no name
// server and starts no process, which would be without this guard. What runs in this process before is not undone.
import child from 'node:child_process';
import { Socket } from 'node:dgram';
import dns from 'node:dns';
import net from 'node:net';
import { syncBuiltinESMExports } from 'node:module';

const refuse = () => {
  throw new Error('Specs of mutated modules open no sockets.');
};
/** @returns every function of an object, by its name. */
const functionsOf = (object, pattern = /./) =>
  Object.getOwnPropertyNames(object).filter(
    (name) => pattern.test(name) && typeof object[name] === 'function',
  );

net.Socket.prototype.connect = refuse;
net.Server.prototype.listen = refuse;
for (const method of ['bind', 'connect', 'send', 'addMembership']) Socket.prototype[method] = refuse;
const QUESTION = /^(lookup|resolve|reverse)/;
for (const resolver of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
  for (const prototype of [resolver, Object.getPrototypeOf(resolver)]) {
    for (const question of functionsOf(prototype, QUESTION)) prototype[question] = refuse;
  }
}
for (const start of functionsOf(child, /^(exec|fork|spawn)/)) child[start] = refuse;
child.ChildProcess.prototype.spawn = refuse;
syncBuiltinESMExports();
