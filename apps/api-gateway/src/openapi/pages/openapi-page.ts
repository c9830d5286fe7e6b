import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Document, isScalar, visit } from 'yaml';
import { openApiDocument } from '../document.js';

/** Brotli at its best takes a second of every start. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
/** Forms in which a page is kept, the one that is liked best first. */
const ENCODERS = {
  br: (text: string) => brotliCompressSync(text, BROTLI),
  gzip: (text: string) => gzipSync(text),
  identity: (text: string) => Buffer.from(text),
};
type Encoding = keyof typeof ENCODERS;
const ENCODINGS = Object.keys(ENCODERS) as Encoding[];

/** Serves `/openapi.json` and `/openapi.yaml`, for everybody (specification, "Versioning"), and returns the description. */
export function serveOpenApi(app: NestFastifyApplication, publicUrl: string | undefined): OpenAPIObject {
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  const document = openApiDocument(app, publicUrl);
  serve(fastify, '/openapi.json', 'application/json; charset=utf-8', JSON.stringify(document));
  serve(fastify, '/openapi.yaml', 'application/yaml; charset=utf-8', inYaml(document));
  return document;
}

/** Serves a text that stays the same as long as this process runs: it is compressed once. */
function serve(fastify: FastifyInstance, path: string, type: string, text: string): void {
  const etag = `W/"${createHash('sha256').update(text).digest('base64url')}"`;
  const forms = Object.fromEntries(ENCODINGS.map((name) => [name, ENCODERS[name](text)])) as Record<
    Encoding,
    Buffer
  >;
  fastify.get(path, (request, reply) => {
    void reply.headers({ etag, vary: 'accept-encoding', 'cache-control': 'no-cache' });
    if (isKnown(request, etag)) return reply.code(304).send();
    const encoding = encodingFor(request);
    if (encoding !== 'identity') void reply.header('content-encoding', encoding);
    return reply.type(type).send(forms[encoding]);
  });
}

/** Says whether the caller has the text already. A proxy may have made the tag a weak one, or left the mark of it out. */
function isKnown({ headers }: FastifyRequest, etag: string): boolean {
  const known = (headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim());
  return known.some((tag) => tag === '*' || tag === etag || `W/${tag}` === etag);
}

/** Chooses the smallest form that the caller takes; one with the weight 0 is refused. */
function encodingFor({ headers }: FastifyRequest): Encoding {
  const offers = String(headers['accept-encoding'] ?? '')
    .toLowerCase()
    .split(',');
  const taken = offers
    .map((offer) => offer.replace(/\s/g, ''))
    .filter((offer) => !/;q=0(\.0*)?$/.test(offer));
  const names = taken.map((offer) => offer.split(';')[0]);
  return ENCODINGS.find((name) => names.includes(name)) ?? 'identity';
}

/** Writes the description as people do: a list of words and a reference take one line. Readers of YAML 1.1 take nothing for a date or a boolean. */
export function inYaml(document: object): string {
  const yaml = new Document(document, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  visit(yaml, {
    Seq: (_, list) => {
      list.flow = list.items.every(isScalar);
    },
    Map: (_, map) => {
      map.flow = map.items.length === 1 && map.has('$ref');
    },
  });
  return yaml.toString({ lineWidth: 0, indentSeq: false, flowCollectionPadding: false });
}
