import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, invalidField } from '@svc/contracts';
import { requestIdOf } from '@svc/service';

/** Answers what never becomes a request, and what Node would answer by itself, with the error body all the same. */
export function answerBrokenHttp(server: Server): void {
  server.removeAllListeners('clientError');
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || hasAnswered(socket)) socket.destroy();
    else refuse(socket, refusalOf(error));
  });
  server.on('connect', (request: IncomingMessage, socket: Duplex) =>
    refuse(socket, new AppError('METHOD_NOT_ALLOWED', 'This is no proxy.'), request),
  );
  // An expectation may be left unmet: the request is answered as it is.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    server.emit('request', request, response),
  );
}

/** Says whether an answer has begun on this connection, in whose middle nothing else may come. */
function hasAnswered(socket: Duplex): boolean {
  // Node's own handler finds it out in the same way.
  const { _httpMessage: answer } = socket as { _httpMessage?: ServerResponse };
  return !socket.writable || answer?.headersSent === true;
}

function refusalOf({ code }: NodeJS.ErrnoException): AppError {
  if (code === 'HPE_HEADER_OVERFLOW') return new AppError('HEADERS_TOO_LARGE');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AppError('REQUEST_TIMEOUT');
  return invalidField('request', 'request must be valid HTTP');
}

/** @param request as far as it could be read */
function refuse(
  socket: Duplex,
  refusal: AppError,
  request: Pick<IncomingMessage, 'headers'> = { headers: {} },
): void {
  const requestId = requestIdOf(request);
  const { code, message, meta } = refusal.toBody();
  const body = JSON.stringify({ code, message, requestId, meta });
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    'content-type: application/json; charset=utf-8',
    'cache-control: no-store',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
