import { entry, type ErrorEntry } from './error-entry.js';

/** Errors of what a person decides on, where there is no such thing. */
export const NO_SUCH_WAITING = {
  DRAFT_NOT_FOUND: entry(
    404,
    false,
    'info',
    'There is no such draft, or its day is over.',
    'List the drafts that wait with GET /v1/drafts.',
  ),
  TOOL_CALL_NOT_FOUND: entry(
    404,
    false,
    'info',
    'There is no such call of a tool, or its day is over.',
    'List the calls that wait with GET /v1/tool-calls.',
  ),
} as const satisfies Record<string, ErrorEntry>;

/** Conflicts of the assistant. */
export const ASSISTANT_ERRORS = {
  ASSISTANT_CONFLICT: entry(
    409,
    false,
    'info',
    'The settings of this assistant have changed meanwhile.',
    'Read them again with GET /v1/sessions/:id/assistant, and apply the change to what they are now.',
  ),
  DRAFT_CONFLICT: entry(
    409,
    false,
    'info',
    'The draft does not wait any more.',
    'Read the message, which says why: GET /v1/drafts lists those that wait, and the conversation what was said meanwhile.',
  ),
  TOOL_CALL_CONFLICT: entry(
    409,
    false,
    'info',
    'The call of the tool cannot be decided on like that any more.',
    'Read the message, which says why: GET /v1/tool-calls lists the calls that wait.',
  ),
  TOOL_SERVER_NOT_FOUND: entry(
    404,
    false,
    'info',
    'You have no MCP server of this name.',
    'List yours with GET /v1/assistant/tool-servers.',
  ),
  TOOL_SERVER_CONFLICT: entry(
    409,
    false,
    'info',
    'The MCP server was changed meanwhile.',
    'Read it again with GET /v1/assistant/tool-servers/:name, and say what you want of it as it is now.',
  ),
  TOOL_SERVER_FAILED: entry(
    424,
    true,
    'info',
    'The MCP server did not list its tools.',
    'Read the message, which has what failed: nothing was changed. Look at the address, at its headers and into the log of that server.',
  ),
} as const satisfies Record<string, ErrorEntry>;
