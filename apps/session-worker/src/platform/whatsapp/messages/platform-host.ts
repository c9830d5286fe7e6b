/** Says whether the platform, whose WebSocket is given, keeps files on this host: its own names, or a simulator's. */
export function isPlatformHost(hostname: string, platformUrl: string): boolean {
  return /(^|\.)whatsapp\.net$/.test(hostname) || hostname === new URL(platformUrl).hostname;
}
