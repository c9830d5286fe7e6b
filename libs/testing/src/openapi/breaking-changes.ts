import {
  type ApiContent,
  type ApiDocument,
  type ApiOperation,
  apiOperations,
  type ApiParameter,
  type ApiResponse,
  parametersOf,
} from './api-document.js';
import { SchemaComparison } from './schema-comparison.js';

/**
 * Lists what a client that was written for the released description could no longer rely on, in words; empty: nothing. What may change is
 * said in docs/versioning.md.
 */
export function breakingChanges(released: ApiDocument, current: ApiDocument): string[] {
  return new Comparison(released, current).changes();
}

class Comparison {
  private readonly found: string[] = [];

  constructor(
    private readonly released: ApiDocument,
    private readonly current: ApiDocument,
  ) {}

  changes(): string[] {
    const now = new Map(apiOperations(this.current).map((operation) => [operation.route, operation]));
    for (const operation of apiOperations(this.released)) {
      const same = now.get(operation.route);
      if (same) this.compareOperations(operation, same);
      else this.found.push(`${operation.route}: the operation is gone`);
    }
    this.compareWebhooks();
    return this.found;
  }

  private compareOperations(before: ApiOperation, after: ApiOperation): void {
    const { route } = before;
    if (before.scope !== after.scope && after.scope !== 'any')
      this.found.push(`${route}: the scope was ${before.scope ?? 'none'} and is ${after.scope ?? 'none'}`);
    if (after.environment !== undefined && before.environment !== after.environment)
      this.found.push(`${route}: it exists in ${after.environment} alone now`);
    if (before.operationId !== after.operationId)
      this.found.push(`${route}: operationId was ${before.operationId} and is ${after.operationId}`);
    this.compareParameters(before, after);
    this.compareBodies(before, after);
    for (const [status, response] of Object.entries(before.responses)) {
      const same = after.responses[status];
      if (same) this.compareResponses(`${route} ${status}`, response, same);
      else this.found.push(`${route}: the answer ${status} is gone`);
    }
  }

  private compareParameters(before: ApiOperation, after: ApiOperation): void {
    for (const parameter of before.parameters) {
      const place = `${before.route} ${parameter.in} ${parameter.name}`;
      const same = after.parameters.find(
        ({ name, in: where }) => name === parameter.name && where === parameter.in,
      );
      if (!same) this.found.push(`${place}: the parameter is gone`);
      else this.compareSchemas('request', place, parameter, same);
    }
    const wasRequired = (name: string): boolean =>
      before.parameters.some((one) => one.name === name && one.required);
    for (const { name, required } of after.parameters) {
      if (required && !wasRequired(name))
        this.found.push(`${before.route}: the parameter ${name} is required now`);
    }
  }

  private compareBodies({ route, body: before }: ApiOperation, { body: after }: ApiOperation): void {
    if (after?.required && !before?.required) this.found.push(`${route}: a body is required now`);
    this.compareContents('request', `${route} body`, before?.content, after?.content);
  }

  private compareResponses(place: string, before: ApiResponse, after: ApiResponse): void {
    const required = Object.entries(before.headers ?? {}).filter(([, header]) => header.required);
    for (const [name] of Object.entries(before.headers ?? {})) {
      if (!after.headers?.[name]) this.found.push(`${place}: the header ${name} is gone`);
    }
    for (const [name] of required) {
      if (after.headers?.[name]?.required === false)
        this.found.push(`${place}: the header ${name} may be missing`);
    }
    this.compareContents('answer', place, before.content, after.content);
  }

  private compareContents(
    direction: 'request' | 'answer',
    place: string,
    before: Record<string, ApiContent> = {},
    after: Record<string, ApiContent> = {},
  ): void {
    for (const [type, content] of Object.entries(before)) {
      const same = after[type];
      if (!same) this.found.push(`${place}: the content type ${type} is gone`);
      else this.compareSchemas(direction, place, content, same);
    }
  }

  private compareWebhooks(): void {
    for (const [event, { post: before }] of Object.entries(this.released.webhooks ?? {})) {
      const after = this.current.webhooks?.[event]?.post;
      const place = `webhook ${event}`;
      if (after) {
        const [was, is] = [parametersOf(this.released, before), parametersOf(this.current, after)];
        this.found.push(...missingHeaders(place, was, is));
        this.compareContents('answer', place, before.requestBody?.content, after.requestBody?.content);
      } else this.found.push(`${place}: the event is gone`);
    }
  }

  private compareSchemas(
    direction: 'request' | 'answer',
    place: string,
    { schema: before = {} }: ApiContent,
    { schema: after = {} }: ApiContent,
  ): void {
    const comparison = new SchemaComparison(direction, this.released, this.current);
    this.found.push(...comparison.of(place, before, after));
  }
}

function missingHeaders(place: string, before: ApiParameter[], after: ApiParameter[]): string[] {
  const remains = ({ name, required }: ApiParameter): boolean =>
    after.some((one) => one.name === name && (one.required === true || required !== true));
  return before
    .filter((header) => !remains(header))
    .map(({ name }) => `${place}: the header ${name} is gone`);
}
