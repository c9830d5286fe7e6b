import { invalidField, type MediaRequest, type MessageBody } from '@svc/contracts';

/**
 * Says of an audio whether it is a voice note.
 * @throws AppError `VALIDATION_FAILED` where a file of another kind is to be one.
 */
export function voiceNoteOf({ kind, voice }: MediaRequest): Pick<MessageBody, 'isPtt'> {
  if (kind === 'audio') return { isPtt: voice ?? false };
  if (voice) throw invalidField('media.voice', 'media.voice is for audio only');
  return {};
}
