import { describe, expect, test } from '@jest/globals';
import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { Initiator } from '../../test/support/raw-client.js';
import { Authority } from './authority.js';
import { randomKeyPair } from './keys.js';

const authority = new Authority('handshake');
const PAYLOAD = { username: 4915550001000, device: 3 };

describe('the handshake', () => {
  test('ends with both sides holding the same two keys and the client known by its noise key', () => {
    const noiseKey = randomKeyPair();
    const initiator = new Initiator(noiseKey);
    const responder = authority.responder();
    const { serverEphemeral } = initiator.read(responder.hello(initiator.hello()).frame);
    const { body, transport } = initiator.finish(serverEphemeral, PAYLOAD);
    const greeting = responder.finish(body);
    expect(greeting.noiseKey).toEqual(noiseKey.public);
    expect(Number(greeting.payload.username)).toBe(PAYLOAD.username);
    for (const words of ['one', 'two', 'three']) {
      const there = transport.outgoing.encrypt(Buffer.from(words));
      expect(greeting.transport.incoming.decrypt(there).toString()).toBe(words);
      const back = greeting.transport.outgoing.encrypt(Buffer.from(words));
      expect(transport.incoming.decrypt(back).toString()).toBe(words);
    }
  });

  test('refuses a finish that was altered on the way', () => {
    const initiator = new Initiator(randomKeyPair());
    const responder = authority.responder();
    const { serverEphemeral } = initiator.read(responder.hello(initiator.hello()).frame);
    const { body } = initiator.finish(serverEphemeral, PAYLOAD);
    const altered = Buffer.from(body);
    altered.writeUInt8(altered.readUInt8(altered.length - 1) ^ 1, altered.length - 1);
    expect(() => responder.finish(altered)).toThrow();
  });

  test('refuses a noise key that the client does not own', () => {
    const impostor = { public: randomKeyPair().public, private: randomKeyPair().private };
    const initiator = new Initiator(impostor);
    const responder = authority.responder();
    const { serverEphemeral } = initiator.read(responder.hello(initiator.hello()).frame);
    expect(() => responder.finish(initiator.finish(serverEphemeral, PAYLOAD).body)).toThrow();
  });

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['no key', proto.HandshakeMessage.encode({ clientHello: {} }).finish()],
    ['a short key', proto.HandshakeMessage.encode({ clientHello: { ephemeral: Buffer.alloc(5) } }).finish()],
  ])('refuses a hello with %s', (_what, hello) => {
    expect(() => authority.responder().hello(hello)).toThrow('ephemeral');
  });

  test('does not repeat itself: every responder has an ephemeral key of its own', () => {
    const hello = new Initiator(randomKeyPair()).hello();
    const [first, second] = [authority.responder().hello(hello), authority.responder().hello(hello)];
    expect(first.frame).not.toEqual(second.frame);
  });
});

describe('the handshake of a client that remembers the platform', () => {
  const platformKey = () => {
    const initiator = new Initiator(randomKeyPair());
    return initiator.read(authority.responder().hello(initiator.hello()).frame).identity;
  };

  test('is over with its first frame, which says who it is', () => {
    const noiseKey = randomKeyPair();
    const initiator = new Initiator(noiseKey);
    const { frame, result } = authority.responder().hello(initiator.resume(platformKey(), PAYLOAD));
    expect(result?.noiseKey).toEqual(noiseKey.public);
    expect(Number(result?.payload.username)).toBe(PAYLOAD.username);
    const transport = initiator.readResumed(frame);
    const there = transport.outgoing.encrypt(Buffer.from('there'));
    expect(result?.transport.incoming.decrypt(there).toString()).toBe('there');
    const back = result?.transport.outgoing.encrypt(Buffer.from('back')) ?? Buffer.alloc(0);
    expect(transport.incoming.decrypt(back).toString()).toBe('back');
  });

  test('is done in full when it remembers another key', () => {
    const noiseKey = randomKeyPair();
    const initiator = new Initiator(noiseKey);
    const responder = authority.responder();
    const { frame, result } = responder.hello(initiator.resume(randomKeyPair().public, PAYLOAD));
    expect(result).toBeUndefined();
    initiator.beginAnew();
    const { serverEphemeral, identity } = initiator.read(frame);
    expect(identity).toEqual(platformKey());
    const { noiseKey: shown } = responder.finish(initiator.finish(serverEphemeral, PAYLOAD).body);
    expect(shown).toEqual(noiseKey.public);
  });

  test('is refused when it does not own the noise key that it shows', () => {
    const impostor = { public: randomKeyPair().public, private: randomKeyPair().private };
    const hello = new Initiator(impostor).resume(platformKey(), PAYLOAD);
    expect(() => authority.responder().hello(hello)).toThrow();
  });
});
