import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { phoneAddress } from '@svc/contracts';
import { type Delivery, messageKey } from '../delivery/delivery.js';
import { encryptFor } from '../delivery/encryption.js';
import type { Companion } from '../people/companion.js';
import type { Person } from '../people/person.js';
import { seconds, stanza } from '../wire/nodes.js';

const { Message, HistorySync } = proto;
const { Type } = Message.ProtocolMessage;

/**
 * Sends what a phone sends to a device that it has just linked: the key of the shared settings, and the history. A client
 * waits up to 20 s for the latter, and takes its own name from it.
 */
export async function sendFirstSync(person: Person, companion: Companion, delivery: Delivery): Promise<void> {
  await sendPeerMessage(person, companion, delivery, keyShare(person));
  await sendPeerMessage(person, companion, delivery, emptyHistory());
}

/** Derives the key under which phone and devices write their shared settings. */
export const settingsKeyOf = (person: Person): { keyId: Buffer; keyData: Buffer } => ({
  keyId: person.derive('app-state-key-id').subarray(0, 6),
  keyData: person.derive('app-state-key'),
});

function keyShare(person: Person): proto.Message.IProtocolMessage {
  const { keyId, keyData } = settingsKeyOf(person);
  const fingerprint = { rawId: 1, currentIndex: 0, deviceIndexes: [0] };
  const keys = [{ keyId: { keyId }, keyData: { keyData, timestamp: Date.now(), fingerprint } }];
  return { type: Type.APP_STATE_SYNC_KEY_SHARE, appStateSyncKeyShare: { keys } };
}

function emptyHistory(): proto.Message.IProtocolMessage {
  const syncType = HistorySync.HistorySyncType.INITIAL_BOOTSTRAP;
  const history = HistorySync.encode({ syncType, chunkOrder: 0, progress: 100, conversations: [] }).finish();
  const historySyncNotification = {
    syncType: Message.HistorySyncType.INITIAL_BOOTSTRAP,
    chunkOrder: 0,
    progress: 100,
    initialHistBootstrapInlinePayload: deflateSync(history),
  };
  return { type: Type.HISTORY_SYNC_NOTIFICATION, historySyncNotification };
}

async function sendPeerMessage(
  person: Person,
  companion: Companion,
  delivery: Delivery,
  protocolMessage: proto.Message.IProtocolMessage,
): Promise<void> {
  const id = randomBytes(16).toString('hex').toUpperCase();
  const plaintext = Buffer.from(Message.encode({ protocolMessage }).finish());
  const enc = await encryptFor(person, person, companion, plaintext);
  const from = phoneAddress(person.phone);
  const notify = person.name ?? person.phone;
  const attributes = { id, from, type: 'text', category: 'peer', notify, t: seconds() };
  const node = stanza('message', attributes, [enc]);
  const source = { phone: person.phone, plaintext, retries: 0 };
  delivery.enqueue(person, companion, { key: messageKey(id), node, source });
}
