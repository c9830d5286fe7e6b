import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SourceAnswer, Versions } from './versions.js';

const PIECE = Buffer.alloc(64 * 1024, 'x');

/** Answers as the platform's web site does, whose service worker and first page name the latest revision; false where it is another path. */
export function answerSource(
  versions: Versions,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const path = (request.url ?? '').split('?')[0];
  const { swRevision, pageRevision, swAnswer, pageAnswer } = versions.rules;
  if (path === '/sw.js') {
    versions.reads.sw += 1;
    answer(swAnswer, request, response, serviceWorker(swRevision));
  } else if (path === '/') {
    versions.reads.page += 1;
    answer(pageAnswer, request, response, firstPage(pageRevision));
  } else return false;
  return true;
}

function answer(how: SourceAnswer, request: IncomingMessage, response: ServerResponse, text: string): void {
  response.on('error', () => undefined);
  if (!looksLikeBrowser(request)) response.writeHead(400).end();
  else if (how === 'auto') response.writeHead(200, { 'content-type': 'text/plain' }).end(text);
  else if (how === 'garbage') response.writeHead(200).end('<html>client_revision of tomorrow</html>');
  else if (how === 'endless') pour(response.writeHead(200));
}

/** Says whether the request has the headers without which the platform answers 400. */
const looksLikeBrowser = ({ headers }: IncomingMessage): boolean =>
  headers['sec-fetch-site'] === 'none' && (headers['user-agent'] ?? '').startsWith('Mozilla/');

/** Writes for as long as somebody reads. */
function pour(response: ServerResponse): void {
  const write = (): void => {
    while (!response.destroyed && response.write(PIECE));
  };
  response.on('drain', write);
  write();
}

/** Writes the service worker, which has its data as JSON within a string. */
const serviceWorker = (revision: number): string =>
  `self.__swData=JSON.parse(${JSON.stringify(
    JSON.stringify({ dynamic_data: { SiteData: { server_revision: revision, client_revision: revision } } }),
  )});\n`;

const firstPage = (revision: number): string =>
  `<!DOCTYPE html><html><script>requireLazy([{"server_revision":${revision},"client_revision":${revision},"push_phase":"C3"}])</script></html>\n`;
