import {
  GroupCipher,
  GroupSessionBuilder,
  SenderKeyDistributionMessage,
  SenderKeyName,
  SenderKeyRecord,
} from '@whiskeysockets/baileys/lib/Signal/Group/index.js';

/** This class holds the keys under which members write to a whole group: the person's own, and those of others. */
export class SenderKeys {
  private readonly records = new Map<string, SenderKeyRecord>();
  private readonly store = {
    loadSenderKey: async (name: SenderKeyName): Promise<SenderKeyRecord> =>
      this.records.get(name.toString()) ?? new SenderKeyRecord(),
    storeSenderKey: async (name: SenderKeyName, record: SenderKeyRecord): Promise<void> =>
      void this.records.set(name.toString(), record),
  };

  /** Makes what the others need in order to read from the next message on. */
  async distribution(group: string, self: string): Promise<Buffer> {
    const made = await new GroupSessionBuilder(this.store).create(nameOf(group, self));
    return Buffer.from(made.serialize());
  }

  async encrypt(group: string, self: string, plaintext: Buffer): Promise<Buffer> {
    return Buffer.from(await new GroupCipher(this.store, nameOf(group, self)).encrypt(plaintext));
  }

  async learn(group: string, peer: string, distribution: Uint8Array): Promise<void> {
    const message = new SenderKeyDistributionMessage(null, null, null, null, distribution);
    await new GroupSessionBuilder(this.store).process(nameOf(group, peer), message);
  }

  async decrypt(group: string, peer: string, ciphertext: Buffer): Promise<Buffer> {
    return Buffer.from(await new GroupCipher(this.store, nameOf(group, peer)).decrypt(ciphertext));
  }
}

/** Peers are named `user.device`. */
function nameOf(group: string, peer: string): SenderKeyName {
  const [id = '', device] = peer.split('.');
  return new SenderKeyName(group, { id, deviceId: Number(device), toString: () => peer });
}
