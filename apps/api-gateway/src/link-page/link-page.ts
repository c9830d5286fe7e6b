import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';

/** Folder of the page, two above this one, and above the bundle. */
const FOLDER = join(import.meta.dirname, '../../public/link-page');
const SCRIPT = 'text/javascript; charset=utf-8';
/** Files of the page by the last part of their address, which is no token: those are longer. */
const FILES = { 'page.js': SCRIPT, 'words.js': SCRIPT, 'page.css': 'text/css; charset=utf-8' };

/** Headers of the page: nothing from elsewhere, no script in the page, in no frame, and its address told to nobody. */
const HEADERS = {
  'content-security-policy': [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self'`,
    `img-src data:`,
    `connect-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
  'cache-control': 'no-store',
};

/** Serves `/link/:token`: the same page for every token. It asks by itself what the token is about, so that whoever loads it changes nothing. */
export function serveLinkPage(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  const serve = (path: string, file: string, type: string): void => {
    const text = readFileSync(join(FOLDER, file), 'utf8');
    fastify.get(path, (_request, reply) => reply.headers(HEADERS).type(type).send(text));
  };
  serve('/link/:token', 'page.html', 'text/html; charset=utf-8');
  for (const [file, type] of Object.entries(FILES)) serve(`/link/${file}`, file, type);
}
