// Writes docs/openapi.released.json, what clients of the last release rely on, from the built gateway: `node tools/release-api.mjs`.
// Run it when a release is made, never to get a test through (docs/versioning.md). Words and examples promise nothing and are left out.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { describeApi } from './sdk/pages.mjs';

const WORDS = new Set(['description', 'summary', 'example', 'examples']);
/** Names of fields and of responses are no keywords, whatever they are called. */
const NAMED = new Set([
  'properties',
  'responses',
  'headers',
  'parameters',
  'schemas',
  'paths',
  'webhooks',
  'mapping',
]);

const bare = (value, isNames = false) => {
  if (Array.isArray(value)) return value.map((one) => bare(one));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => isNames || !WORDS.has(key));
  return Object.fromEntries(entries.map(([key, inner]) => [key, bare(inner, !isNames && NAMED.has(key))]));
};

const { openapi, info, paths, webhooks, components } = await describeApi();
const { schemas, responses, headers, parameters } = components;
const released = {
  openapi,
  info: { version: info.version },
  paths,
  webhooks,
  components: { schemas, responses, headers, parameters },
};
const file = join(import.meta.dirname, '../docs/openapi.released.json');
writeFileSync(
  file,
  await format(JSON.stringify(bare(released)), { ...(await resolveConfig(file)), parser: 'json' }),
);
