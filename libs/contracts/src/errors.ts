/** One row of the error catalogue. */
export interface ErrorEntry {
  /** HTTP status of the answer. */
  status: number;
  /** The same call may succeed later without a change by the caller. */
  retryable: boolean;
  /** Level at which a service logs it. */
  log: 'debug' | 'info' | 'warn' | 'error';
  /** Default message: what is wrong, for a person. */
  summary: string;
  /** Remedy of the caller. */
  remedy: string;
}

const entry = (
  status: number,
  retryable: boolean,
  log: ErrorEntry['log'],
  summary: string,
  remedy: string,
): ErrorEntry => ({ status, retryable, log, summary, remedy });

/**
 * Errors that a customer or a service can meet, by code, in the order of `docs/errors.md`, which is generated from it. Codes of the
 * specification keep its status; the others are named after what the caller can do about them.
 */
export const ERROR_CATALOGUE = {
  VALIDATION_FAILED: entry(
    400,
    false,
    'info',
    'The request is not valid.',
    'Correct the fields that meta.fields names and send the request again.',
  ),
  SESSION_NOT_CONNECTED: entry(
    400,
    true,
    'info',
    'The session is not connected to the platform.',
    'Connect the session, wait for session.connected, then send again.',
  ),
  UNAUTHENTICATED: entry(
    401,
    false,
    'info',
    'The API key is missing, unknown, expired or revoked.',
    'Send a valid key as "Authorization: Bearer <API key>".',
  ),
  PAYMENT_REQUIRED: entry(
    402,
    false,
    'info',
    'The subscription of this tenant is not active.',
    'Renew the subscription; sending works again within seconds.',
  ),
  FORBIDDEN: entry(
    403,
    false,
    'info',
    'This resource belongs to another tenant, or the key lacks the scope.',
    'Use a key of the tenant that owns the resource, with the scope that the route names.',
  ),
  TENANT_SUSPENDED: entry(
    403,
    false,
    'info',
    'This tenant is suspended by the operator.',
    'Ask the operator; sends and deliveries that were accepted before wait meanwhile.',
  ),
  SANDBOX_ONLY: entry(
    403,
    false,
    'info',
    'This route exists in the sandbox only, and the key is a live one.',
    'Use a key that begins with rk_test_: POST /v1/api-keys {"environment": "TEST", "rotates": null} makes one.',
  ),
  LIVE_ONLY: entry(
    403,
    false,
    'info',
    'This does not exist in the sandbox.',
    'Use a key that begins with rk_live_.',
  ),
  ORIGIN_NOT_ALLOWED: entry(
    403,
    false,
    'debug',
    'This widget is not for pages of this origin.',
    'Add the origin of the page to allowedOrigins: PATCH /v1/widgets/:id.',
  ),
  DEVELOPMENT_ONLY: entry(
    403,
    false,
    'warn',
    'This operation exists only in development mode.',
    'Run the service with SVC_MODE=development; never do so in production.',
  ),
  NOT_FOUND: entry(404, false, 'debug', 'There is no such route.', 'Check the path against /openapi.yaml.'),
  TENANT_NOT_FOUND: entry(
    404,
    false,
    'info',
    'There is no such tenant.',
    'List tenants with the operator command.',
  ),
  WIDGET_NOT_FOUND: entry(
    404,
    false,
    'debug',
    'There is no such widget.',
    'List your widgets with GET /v1/widgets.',
  ),
  SESSION_NOT_FOUND: entry(
    404,
    false,
    'info',
    'There is no such session.',
    'List your sessions with GET /v1/sessions.',
  ),
  MESSAGE_NOT_FOUND: entry(
    404,
    false,
    'info',
    'There is no such message.',
    'Check the job id that the send returned.',
  ),
  CONVERSATION_NOT_FOUND: entry(
    404,
    false,
    'info',
    'There is no such conversation.',
    'List your conversations with GET /v1/conversations.',
  ),
  CONTACT_NOT_FOUND: entry(
    404,
    false,
    'info',
    'Nothing is kept of this contact.',
    'Check the phone number or address; a contact is there from the first message on.',
  ),
  ERASURE_NOT_FOUND: entry(
    404,
    false,
    'info',
    'There is no such erasure.',
    'Check the id that DELETE /v1/contacts/:contact returned; the audit log names it too.',
  ),
  ENDPOINT_NOT_FOUND: entry(
    404,
    false,
    'info',
    'There is no such webhook endpoint.',
    'List your endpoints with GET /v1/webhooks.',
  ),
  DELIVERY_NOT_FOUND: entry(
    404,
    false,
    'info',
    'There is no such delivery.',
    'List the deliveries of an endpoint with GET /v1/webhooks/:id/deliveries.',
  ),
  REPLAY_NOT_FOUND: entry(
    404,
    false,
    'info',
    'There is no such replay.',
    'Check the id that POST /v1/webhooks/:id/replay returned.',
  ),
  API_KEY_NOT_FOUND: entry(
    404,
    false,
    'info',
    'There is no such API key.',
    'List your keys with GET /v1/api-keys.',
  ),
  MEDIA_NOT_FOUND: entry(
    404,
    false,
    'info',
    'This message has no file.',
    'Look at media of the message: it is null where there is none.',
  ),
  METHOD_NOT_ALLOWED: entry(
    405,
    false,
    'debug',
    'The route exists, but not with this method.',
    'Check the method against /openapi.yaml.',
  ),
  REQUEST_TIMEOUT: entry(
    408,
    true,
    'debug',
    'The request did not come in time.',
    'Send it again: its headers within 30 seconds, and all of it within two minutes.',
  ),
  CONTACT_CONFLICT: entry(
    409,
    true,
    'info',
    'This contact is being erased at this moment.',
    'Wait until the erasure is done: GET /v1/erasures/:id shows it.',
  ),
  TENANT_STATE_CONFLICT: entry(
    409,
    false,
    'info',
    'The tenant does not allow this as it is.',
    'Do what the message says; the operator command "tenants list" shows how things stand.',
  ),
  SUBSCRIPTION_CONFLICT: entry(
    409,
    false,
    'info',
    'The subscription does not allow this as it is.',
    'Do what the message says; GET /v1/subscription shows how things stand.',
  ),
  QR_CONFLICT: entry(
    409,
    true,
    'debug',
    'There is no QR code to show at this moment.',
    'Check the status of the session: connect it first, or wait while it is CONNECTING.',
  ),
  SESSION_STATE_CONFLICT: entry(
    409,
    false,
    'info',
    'The session does not allow this as it is.',
    'Do what the message says; a bound endpoint changes with PUT /v1/sessions/:id/external-config.',
  ),
  ENDPOINT_CONFLICT: entry(
    409,
    true,
    'debug',
    'A test of this endpoint is under way.',
    'Wait for its answer, 15 seconds at most, and try again.',
  ),
  API_KEY_CONFLICT: entry(
    409,
    true,
    'info',
    'The key was replaced a moment ago, by another call.',
    'Use the key that the other call got; where nobody has it, ask again after two seconds.',
  ),
  ALREADY_LINKED: entry(
    409,
    false,
    'info',
    'The session is linked to a number already.',
    'Connect it with POST /v1/sessions/:id/connect, or unlink it first with POST /v1/sessions/:id/logout.',
  ),
  DEVICE_NAME_REFUSED: entry(
    409,
    false,
    'error',
    'The platform does not take the name that the gateway gives its device.',
    'Link by QR code instead, and report it: the operator has to change the gateway.',
  ),
  CALL_NOT_RINGING: entry(
    409,
    false,
    'debug',
    'The call does not ring, or not any more.',
    'Nothing has to be done: it was answered, rejected or given up, or the session has connected since.',
  ),
  MESSAGE_STATE_CONFLICT: entry(
    409,
    false,
    'info',
    'The message is on its way already, or has come to its end.',
    'Look at meta.status, or at GET /v1/messages/:jobId; what was sent is taken back by a send with delete.',
  ),
  DELIVERY_STATE_CONFLICT: entry(
    409,
    true,
    'info',
    'The delivery is on its way.',
    'Wait until it is DELIVERED or DEAD; a held one goes out when its endpoint is active again.',
  ),
  REPLAY_CONFLICT: entry(
    409,
    true,
    'info',
    'Another replay of this endpoint is running.',
    'Follow it with GET /v1/replays/:id under meta.replayId, then ask again.',
  ),
  QUOTA_CONFLICT: entry(
    409,
    false,
    'info',
    'The tenant has as much of this as it may have.',
    'Delete some of what meta.quota names: files, endpoints, keys or widgets. GET /v1/limits shows what is used and left.',
  ),
  AUDIT_LOG_CONFLICT: entry(
    409,
    false,
    'error',
    'An audit log is not what was written.',
    'Look at meta.breaks, which name tenant and place of the first wrong entry; compare with a copy, and find out who can write there.',
  ),
  CURSOR_EXPIRED: entry(
    410,
    false,
    'info',
    'The event of this cursor is not kept any more, and later ones may be gone with it.',
    'Read the log without a cursor, and compare with what you have: events in between may be missing.',
  ),
  MEDIA_GONE: entry(
    410,
    false,
    'info',
    'The file of this message is not here.',
    'Ask the sender to send it again; meta.reason says why it is missing.',
  ),
  PAYLOAD_TOO_LARGE: entry(413, false, 'info', 'The body is larger than allowed.', 'Send a smaller body.'),
  UNSUPPORTED_MEDIA_TYPE: entry(
    415,
    false,
    'info',
    'The content type of the body is not accepted here.',
    'Send JSON with content-type: application/json; an upload is multipart/form-data.',
  ),
  RATE_LIMITED: entry(
    429,
    true,
    'info',
    'A limit is used up: messages a day, sessions of the plan, requests a second, messages that wait, or new chats that the platform allows.',
    'Wait for as many seconds as Retry-After says; meta names the layer (session, plan, request, platform, schedule, erasure), the limit or reason, when it resets.',
  ),
  HEADERS_TOO_LARGE: entry(
    431,
    false,
    'debug',
    'The headers of the request are larger than allowed.',
    'Send fewer or shorter headers: 16 KB of them are taken.',
  ),
  INTERNAL: entry(
    500,
    true,
    'error',
    'Something went wrong on our side.',
    'Try again with the same clientMessageId; report the requestId if it persists.',
  ),
  PLATFORM_UNAVAILABLE: entry(
    503,
    true,
    'warn',
    'The platform did not answer in time.',
    'Try again after the number of seconds in Retry-After.',
  ),
  SANDBOX_UNAVAILABLE: entry(
    503,
    true,
    'warn',
    'The sandbox is not available.',
    'Try again later; an installation has a sandbox where SANDBOX_PLATFORM_URL and SANDBOX_CONTROL_URL are set.',
  ),
  UPSTREAM_UNAVAILABLE: entry(
    503,
    true,
    'warn',
    'A part of the gateway is not available at this moment.',
    'Try again after the number of seconds in Retry-After, with the same clientMessageId.',
  ),
  UPSTREAM_TIMEOUT: entry(
    504,
    true,
    'warn',
    'A part of the gateway did not answer in time.',
    'Try again with the same clientMessageId: a repeat never sends twice.',
  ),
} as const satisfies Record<string, ErrorEntry>;

/** Code of the catalogue. */
export type ErrorCode = keyof typeof ERROR_CATALOGUE;
