import { proto } from '@whiskeysockets/baileys';
import { boundedId } from '../stanzas/jids.js';

const { MEDIA_ALBUM, HD_VIDEO_DUAL_UPLOAD, HD_IMAGE_DUAL_UPLOAD, MOTION_PHOTO, HEVC_VIDEO_DUAL_UPLOAD } =
  proto.MessageAssociation.AssociationType;
/** Ties of a file to the same one in another quality: whoever has told the first one has told it. */
const COPIES: ReadonlySet<unknown> = new Set([
  HD_VIDEO_DUAL_UPLOAD,
  HD_IMAGE_DUAL_UPLOAD,
  MOTION_PHOTO,
  HEVC_VIDEO_DUAL_UPLOAD,
]);

/** Reads how a message belongs to another one: as a part of its album, or as a copy of its file. The envelope may say so, or what is in it. */
export function associationIn(messages: proto.IMessage[]): { albumOf?: string; isCopy: boolean } {
  const ties = messages.flatMap(({ messageContextInfo }) => messageContextInfo?.messageAssociation ?? []);
  const { associationType, parentMessageKey } = ties[0] ?? {};
  if (!parentMessageKey?.id) return { isCopy: false };
  if (associationType !== MEDIA_ALBUM) return { isCopy: COPIES.has(associationType) };
  return { albumOf: boundedId(parentMessageKey.id), isCopy: false };
}
