import { beforeEach, describe, expect, test } from '@jest/globals';
import { silenceConsole } from '@svc/service';
import { SignalDevice } from './signal-device.js';

silenceConsole();

const text = (value: string): Buffer => Buffer.from(value);

describe('two devices', () => {
  let ann: SignalDevice;
  let bob: SignalDevice;

  beforeEach(async () => {
    ann = new SignalDevice(Buffer.alloc(32, 1));
    bob = new SignalDevice(Buffer.alloc(32, 2));
    await ann.open('bob.0', bob.bundle());
  });

  const annToBob = async (words: string) => ann.encrypt('bob.0', text(words));
  const bobReads = async ({ type, ciphertext }: Awaited<ReturnType<typeof annToBob>>) =>
    String(await bob.decrypt('ann.0', type, ciphertext));

  test('talk: first messages carry keys until there is an answer', async () => {
    const first = await annToBob('one');
    const second = await annToBob('two');
    expect([first.type, second.type]).toEqual(['pkmsg', 'pkmsg']);
    expect([await bobReads(first), await bobReads(second)]).toEqual(['one', 'two']);
    const answer = await bob.encrypt('ann.0', text('yes'));
    expect(answer.type).toBe('msg');
    expect(String(await ann.decrypt('bob.0', answer.type, answer.ciphertext))).toBe('yes');
    const third = await annToBob('three');
    expect(third.type).toBe('msg');
    expect(await bobReads(third)).toBe('three');
  });

  test('read messages that overtook each other', async () => {
    const messages = [await annToBob('one'), await annToBob('two'), await annToBob('three')];
    for (const [index, words] of [
      [2, 'three'],
      [0, 'one'],
      [1, 'two'],
    ] as const) {
      const message = messages[index];
      expect(message && (await bobReads(message))).toBe(words);
    }
  });

  test('do not read the same message twice', async () => {
    const message = await annToBob('once');
    await bobReads(message);
    await expect(bobReads(message)).rejects.toThrow();
    expect(await bobReads(await annToBob('next'))).toBe('next');
  });

  test('keep the session when a forged first message comes in between', async () => {
    await bobReads(await annToBob('one'));
    const stranger = new SignalDevice(Buffer.alloc(32, 3));
    await stranger.open('bob.0', bob.bundle());
    const forged = await stranger.encrypt('bob.0', text('forged'));
    const spoilt = Buffer.from(forged.ciphertext);
    spoilt.writeUInt8(spoilt.readUInt8(spoilt.length - 12) ^ 1, spoilt.length - 12);
    await expect(bob.decrypt('ann.0', forged.type, spoilt)).rejects.toThrow();
    const answer = await bob.encrypt('ann.0', text('still us'));
    expect(String(await ann.decrypt('bob.0', answer.type, answer.ciphertext))).toBe('still us');
  });

  test('read stragglers of an older session without harm to the new one', async () => {
    await bobReads(await annToBob('old'));
    const answer = await bob.encrypt('ann.0', text('heard'));
    await ann.decrypt('bob.0', answer.type, answer.ciphertext);
    const straggler = await annToBob('straggler');
    await ann.open('bob.0', bob.bundle());
    expect(await bobReads(await annToBob('new'))).toBe('new');
    expect(await bobReads(straggler)).toBe('straggler');
    expect(await bobReads(await annToBob('newer'))).toBe('newer');
    const reply = await bob.encrypt('ann.0', text('reply'));
    expect(String(await ann.decrypt('bob.0', reply.type, reply.ciphertext))).toBe('reply');
  });

  test('do not grow with the length of a conversation', async () => {
    const sizes: number[] = [];
    for (let turn = 0; turn < 30; turn++) {
      await bobReads(await annToBob('question'));
      const answer = await bob.encrypt('ann.0', text('answer'));
      await ann.decrypt('bob.0', answer.type, answer.ciphertext);
      sizes.push(JSON.stringify(bob.save()).length);
    }
    expect(sizes.at(-1)).toBeLessThan((sizes[5] ?? 0) * 1.2);
  });

  test('go on after being saved and restored', async () => {
    await bobReads(await annToBob('one'));
    const saved = JSON.parse(JSON.stringify(bob.save())) as ReturnType<SignalDevice['save']>;
    bob = new SignalDevice(Buffer.alloc(32, 2));
    bob.restore(saved);
    expect(await bobReads(await annToBob('two'))).toBe('two');
  });
});

test('no one-time key is given out twice, not even after a restart', () => {
  const device = new SignalDevice(Buffer.alloc(32, 1));
  const keys = [device.bundle(), device.bundle()];
  const again = new SignalDevice(Buffer.alloc(32, 1));
  again.restore(device.save());
  keys.push(again.bundle());
  expect(new Set(keys.map(({ preKey }) => preKey?.value.toString('hex'))).size).toBe(3);
});
