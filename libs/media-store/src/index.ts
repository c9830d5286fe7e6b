export { MediaStoreConfig } from './config.js';
export { isSpecific, SIGNATURE_BYTES, signatureOf, UNKNOWN_TYPE } from './media-type.js';
export { type MediaStore, MediaTooLargeError, type StoredMedia } from './media-store.js';
export { MEDIA_STORE, openMediaStore } from './open-media-store.js';
