/** First bytes of every connection: `WA`, protocol version, dictionary version. */
export const PROLOGUE = Buffer.from([0x57, 0x41, 6, 3]);

const EDGE_PREAMBLE = Buffer.from([0x45, 0x44, 0, 1]);
const EMPTY = Buffer.alloc(0);

/**
 * This class cuts the byte stream into frames. One WebSocket message may hold several frames or part of one, and the
 * first is preceded by the prologue, possibly behind a routing preamble.
 */
export class FrameReader {
  private buffered: Buffer = EMPTY;
  private pieces: Buffer[] = [];
  private waiting = 0;
  /** Number of bytes without which the next attempt is in vain; joining every small piece would take quadratic time. */
  private wanted = 0;
  private introduced = false;

  push(chunk: Buffer): Buffer[] {
    this.pieces.push(chunk);
    this.waiting += chunk.length;
    if (this.waiting < this.wanted) return [];
    this.buffered = this.pieces.length === 1 ? chunk : Buffer.concat(this.pieces);
    if (!this.introduced) this.readIntroduction();
    const frames = this.introduced ? this.cut() : [];
    this.pieces = [this.buffered];
    this.waiting = this.buffered.length;
    return frames;
  }

  private cut(): Buffer[] {
    const frames: Buffer[] = [];
    for (;;) {
      this.wanted = this.buffered.length < 3 ? 3 : 3 + this.buffered.readUIntBE(0, 3);
      if (this.buffered.length < this.wanted) return frames;
      frames.push(this.buffered.subarray(3, this.wanted));
      this.buffered = this.buffered.subarray(this.wanted);
    }
  }

  private readIntroduction(): void {
    let bytes = this.buffered;
    if (startsLike(bytes, EDGE_PREAMBLE)) {
      if (bytes.length < 7) return;
      const end = 7 + bytes.readUIntBE(4, 3);
      if (bytes.length < end) return;
      bytes = bytes.subarray(end);
    }
    if (!startsLike(bytes, PROLOGUE)) throw new Error('the connection does not start with the prologue');
    if (bytes.length < PROLOGUE.length) return;
    this.buffered = bytes.subarray(PROLOGUE.length);
    this.introduced = true;
  }
}

const startsLike = (data: Buffer, expected: Buffer): boolean => {
  const length = Math.min(data.length, expected.length);
  return data.subarray(0, length).equals(expected.subarray(0, length));
};

/** Puts the length in front of a frame. */
export function frame(body: Uint8Array): Buffer {
  if (body.length >= 1 << 24)
    throw new Error(`a frame of ${body.length} bytes does not fit its length field`);
  const framed = Buffer.allocUnsafe(3 + body.length);
  framed.writeUIntBE(body.length, 0, 3);
  framed.set(body, 3);
  return framed;
}
