import { must } from './llm-error.js';
import { modelOf } from './chat-request.js';

const FORMATS = ['json', 'text', 'verbose_json'] as const;
/** Bytes of a second of a voice note: 16 kbit/s. */
const BYTES_OF_SECOND = 2_000;
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** Request for the words of an audio file. */
export interface TranscriptionRequest {
  model: string;
  format: (typeof FORMATS)[number];
  language: string | null;
  prompt: string | null;
  file: { name: string; type: string; bytes: number };
  /** Words of the file: its own text where it is one. */
  words: string;
  seconds: number;
}

/** Reads a form with a file. @throws LlmError that names the field and its rule */
export async function transcriptionOf(body: Buffer, contentType: string): Promise<TranscriptionRequest> {
  const form = await new Response(body, { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => undefined);
  must(form !== undefined, 'body', 'must be multipart/form-data');
  const file = form.get('file');
  must(
    file !== null && typeof file !== 'string' && file.size > 0,
    'file',
    'must be a file that is not empty',
  );
  const format = FORMATS.find((one) => one === (form.get('response_format') ?? 'json'));
  must(format !== undefined, 'response_format', `must be one of ${FORMATS.join(', ')}`);
  must((form.get('stream') ?? 'false') === 'false', 'stream', 'must be false');
  const textOf = (field: string): string | null => (form.has(field) ? String(form.get(field)) : null);
  return {
    model: modelOf(form.get('model')),
    format,
    language: textOf('language'),
    prompt: textOf('prompt'),
    file: { name: file.name, type: file.type, bytes: file.size },
    words: wordsOf(Buffer.from(await file.arrayBuffer())),
    seconds: Math.ceil(file.size / BYTES_OF_SECOND),
  };
}

/** Writes the words of a file, in the form that was asked for: an object, or the words alone. */
export function transcriptOf(
  { format, language, seconds }: TranscriptionRequest,
  text: string,
): object | string {
  if (format === 'text') return `${text}\n`;
  const usage = { type: 'duration', seconds };
  if (format === 'json') return { text, usage };
  return {
    task: 'transcribe',
    language: language ?? 'english',
    duration: seconds,
    text,
    segments: [],
    usage,
  };
}

function wordsOf(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  const isText = !text.includes('\ufffd') && !CONTROL_CHARACTERS.test(text);
  return isText ? text.trim() : `A voice note of ${bytes.length} bytes`;
}
