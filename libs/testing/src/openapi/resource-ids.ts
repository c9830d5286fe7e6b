import type { ApiDocument, ApiOperation, JsonSchema } from './api-document.js';
import { resolveSchema } from './api-document.js';

/**
 * Ids of what one tenant has, by the segment of the path under which it is found: `sessions`, `api-keys`. Where one
 * operation needs a resource in another state, with what follows it: `messages/media`.
 */
export type ResourceIds = Record<string, string>;

/** Fields of bodies and queries that name a resource. */
const REFERENCES: Record<string, string> = {
  ...{ sessionId: 'sessions', rotates: 'api-keys', mediaId: 'media', endpointId: 'webhooks' },
  ...{ messageId: 'messages', messageIds: 'received', replyTo: 'messages' },
};

/** Parameters that name nothing of a tenant: a person, of whom the answer says what the caller has to do with them, and a name that each tenant gives. */
const OF_CALLER = ['phone', 'contact', 'name', 'server'];

/** Names the path parameters that are ids of resources of a tenant, with the resource: `{id: 'sessions'}`. */
export function idsInPath({ path }: ApiOperation): Record<string, string> {
  const found = [...path.matchAll(/([\w-]+)\/\{(\w+)\}/g)].map(([, segment = '', name = '']) => [
    name,
    segment,
  ]);
  return Object.fromEntries(found.filter(([name = '']) => !OF_CALLER.includes(name))) as Record<
    string,
    string
  >;
}

/** Writes the path with these ids in it. @throws Error for a resource without one: it needs a fixture. */
export function pathWithIds(operation: ApiOperation, ids: ResourceIds): string {
  const resources = idsInPath(operation);
  return operation.path.replace(/\{(\w+)\}([^{]*)/g, (_, name: string, rest: string) => {
    const resource = resources[name] ?? name;
    const id = ids[resource + rest] ?? ids[resource];
    if (id === undefined) throw new Error(`${operation.route}: no fixture for ${resource}`);
    return id + rest;
  });
}

/** Copies a value with these ids wherever one of its fields names a resource. */
export function withIds(value: unknown, ids: ResourceIds, field = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => withIds(item, ids, field));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, withIds(inner, ids, name)]),
    );
  }
  return typeof value === 'string' ? (ids[REFERENCES[field] ?? ''] ?? value) : value;
}

/** Names the fields of a JSON body, on its first level, that name a resource. */
export function referencesOf(document: ApiDocument, { body }: ApiOperation): string[] {
  const schema: JsonSchema = body?.content['application/json']?.schema ?? {};
  return Object.keys(resolveSchema(document, schema).properties ?? {}).filter((field) => REFERENCES[field]);
}

/** Finds the id of a resource that a field names. */
export function idFor(field: string, ids: ResourceIds): string | undefined {
  return ids[REFERENCES[field] ?? ''];
}
