/** Returns the media type that a sender names, if it is one at all: it becomes a header. */
export function safeMediaType(mimeType: string | null): string {
  const isOne = /^[\w.+-]{1,100}\/[\w.+-]{1,100}(; ?[\w-]{1,50}=("[\w .,+-]{1,100}"|[\w.+-]{1,100})){0,5}$/;
  return mimeType !== null && isOne.test(mimeType) ? mimeType : 'application/octet-stream';
}

/** Writes `Content-Disposition` (RFC 6266) with the name of a stranger: saved, never shown, and without a way into other folders. */
export function dispositionOf(filename: string | undefined): string {
  const printable = (filename ?? '').replaceAll(/[\p{Cc}\p{Cf}\p{Surrogate}/\\]/gu, '_');
  const name = [...printable].slice(0, 200).join('');
  if (name === '') return 'attachment';
  const plain = name.replaceAll(/[^\x20-\x7e]|["%;]/gu, '_');
  const exact = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${plain}"${plain === name ? '' : `; filename*=UTF-8''${exact}`}`;
}
