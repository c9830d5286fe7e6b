declare module 'libsignal/src/protobufs.js' {
  export const WhisperMessage: { decode(data: Uint8Array): { ephemeralKey: Uint8Array; counter: number } };
}
