import { access } from 'node:fs/promises';

const PLACES = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Finds the path of the browser of this machine. */
export async function findChromium(): Promise<string> {
  for (const place of PLACES) {
    if (
      place &&
      (await access(place).then(
        () => true,
        () => false,
      ))
    )
      return place;
  }
  throw new Error('These tests need Chromium: apt-get install chromium, or CHROMIUM with the path of one.');
}
