import QRCode from 'qrcode';
import type { QrDrawing } from './widget-bodies.js';

/** Makes a link that opens a chat with a number. @param base of such links, with a slash at its end. */
export function chatLink(base: string, phone: string, text: string): string {
  const link = `${base}${phone.replace(/\D/g, '')}`;
  return text === '' ? link : `${link}?text=${encodeURIComponent(text)}`;
}

/** Draws a text as a QR code, its dark squares row by row. */
export function drawQr(text: string): QrDrawing {
  const { modules } = QRCode.create(text, { errorCorrectionLevel: 'M' });
  const { size } = modules;
  let path = '';
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      if (!modules.get(row, column)) continue;
      const begin = column;
      while (column + 1 < size && modules.get(row, column + 1)) column += 1;
      const width = column + 1 - begin;
      path += `M${begin} ${row}h${width}v1h-${width}z`;
    }
  }
  return { size, path };
}

/** Chooses black or white, whichever has more contrast with the colour (WCAG 2, relative luminance). */
export function inkOn(color: string): '#000000' | '#ffffff' {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) ? '#000000' : '#ffffff';
}
