// Jest `setupFiles` of mutation tests: a mutated line connects to nobody.
import { Socket } from 'node:dgram';
import net from 'node:net';

const refuse = () => {
  throw new Error('Specs of mutated modules open no sockets.');
};
net.Socket.prototype.connect = refuse;
net.Server.prototype.listen = refuse;
Socket.prototype.send = refuse;
