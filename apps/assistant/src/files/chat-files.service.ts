import { Inject, Injectable } from '@nestjs/common';
import type { AssistantSettings } from '@svc/contracts';
import { MEDIA_STORE, type MediaStore, signatureOf } from '@svc/media-store';
import type { ChatFiles, Said } from '../answers/prompt.js';
import { bytesOf } from './bytes.js';
import { FileTexts, UnreadableFile } from './file-texts.js';

const PICTURES_MAX = 4;
const PICTURE_BYTES_MAX = 3_000_000;
/** Most bytes of pictures in one question: servers refuse larger ones. */
const QUESTION_MAX = 6_000_000;
/** Types of pictures that the providers take. */
const PICTURE_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif'];
/** Most bytes of pictures that one process holds at a time, and of one tenant: they are held for as long as the model takes. */
const HELD_MAX = 48_000_000;
const HELD_OF_TENANT_MAX = 24_000_000;
const DOCUMENTS_MAX = 2;
/** Longest wait for the files of others: what is not read by then stays the words for it. */
const WAIT_MAX_MS = 20_000;
/** Characters of a document that the model reads. */
const DOCUMENT_TEXT_MAX = 6_000;

/** Files of a conversation, with the room that they take. */
export interface OpenFiles extends ChatFiles {
  /** Gives back the room that the pictures take. */
  close: () => void;
}

/** Room for the pictures of one turn. */
interface Room {
  /** Takes room for a picture. @returns false where the question has as many as it may. @throws RoomIsTaken */
  take: (bytes: number) => boolean;
  close: () => void;
}

/** Ends the reading of pictures for which there is no room at this moment. */
class RoomIsTaken extends Error {}

/** This service reads what a contact has sent beside texts, for a model to answer it. A file that is gone or broken stays the words for it. */
@Injectable()
export class ChatFilesService {
  private held = 0;
  private readonly heldBy = new Map<string, number>();

  constructor(
    @Inject(MEDIA_STORE) private readonly store: MediaStore,
    private readonly texts: FileTexts,
  ) {}

  /**
   * Reads the files of the newest messages, as the settings say.
   * @param takesPictures whether who is asked can be given any
   * @returns undefined where other turns hold the room for pictures
   * @throws AppError `UPSTREAM_UNAVAILABLE`: the store cannot be reached
   */
  async open(
    tenantId: string,
    said: Said[],
    { readPictures, readDocuments, historyMessages }: AssistantSettings,
    takesPictures: boolean,
  ): Promise<OpenFiles | undefined> {
    const newest = [...said].sort((a, b) => b.at.getTime() - a.at.getTime()).slice(0, historyMessages);
    const idsOf = (type: string, most: number): string[] =>
      newest.flatMap(({ id, isOwn, body }) => (!isOwn && body.type === type ? id : [])).slice(0, most);
    const pictureIds = readPictures && takesPictures ? idsOf('image', PICTURES_MAX) : [];
    const documentIds = readDocuments ? idsOf('document', DOCUMENTS_MAX) : [];
    const room = this.openRoom(tenantId);
    try {
      // Texts come first: they may wait for others, and pictures hold room meanwhile.
      const texts = await mapOf(documentIds, (id) => this.textOf(tenantId, id));
      const pictures = await mapOf(pictureIds, (id) => this.pictureOf(id, room));
      return { pictures, texts, close: room.close };
    } catch (error) {
      room.close();
      if (error instanceof RoomIsTaken) return undefined;
      throw error;
    }
  }

  private openRoom(tenantId: string): Room {
    let own = 0;
    return {
      take: (bytes) => {
        if (own + bytes > QUESTION_MAX) return false;
        const ofTenant = (this.heldBy.get(tenantId) ?? 0) + bytes;
        if (this.held + bytes > HELD_MAX || ofTenant > HELD_OF_TENANT_MAX) throw new RoomIsTaken();
        this.hold(tenantId, bytes);
        own += bytes;
        return true;
      },
      close: () => this.hold(tenantId, -own),
    };
  }

  private hold(tenantId: string, bytes: number): void {
    this.held += bytes;
    const ofTenant = (this.heldBy.get(tenantId) ?? 0) + bytes;
    if (ofTenant > 0) this.heldBy.set(tenantId, ofTenant);
    else this.heldBy.delete(tenantId);
  }

  private async pictureOf(id: string, room: Room): Promise<string | undefined> {
    const isTaken = (bytes: number): boolean => bytes <= PICTURE_BYTES_MAX && room.take(bytes);
    const bytes = await bytesOf(await this.store.get(id), isTaken);
    if (!bytes) return undefined;
    const type = (await signatureOf(bytes))?.mimeType ?? '';
    return PICTURE_TYPES.includes(type) ? `data:${type};base64,${bytes.toString('base64')}` : undefined;
  }

  private async textOf(tenantId: string, id: string): Promise<string | undefined> {
    try {
      return (await this.texts.read(tenantId, id, WAIT_MAX_MS)).slice(0, DOCUMENT_TEXT_MAX).toWellFormed();
    } catch (error) {
      if (error instanceof UnreadableFile) return undefined;
      throw error;
    }
  }
}

/** Reads one after the other, and leaves out what cannot be read. */
async function mapOf(
  ids: string[],
  read: (id: string) => Promise<string | undefined>,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const id of ids) {
    const value = await read(id);
    if (value !== undefined) found.set(id, value);
  }
  return found;
}
