import type {
  CallToolResult,
  Client,
  RequestOptions,
  StreamableHTTPClientTransport,
  Tool,
} from '@modelcontextprotocol/client';
import { Injectable } from '@nestjs/common';
import { ModelFailure, Models } from '../answers/model.js';
import { IDEMPOTENCY_KEY } from '../idempotency-key.js';
import { Exchange } from './exchange.js';

/** Key of what a call says beside its arguments: which one it is, and who the contact is. */
const META_KEY = 'svc/call';
/** Most pages of a list that are read. */
const MOST_PAGES = 8;

/** Loads the library with the first server: setting it up takes time, which an assistant without servers does not spend. */
const library = (): Promise<typeof import('@modelcontextprotocol/client')> =>
  import('@modelcontextprotocol/client');

/** Address of an MCP server, and how it is reached. */
export interface ServerAccess {
  url: string;
  headers: Record<string, string>;
  timeoutMs: number;
}

/** Call of a tool of a server. */
export interface ServerCall {
  /** Name that the server gives the tool. */
  tool: string;
  values: Record<string, unknown>;
  /** Facts that the gateway tells beside the arguments: the id of the call among them. */
  meta: { callId: string };
}

/** A connection for one piece of work, with the limits of its requests. */
interface Line {
  client: Client;
  options: RequestOptions;
}

/**
 * This class asks MCP servers of tenants by the official library. Each question has a client of its own, so nothing is kept between two; it offers the server
 * nothing to ask back, and goes out by the guarded way alone.
 */
@Injectable()
export class McpClients {
  constructor(private readonly models: Models) {}

  /** Reads which tools a server offers. @throws ModelFailure */
  list(access: ServerAccess): Promise<Tool[]> {
    return this.ask(access, undefined, async ({ client, options }) => {
      if (!client.getServerCapabilities()?.tools) return [];
      return (await client.listTools({}, options)).tools;
    });
  }

  /** Calls a tool. @returns its texts, or its object as JSON. @throws ModelFailure */
  call(access: ServerAccess, { tool: name, values, meta }: ServerCall, signal: AbortSignal): Promise<string> {
    return this.ask(access, signal, async ({ client, options }) => {
      const params = { name, arguments: values, _meta: { [META_KEY]: meta } };
      const headers = { [IDEMPOTENCY_KEY]: meta.callId };
      return textOf(await client.callTool(params, { ...options, headers }));
    });
  }

  private async ask<T>(
    { url, headers, timeoutMs }: ServerAccess,
    signal: AbortSignal | undefined,
    work: (line: Line) => Promise<T>,
  ): Promise<T> {
    const mcp = await library();
    const exchange = new Exchange(this.models.dispatcherFor({ isOperators: false }), timeoutMs, signal);
    const transport = new mcp.StreamableHTTPClientTransport(new URL(url), {
      fetch: exchange.fetch,
      requestInit: { headers: { ...headers, 'user-agent': 'svc' } },
    });
    const info = { name: 'messaging-gateway', version: '1' };
    const client = new mcp.Client(info, { capabilities: {}, listMaxPages: MOST_PAGES });
    const options = { signal: exchange.signal, timeout: timeoutMs };
    try {
      await client.connect(transport, options);
      return await work({ client, options });
    } catch (error) {
      if (error instanceof mcp.ProtocolError && !exchange.signal.aborted) throw failed();
      throw exchange.failureOf(error);
    } finally {
      void leave(client, transport, exchange);
    }
  }
}

/** Ends the session at the server, where it has begun one; nobody waits for it, and the time limit of the exchange holds for it, too. */
async function leave(
  client: Client,
  transport: StreamableHTTPClientTransport,
  exchange: Exchange,
): Promise<void> {
  await transport.terminateSession().catch(() => undefined);
  await client.close().catch(() => undefined);
  exchange.end();
}

/** Makes the failure of a server that says that it has not done what it was asked. */
const failed = (): ModelFailure => new ModelFailure('refused', 'TOOL_FAILED');

function textOf({ isError, content, structuredContent }: CallToolResult): string {
  if (isError) throw failed();
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  if (texts.length > 0) return texts.join('\n');
  return structuredContent === undefined ? '' : JSON.stringify(structuredContent);
}
