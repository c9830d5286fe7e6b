import { invalidField, invalidFields, unknownField } from '@svc/contracts';
import type { ToolRoute } from './tool-routes.js';
import { MOST_ITEMS } from './tools.js';

type Arguments = Readonly<Record<string, unknown>>;

/** A request to a route of the API. */
export interface RouteRequest {
  method: ToolRoute['method'];
  url: string;
  /** Body in JSON. */
  payload?: string;
}

/** Values that can stand in a path as they are: with others an address could become that of another route. */
const ID = /^[\w-]{1,100}$/;

/**
 * Writes the arguments of a tool as a request to its route. The rules of values are those of the route; here stands what it cannot see: whether
 * all arguments are of this tool, and what becomes part of an address.
 * @throws AppError `VALIDATION_FAILED` that names each argument.
 */
export function requestOf(route: ToolRoute, given: Arguments): RouteRequest {
  assertNames(route, given);
  const { tool, method, address } = route;
  const url = Object.entries(tool.path ?? {}).reduce(
    (path, [argument, parameter]) => path.replace(`{${parameter}}`, idIn(given, argument)),
    address,
  );
  const values = tool.takes
    .filter((name) => given[name] !== undefined)
    .map((name) => [name, given[name]] as const);
  if (method === 'POST') return { method, url, payload: JSON.stringify(Object.fromEntries(values)) };
  const query = new URLSearchParams(
    values.map(([name, value]): [string, string] => [name, textOf(name, value)]),
  );
  return { method, url: query.size > 0 ? `${url}?${query}` : url };
}

function assertNames({ inputSchema: { properties, required } }: ToolRoute, given: Arguments): void {
  const unknown = Object.keys(given).filter((field) => !Object.hasOwn(properties, field));
  const missing = required.filter((field) => given[field] === undefined);
  const problems = [
    ...unknown.map((field) => ({ field, rule: unknownField(field) })),
    ...missing.map((field) => ({ field, rule: `${field} is missing` })),
  ];
  if (problems.length > 0) throw invalidFields(problems);
}

function idIn(given: Arguments, argument: string): string {
  const value = given[argument];
  if (typeof value === 'string' && ID.test(value)) return value;
  throw invalidField(argument, `${argument} must be an id`);
}

function textOf(name: string, value: unknown): string {
  if (name === 'limit' && Number(value) > MOST_ITEMS)
    throw invalidField(name, `${name} must not be greater than ${MOST_ITEMS}`);
  if (['string', 'number', 'boolean'].includes(typeof value)) return String(value);
  throw invalidField(name, `${name} must be a string or a number`);
}
