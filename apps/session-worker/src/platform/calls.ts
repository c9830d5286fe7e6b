/** A call that rings, or rang while nobody heard it. */
export interface InboundCall {
  /** The platform's id of the call. */
  id: string;
  /** Phone address of the caller where it is known, else the one that the platform hides it behind. */
  remoteJid: string;
  isVideo: boolean;
  /** Address of the group that is called; undefined for a call to the number alone. */
  group: string | undefined;
  /** False for one that came while the session was not connected. */
  isRinging: boolean;
  /** Unix seconds of the platform. */
  at: number;
}
