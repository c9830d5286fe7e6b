import type { OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CODES } from './answers.js';

type Json = Record<string, unknown>;
type Components = Record<string, Json | undefined>;
/** A part of an operation, in the object or list that holds it, with its name among the shared ones. */
interface Place {
  holder: Json;
  key: string;
  name: string;
}

/**
 * Moves the parts that operations have alike to `components`, and leaves references; then it takes away what nobody refers to: the
 * decorators see the contracts of operators too, which are no part of the public API.
 */
export function shareParts(document: OpenAPIObject): void {
  const components = (document.components ??= {}) as Components;
  const operations = operationsOf(document);
  const responses = operations.flatMap(({ responses }) => placesIn(responses));
  const answers = responses.map(({ holder, key }) => holder[key] as Json);
  const bodies = [...operations.map(({ requestBody }) => requestBody as Json | undefined), ...answers];
  const headers = answers.flatMap((answer) => placesIn(answer['headers']));
  share(components, 'headers', headers);
  share(components, 'examples', bodies.flatMap(examplesIn));
  share(components, 'responses', responses.flatMap(namedByCodes));
  const parameters = operations.flatMap(({ parameters }) => placesIn(parameters));
  share(components, 'parameters', parameters.map(namedAsSent));
  dropUnused(document);
}

/** Lists every operation, those of webhooks behind the others. */
function operationsOf({ paths, webhooks }: OpenAPIObject & { webhooks?: object }): Json[] {
  return [paths, webhooks ?? {}].flatMap((routes) =>
    Object.values(routes).flatMap((route) => Object.values(route as Json) as Json[]),
  );
}

/** Names the schemas that this refers to, and all that those refer to. */
export function schemasBelow(value: unknown, schemas: Json, found = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(value ?? null).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    schemasBelow(schemas[name], schemas, found);
  }
  return found;
}

function placesIn(holder: unknown): Place[] {
  const parts = (holder ?? {}) as Json;
  return Object.keys(parts).map((key) => ({ holder: parts, key, name: key }));
}

function examplesIn(body: Json | undefined): Place[] {
  const contents = Object.values((body?.['content'] ?? {}) as Record<string, Json>);
  return contents.flatMap(({ examples }) => placesIn(examples));
}

/** Names a refusal by its codes: `ValidationFailedOrQuotaConflict`, and that of every route `Errors`; answers are not shared. */
function namedByCodes({ holder, key }: Place): Place[] {
  if (key === 'default') return [{ holder, key, name: 'Errors' }];
  if (Number(key) < 400) return [];
  const codes = ((holder[key] as { [ERROR_CODES]?: string[] })[ERROR_CODES] ?? []).map((code) =>
    code.toLowerCase(),
  );
  const names = codes.map((code) =>
    code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase()),
  );
  return names.length > 0 ? [{ holder, key, name: names.join('Or') }] : [];
}

/** Names a parameter as it is sent, and an `id` in the path after what has it: `SessionId`. */
function namedAsSent({ holder, key }: Place): Place {
  const { name, description } = holder[key] as { name: string; description: string };
  const isId = name === 'id' && /^\w+ id\.$/.test(description);
  return { holder, key, name: isId ? description.replace(' id.', 'Id') : name };
}

/** Shares, of each name, the form that stands in the most places; others of that name stay where they are. */
function share(components: Components, kind: string, places: Place[]): void {
  const shared = (components[kind] ??= {});
  const own = places.filter(({ holder, key }) => !('$ref' in (holder[key] as object)));
  for (const [name, same] of grouped(own, (place) => place.name)) {
    const forms = grouped(same, ({ holder, key }) => JSON.stringify(holder[key]));
    const [most = []] = [...forms.values()].sort((one, other) => other.length - one.length);
    const [first] = most;
    if (!first || most.length === 1) continue;
    shared[name] = first.holder[first.key];
    for (const { holder, key } of most) holder[key] = { $ref: `#/components/${kind}/${name}` };
  }
}

function grouped(places: Place[], by: (place: Place) => string): Map<string, Place[]> {
  const groups = new Map<string, Place[]>();
  for (const place of places) groups.set(by(place), [...(groups.get(by(place)) ?? []), place]);
  return groups;
}

/** Takes away the schemas, then the examples, that no operation leads to. */
function dropUnused({ paths, webhooks, components }: OpenAPIObject & { webhooks?: object }): void {
  const { schemas = {}, examples = {}, ...others } = components as Record<string, Json>;
  const used = schemasBelow([paths, webhooks, others], schemas);
  for (const name of Object.keys(schemas)) if (!used.has(name)) delete schemas[name];
  const text = JSON.stringify([paths, webhooks, others]);
  for (const name of Object.keys(examples))
    if (!text.includes(`"#/components/examples/${name}"`)) delete examples[name];
}
