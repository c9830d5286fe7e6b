/** Introduction of the description. */
export const DESCRIPTION = `Links phone numbers to your software: send over REST, hear over signed webhooks.

Every response carries \`x-request-id\`. A request may bring one of its own, 1 to 128 letters, digits and \`._-\`, and gets it back; one of another form is replaced. Errors have one shape, whatever went wrong: \`{code, message, requestId, meta}\`.
Bodies are JSON of up to 1 MiB; a field that is not described is refused, and so is a parameter of a query. In a change (PATCH) null is taken where the description says what it means. Times are ISO 8601 in UTC. Lists take \`limit\` and \`before\` and return \`nextCursor\`; the event log goes forward and takes \`after\`.
Send with a \`clientMessageId\`: repeating it is always safe.

Where an answer or an event names one of several values, \`x-extensible-enum\` lists those of today. More may come within \`/v1\`, so take one that you do not know, too: an error by its status, a status as "not over yet", a kind of content as \`unsupported\`.`;

// The specification lets `webhooks:manage` create webhooks, and webhooks have every event.
/** Description of the keys, with what each scope may do. */
export const SCOPES_DESCRIPTION = `An API key: \`Authorization: Bearer rk_live_…\`. Each route names the scope it needs; \`any\`: every key may use it.

- \`messages:send\`: send messages and upload files.
- \`messages:read\`: read messages, conversations, events and limits.
- \`webhooks:manage\`: create, read, change and delete webhooks. An endpoint can hear every event of every session, with what was said: whoever may make one may hear everything, so this scope is as strong as \`messages:read\`.
- \`admin:*\`, \`*\`: all of it, and keys, sessions, widgets and the subscription.`;

/** Subjects of the routes, in the order of the page. */
export const TAGS = {
  messages: 'Send messages, read what became of them, and their files.',
  conversations: 'Messages by session and contact.',
  contacts: 'All that is kept of one person: read, export, erase.',
  sessions: 'One session is one phone number: link it, connect it, say who answers.',
  assistant:
    'Language models that answer MANAGED sessions: which ones, how, and what became of each message.',
  webhooks: 'Endpoints that receive events as signed POSTs; `createWebhook` says how they behave.',
  deliveries: 'What became of every event and endpoint; replays.',
  events: 'The log of your events, to read or to follow.',
  limits: 'What may still be sent, and how a session comes to a higher daily limit.',
  usage: 'What was used in a month, and what it costs.',
  subscription: 'Plan and state, and the pages of the payment provider.',
  widgets: 'Buttons for your pages that open a chat with a session.',
  'api keys': 'Keys of your tenant.',
  'audit log': 'Who changed what.',
  mcp: 'Tools for outside agents: what they may read and send.',
  sandbox: 'What phones and contacts do, for test keys: no person and no platform is involved.',
} as const;
