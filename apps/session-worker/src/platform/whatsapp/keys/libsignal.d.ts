declare module 'libsignal/src/protobufs.js' {
  /** Envelope of a Signal message; `ephemeralKey` is the sender's ratchet key. */
  export const WhisperMessage: { decode(bytes: Uint8Array): { ephemeralKey: Uint8Array } };
}
