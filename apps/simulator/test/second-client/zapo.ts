import { createRequire } from 'node:module';
import type { Agent } from 'node:https';
import type { proto } from '@whiskeysockets/baileys/WAProto/index.js';

// These types name what the tests use of `zapo-js`, in words of our own: its package is installed for these tests alone, and nothing else may
// need it in order to be type-checked.

export interface ZapoMessage {
  stanzaId?: string;
  chatJid?: string;
  senderJid?: string;
  isGroupChat: boolean;
  message?: proto.IMessage;
}

export interface ZapoReceipt {
  stanzaId?: string;
  stanzaType?: string;
  chatJid?: string;
  participantJid?: string;
}

/** The events that the tests listen to, with what each tells. */
export interface ZapoEvents {
  auth_qr: { qr: string };
  auth_paired: object;
  connection_success: object;
  message: ZapoMessage;
  message_receipt: ZapoReceipt;
  auth_pairing_code: { code: string };
}

export type ZapoFile = { type: 'image' | 'document' | 'audio' | 'video' | 'sticker'; media: Uint8Array } & {
  mimetype: string;
  [field: string]: unknown;
};

export interface ZapoClient {
  on<Name extends keyof ZapoEvents>(event: Name, listener: (event: ZapoEvents[Name]) => void): this;
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  requestPairingCode(phone: string): Promise<string>;
  sendMessage(
    to: string,
    content: string | proto.IMessage | ZapoFile,
  ): Promise<{ id: string; ack: { error?: number } }>;
  sendReceipt(receipt: { to: string; id: string; type?: string; participant?: string }): Promise<void>;
  readonly mediaTransfer: {
    downloadAndDecrypt(file: {
      url: string | null;
      mediaType: string;
      mediaKey: Uint8Array | null;
      fileSha256: Uint8Array | null;
      fileEncSha256: Uint8Array | null;
    }): Promise<Uint8Array>;
  };
}

/** Logger of the client: text and fields. */
export type ZapoLogger = Record<
  'trace' | 'debug' | 'info' | 'warn' | 'error',
  (text: string, fields?: object) => void
> & { level: string };

export interface ZapoOptions {
  store: object;
  sessionId: string;
  chatSocketUrls: string[];
  proxy: { mediaUpload: Agent; mediaDownload: Agent };
  testHooks: { noiseRootCa: { publicKey: Uint8Array; serial: number } };
  [option: string]: unknown;
}

interface Zapo {
  WaClient: new (options: ZapoOptions, logger: ZapoLogger) => ZapoClient;
  createStore(options: object): object;
}

export const zapo = createRequire(import.meta.url)('zapo-js') as Zapo;
