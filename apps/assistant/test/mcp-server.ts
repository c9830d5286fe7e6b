import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  McpServer as LibraryServer,
  type Tool,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

/** A message that the server got. */
export interface GotMessage {
  headers: IncomingHttpHeaders;
  body: { id?: number; method: string; params?: Record<string, unknown> };
}

/** Result of a tool: texts, an object, or a failure. */
export interface ToolResult {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  [field: string]: unknown;
}

const PARAMETERS = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  ...{ type: 'object' as const, properties: { number: { type: 'string', maxLength: 10 } } },
  ...{ required: ['number'], additionalProperties: false },
};

/** An MCP server of a tenant on this machine, made with the official library. */
export class McpServer {
  readonly got: GotMessage[] = [];
  tools: Tool[] = [];
  result: (call: GotMessage) => ToolResult | Promise<ToolResult> = () => textOf('on its way');
  /** Answers instead of the library; false: the library does. */
  instead: (got: GotMessage, response: ServerResponse, request: IncomingMessage) => boolean = () => false;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<McpServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const mcp = new McpServer(server);
    mcp.reset();
    server.on('request', (request, response) => void mcp.answer(request, response));
    return mcp;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/mcp`;
  }

  /** Makes it the server that it was at first. */
  reset(): void {
    this.got.length = 0;
    this.tools = [
      { name: 'find_order', description: 'Finds an order.', inputSchema: PARAMETERS },
      { name: 'refund', description: 'Pays back.', inputSchema: PARAMETERS },
    ];
    this.result = () => textOf('on its way');
    this.instead = () => false;
  }

  /** Lists the calls of tools that came. */
  get calls(): GotMessage[] {
    return this.got.filter(({ body }) => body.method === 'tools/call');
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { headers, method = '' } = request;
    const text = Buffer.concat(chunks).toString();
    const got = { headers, body: (text ? JSON.parse(text) : { method }) as GotMessage['body'] };
    this.got.push(got);
    if (this.instead(got, response, request)) return;
    const asked = new Request(this.url, {
      ...{ method, headers: headers as Record<string, string> },
      ...(text ? { body: text } : {}),
    });
    const answer = await this.libraryAnswer(got, asked);
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  }

  private async libraryAnswer(got: GotMessage, asked: Request): Promise<Response> {
    const library = new LibraryServer({ name: 'shop', version: '1' }, { capabilities: { tools: {} } });
    library.server.setRequestHandler('tools/list', () => ({ tools: this.tools }));
    library.server.setRequestHandler('tools/call', () => this.result(got));
    const transport = new WebStandardStreamableHTTPServerTransport();
    await library.connect(transport);
    return transport.handleRequest(asked);
  }
}

/** Makes the result that is one text. */
export const textOf = (text: string): ToolResult => ({ content: [{ type: 'text', text }] });

/** Answers with JSON. */
export const json = (response: ServerResponse, text: string): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(text);
/** Begins to answer with a stream. */
export const stream = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });
/** Writes a result as JSON. */
export const resultOf = (body: GotMessage['body'], result: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id: body.id, result });
/** Writes to a stream without end. */
export function pour(response: ServerResponse, text: string, everyMs: number): void {
  stream(response);
  const timer = setInterval(() => response.write(text), everyMs);
  response.on('close', () => clearInterval(timer));
}
