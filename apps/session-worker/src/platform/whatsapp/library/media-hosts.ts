import {
  getBinaryNodeChild,
  getBinaryNodeChildren,
  type makeWASocket,
  S_WHATSAPP_NET,
} from '@whiskeysockets/baileys';

/** Says whether the platform, whose WebSocket is given, keeps files on this host: its own names, or a simulator's. */
export function isPlatformHost(hostname: string, platformUrl: string): boolean {
  return /(^|\.)whatsapp\.net$/.test(hostname) || hostname === new URL(platformUrl).hostname;
}

/** Names of the hosts that take files, in order, and the word that opens them. */
export interface MediaAccess {
  hosts: string[];
  auth: string;
}

// Library patch: media-hosts
/**
 * Asks the platform of one socket for its media hosts, and remembers the answer for as long as it holds. The library's own question
 * (`refreshMediaConn`) remembers a failure as well: after one, no file would go out until the next connection.
 */
export class MediaHosts {
  private asked: Promise<MediaAccess> | undefined;
  private holdsUntil = Infinity;

  constructor(private readonly sock: Pick<ReturnType<typeof makeWASocket>, 'query'>) {}

  get(): Promise<MediaAccess> {
    if (Date.now() >= this.holdsUntil) this.forget();
    this.asked ??= this.ask().catch((error: unknown) => {
      this.forget();
      throw error;
    });
    return this.asked;
  }

  /** Has the next one ask anew: the hosts let nobody in any more. */
  forget(): void {
    this.asked = undefined;
    this.holdsUntil = Infinity;
  }

  private async ask(): Promise<MediaAccess> {
    const attrs = { type: 'set', xmlns: 'w:m', to: S_WHATSAPP_NET };
    const answer = await this.sock.query({ tag: 'iq', attrs, content: [{ tag: 'media_conn', attrs: {} }] });
    const access = getBinaryNodeChild(answer, 'media_conn');
    const { auth, ttl } = access?.attrs ?? {};
    if (!access || auth === undefined) throw new Error('The platform names no host for files.');
    this.holdsUntil = Date.now() + Number(ttl ?? 0) * 1_000;
    const names = getBinaryNodeChildren(access, 'host').map((host) => host.attrs['hostname']);
    return { auth, hosts: names.filter((name) => name !== undefined) };
  }
}
