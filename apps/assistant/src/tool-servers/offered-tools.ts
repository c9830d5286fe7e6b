import type { Tool } from '@modelcontextprotocol/client';
import { calledToolOf, type OfferedTool } from '@svc/contracts';
import { problemWithParameters } from '../parameters.js';
import { storable } from '../storable.js';

/** Most tools that are kept of a server, most characters of what it calls one and says of it, and most bytes of all. */
const MOST_TOOLS = 100;
const NAME_MAX = 128;
const DESCRIPTION_MAX = 1_000;
const MOST_BYTES = 500_000;
/** Characters as JSON writes them that the database does not take. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/i;

/** Makes of the list of a server what is kept of it: the tools that models may call first, each usable or with the reason why not. */
export function offeredTools(server: string, allow: string[], listed: Tool[]): OfferedTool[] {
  const byName = new Map(listed.toReversed().map((tool) => [tool.name, tool]));
  const allowed = allow.map((name) => allowedTool(server, name, byName.get(name)));
  const others = [...byName.values()].toReversed().filter(({ name }) => !allow.includes(name));
  const all = [...allowed, ...others.slice(0, MOST_TOOLS).map(otherTool)];
  return withinBytes(all.slice(0, MOST_TOOLS));
}

function allowedTool(server: string, name: string, listed: Tool | undefined): OfferedTool {
  if (!listed) return unusable(name, '', 'The server does not offer it.');
  // Most servers name the dialect; the keywords that are taken mean the same in each.
  const { $schema: _, ...parameters } = listed.inputSchema;
  const problem = problemWithSchema(parameters);
  const description = descriptionOf(listed);
  if (problem !== undefined) return unusable(name, description, `Its inputSchema ${problem}.`);
  const tool = calledToolOf(server, name) ?? null;
  return { name, description, usable: true, tool, problem: null, parameters };
}

function problemWithSchema(schema: Record<string, unknown>): string | undefined {
  const problem = problemWithParameters(schema);
  if (problem !== undefined) return problem;
  return UNSTORABLE.test(JSON.stringify(schema)) ? 'must not have the character 0 or half a sign' : undefined;
}

function otherTool(listed: Tool): OfferedTool {
  const name = storable(listed.name.slice(0, NAME_MAX));
  return unusable(name, descriptionOf(listed), 'It is not in allow.');
}

const descriptionOf = ({ description, title, name }: Tool): string =>
  storable((description ?? title ?? name).slice(0, DESCRIPTION_MAX));

const unusable = (name: string, description: string, problem: string): OfferedTool => ({
  ...{ name, description, usable: false, tool: null, problem, parameters: null },
});

/** Leaves out what there is no room for: a message between services holds so much. */
function withinBytes(tools: OfferedTool[]): OfferedTool[] {
  let bytes = 0;
  return tools.map((tool) => {
    const size = Buffer.byteLength(JSON.stringify(tool));
    bytes += size;
    if (bytes <= MOST_BYTES) return tool;
    bytes -= size;
    return unusable(
      tool.name,
      '',
      'There is no room for it: the tools of this server are too long together.',
    );
  });
}
