import { join } from 'node:path';
import type { MediaStoreConfig } from './config.js';
import { FileMediaStore } from './file-media-store.js';
import type { MediaStore } from './media-store.js';
import { S3MediaStore } from './s3-media-store.js';
import { Spool } from './spool.js';

/** Token under which a service provides its `MediaStore`. */
export const MEDIA_STORE = Symbol('media store');

/**
 * Opens the store that the configuration names. Fails where `MEDIA_DIR` cannot be used, so that a service does not start without it.
 * @throws Error
 */
export async function openMediaStore(config: MediaStoreConfig): Promise<MediaStore> {
  if (config.mediaS3Endpoint === undefined) return FileMediaStore.open(config.mediaDir);
  const place = {
    endpoint: config.mediaS3Endpoint,
    bucket: config.mediaS3Bucket as string,
    region: config.mediaS3Region,
    accessKey: config.mediaS3AccessKey as string,
    secretKey: config.mediaS3SecretKey as string,
  };
  return new S3MediaStore(place, await Spool.open(join(config.mediaDir, 'incoming')));
}
