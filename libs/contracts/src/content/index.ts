export {
  MEDIA_KINDS,
  type MediaKind,
  OUTBOUND_MAX_BYTES,
  MIME_TYPE,
  isOfKind,
  typesOf,
} from './media-rules.js';
export { MESSAGE_BODY_TYPES, MESSAGE_BODY_FIELDS, MessageBody } from './message-body.js';
export { MessageMedia, QuotedInbound, MessageChange, MessageOrigin } from './message-details.js';
export { type Metadata } from './metadata.js';
export {
  LocationContent,
  ContactContent,
  PollContent,
  MediaContent,
  OUTBOUND_TYPES,
  type OutboundType,
  MessageTarget,
  QuotedTarget,
  OutboundContent,
} from './outbound-content.js';
