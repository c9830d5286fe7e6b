export {
  CONTENT,
  CONTENT_FIELDS,
  type ContentField,
  MESSAGE_BODY_FIELDS,
  MESSAGE_BODY_TYPES,
  type MessageBodyType,
  OUTBOUND_TYPES,
  type OutboundType,
  SENDING_RULES,
} from './registry.js';
export { type MessageRelation, type SendingRules } from './parts/kind.js';
export { ContactContent } from './kinds/contact.js';
export { DeleteRequest } from './kinds/deletion.js';
export { EditRequest } from './kinds/edit.js';
export { LocationContent } from './kinds/location.js';
export { MediaContent, MediaRequest } from './kinds/media.js';
export {
  MEDIA_KINDS,
  type MediaKind,
  OUTBOUND_MAX_BYTES,
  MIME_TYPE,
  contradicts,
  isOfKind,
  typesOf,
} from './kinds/media-rules.js';
export { PollContent } from './kinds/poll.js';
export { ReactionRequest } from './kinds/reaction.js';
export { MessageTarget } from './parts/target.js';
export { MessageBody } from './message-body.js';
export {
  type Metadata,
  MessageMedia,
  ContactCard,
  LiveLocation,
  OfferedChoice,
  MessageReferral,
  UNSUPPORTED_REASONS,
  type UnsupportedReason,
  QuotedInbound,
  MessageChange,
  MessageOrigin,
} from './message-details.js';
export { type Chat, conversationIdOf } from './conversation-id.js';
export { OutboundContent, QuotedTarget } from './outbound-content.js';
export {
  bareAddress,
  digitsOf,
  ADDRESS_DOMAINS,
  formatAddress,
  hiddenAddress,
  isGroup,
  isHidden,
  isPerson,
  isUsual,
  parseAddress,
  phoneAddress,
  phoneOf,
} from './addresses.js';
