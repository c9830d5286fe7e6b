const FIRST_BYTES = 1_024;

/**
 * A list of bytes for the library's encoder of stanzas, which pushes one byte after another and copies the list at the end. It takes one byte of
 * memory for each: an array of numbers takes eight, and a long text stopped all accounts for as long as its garbage was collected.
 */
export class ByteList {
  private bytes = Buffer.allocUnsafe(FIRST_BYTES);
  private count = 0;

  push(byte: number): number {
    if (this.count === this.bytes.length) this.bytes = Buffer.concat([this.bytes, this.bytes]); // twice as long
    this.bytes[this.count] = byte;
    this.count += 1;
    return this.count;
  }

  /** Gives `Buffer.from(list)` what it copies. */
  valueOf(): Buffer {
    return this.bytes.subarray(0, this.count);
  }
}
