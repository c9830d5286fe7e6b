import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply } from 'fastify';

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
/** Files that the page takes from the library, and no others. */
const ASSETS = { 'swagger-ui.css': 'text/css; charset=utf-8', 'swagger-ui-bundle.js': SCRIPT };

/** Headers of the page: nothing from elsewhere, no script in the page; pictures of the style sheet are data. */
const HEADERS = {
  'content-security-policy': [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self'`,
    `img-src 'self' data:`,
    `connect-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'public, max-age=3600',
};

// Addresses are relative: the gateway may stand behind a prefix.
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Messaging Gateway: API</title>
    <link rel="stylesheet" href="docs/swagger-ui.css" />
    <link rel="icon" href="data:," />
  </head>
  <body>
    <noscript>This page needs JavaScript. The description itself: <a href="openapi.yaml">openapi.yaml</a>.</noscript>
    <div id="api"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

/** The page asks no validator of other parties, and forgets a key that is typed in when it is closed. */
const START = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#api',
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  queryConfigEnabled: false,
});
`;

/** Serves `/docs`: the description as a page to browse, for everybody; it works without a network. */
export function serveDocsPage(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const answer = (reply: FastifyReply, type: string): FastifyReply => reply.headers(HEADERS).type(type);
  fastify.get('/docs', (_request, reply) => answer(reply, HTML).send(PAGE));
  fastify.get('/docs/start.js', (_request, reply) => answer(reply, SCRIPT).send(START));
  for (const [name, type] of Object.entries(ASSETS)) {
    const file = join(folder, name);
    fastify.get(`/docs/${name}`, (_request, reply) => answer(reply, type).send(createReadStream(file)));
  }
}
