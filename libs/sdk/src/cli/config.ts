/** Variables that the command reads where their option is left out. */
export type Variable = 'SVC_API_KEY' | 'SVC_BASE_URL' | 'SVC_SESSION_ID' | 'SVC_WEBHOOK_SECRET';

/** Reads a variable from the environment; an empty one counts as absent. */
export function readVariable(name: Variable): string | undefined {
  return process.env[name] || undefined;
}
