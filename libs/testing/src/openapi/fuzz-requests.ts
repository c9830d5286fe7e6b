import {
  type ApiContent,
  type ApiDocument,
  type ApiOperation,
  apiOperations,
  type ApiParameter,
  contentExamples,
} from './api-document.js';
import { FuzzValues, HOSTILE_TEXTS, pick, type Random } from './fuzz-values.js';
import { idFor, idsInPath, type ResourceIds, withIds } from './resource-ids.js';

/** Resources of a tenant that a request names. */
export interface FuzzWorld {
  key: string;
  own: ResourceIds;
  foreign: ResourceIds;
}

/** A request that was made up. */
export interface FuzzRequest {
  operation: ApiOperation;
  method: string;
  /** Path of the request with its query. */
  target: string;
  headers: Record<string, string>;
  body?: string;
}

/** Takes what it names away: own things rarely, or there would soon be nothing left to ask for. */
const ENDS_THINGS = /^DELETE|\/(logout|disconnect)$/;
const JSON_TYPE = 'application/json';
/** Bodies for operations that take none. */
const NEEDLESS_BODIES = ['{}', '{"a":1}', '[]', '{', 'null', ''];
const BOUNDARY = 'svc-fuzz';
const FORM_TYPE = 'multipart/form-data';
const FORM = [
  `--${BOUNDARY}`,
  'content-disposition: form-data; name="file"; filename="offer.pdf"',
  'content-type: application/pdf',
  '',
  'a file',
  `--${BOUNDARY}--`,
  '',
].join('\r\n');
const ODD_TYPES = [
  'text/plain',
  'application/json; charset=utf-16',
  'multipart/form-data',
  '',
  'application/xml',
];
const ODD_HEADERS = ['accept', 'accept-language', 'x-request-id', 'if-none-match', 'range', 'last-event-id'];

/** Makes up requests from a description: fitting ones, and such with something broken in path, query, header or body. */
export class FuzzRequests {
  private readonly operations: ApiOperation[];
  private readonly values: FuzzValues;

  constructor(
    private readonly document: ApiDocument,
    private readonly random: Random,
  ) {
    this.operations = apiOperations(document);
    this.values = new FuzzValues(document, random);
  }

  next(world: FuzzWorld): FuzzRequest {
    const operation = pick(this.random, this.operations);
    const place = this.chance(0.5)
      ? 'nothing'
      : pick(this.random, ['path', 'query', 'header', 'body', 'body']);
    const body = operation.method === 'GET' ? undefined : this.body(operation, world, place === 'body');
    return {
      operation,
      method: operation.method,
      target: this.path(operation, world, place === 'path') + this.query(operation, world, place === 'query'),
      headers: this.headers(world, body === undefined ? undefined : typeOf(operation), place === 'header'),
      ...(body === undefined ? {} : { body }),
    };
  }

  private path(operation: ApiOperation, world: FuzzWorld, isBroken: boolean): string {
    const resources = idsInPath(operation);
    return operation.path.replace(/\{(\w+)\}([^{]*)/g, (_, name: string, rest: string) => {
      const resource = resources[name] ?? name;
      const id = world.own[resource + rest] ?? world.own[resource];
      const segment = isBroken
        ? this.brokenSegment(id ?? '', world.foreign[resource])
        : this.segment(operation, name, id);
      return encodeURIComponent(segment || 'x') + rest;
    });
  }

  private segment({ method, path, parameters }: ApiOperation, name: string, id: string | undefined): string {
    const isSpared = ENDS_THINGS.test(method + path) && !this.chance(0.004);
    if (id !== undefined && !isSpared) return id;
    const schema = parameters.find((one) => one.in === 'path' && one.name === name)?.schema;
    return String(this.values.fitting(schema ?? {}));
  }

  private brokenSegment(id: string, foreign: string | undefined): string {
    const texts = HOSTILE_TEXTS.filter((text) => text !== '' && text !== '\ud800');
    const changed = [`${id}0`, id.slice(1) || 'x', ` ${id}`, foreign ?? 'x'];
    return pick(this.random, [...changed, foreign ?? 'x', pick(this.random, texts)]);
  }

  private query({ parameters }: ApiOperation, world: FuzzWorld, isBroken: boolean): string {
    const allowed = parameters.filter(({ in: place }) => place === 'query');
    const chosen = allowed.filter(({ required }) => required === true || this.chance(0.35));
    const search = new URLSearchParams(
      chosen.map((one): [string, string] => [one.name, this.inQuery(one, world)]),
    );
    if (isBroken) {
      const name = allowed.length > 0 && this.chance(0.9) ? pick(this.random, allowed).name : 'unknown';
      search[this.chance(0.7) ? 'set' : 'append'](name, pick(this.random, HOSTILE_TEXTS));
    }
    const text = search.toString();
    return text && `?${text}`;
  }

  private inQuery({ name, schema, example }: ApiParameter, world: FuzzWorld): string {
    const id = idFor(name, world.own);
    if (id !== undefined && this.chance(0.8)) return id;
    // The gateway alone makes a cursor that fits.
    return String(example ?? this.values.fitting(schema));
  }

  private headers({ key }: FuzzWorld, type: string | undefined, isBroken: boolean): Record<string, string> {
    const headers = {
      authorization: `Bearer ${key}`,
      ...(type === undefined ? {} : { 'content-type': type }),
    };
    if (!isBroken) return headers;
    if (this.chance(0.1))
      return { ...headers, authorization: pick(this.random, ['', 'Bearer', `Basic ${key}`]) };
    if (type !== undefined && this.chance(0.3))
      return { ...headers, 'content-type': pick(this.random, ODD_TYPES) };
    const text = pick(this.random, HOSTILE_TEXTS).replace(/[^\x20-\x7e]/g, '?');
    return { ...headers, [pick(this.random, ODD_HEADERS)]: text };
  }

  private body({ body }: ApiOperation, world: FuzzWorld, isBroken: boolean): string | undefined {
    if (body?.content[FORM_TYPE]) return isBroken ? this.brokenText(FORM) : FORM;
    const content = body?.content[JSON_TYPE];
    if (!content) return isBroken ? pick(this.random, NEEDLESS_BODIES) : undefined;
    const made = this.made(content);
    const value = this.chance(0.9) ? withIds(made, world.own) : made;
    if (!isBroken) return JSON.stringify(value);
    const text = JSON.stringify(this.values.broken(value));
    return this.chance(0.9) ? text : this.brokenText(text);
  }

  private made(content: ApiContent): unknown {
    const examples = contentExamples(this.document, content);
    const isExample = examples.length > 0 && this.chance(0.3);
    return isExample ? pick(this.random, examples)[1] : this.values.fitting(content.schema ?? {});
  }

  private brokenText(text: string): string {
    const at = Math.floor(this.random() * text.length);
    return (
      text.slice(0, at) +
      pick(this.random, ['', '"', '{', ']', ',', '\\u0000', '\\ud800']) +
      text.slice(at + 1)
    );
  }

  private chance(share: number): boolean {
    return this.values.chance(share);
  }
}

function typeOf({ body }: ApiOperation): string {
  return body?.content[FORM_TYPE] ? `${FORM_TYPE}; boundary=${BOUNDARY}` : JSON_TYPE;
}
