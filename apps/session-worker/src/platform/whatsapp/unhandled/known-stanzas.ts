/**
 * Version of the library that this table was read from. With another one the table is read anew: what the library handles then is crossed
 * out, what it no longer does is added.
 */
export const TABLE_OF_LIBRARY = '7.0.0-rc14';

/**
 * Names of what the library or the worker handles, by the first words: `notification w:gp2 add` stands in `notification w:gp2`. Contents
 * have no table but for messages about the protocol: the library's schema has all that are known, `readings.ts` those that are read.
 */
const HANDLED: Record<string, string> = {
  notification:
    'newsletter mediaretry encrypt devices server_sync picture privacy_token link_code_companion_reg companion_reg_refresh',
  'notification account_sync': 'disappearing_mode blocklist',
  'notification mex':
    'NotificationUserReachoutTimelockUpdate MessageCappingInfoNotification NotificationNewsletterUpdate ' +
    'NotificationLinkedProfilesUpdates NotificationNewsletterAdminPromote',
  'notification w:gp2':
    'create ephemeral not_ephemeral modify promote demote remove add leave subject description announcement not_announcement locked ' +
    'unlocked invite member_add_mode membership_approval_mode created_membership_requests revoked_membership_requests',
  ib: 'offline_preview edge_routing offline dirty downgrade_webclient',
  iq: 'pair-device pair-success',
  message: 'plaintext unavailable verified_name device-identity',
  'message enc': 'pkmsg msg skmsg',
  receipt: 'delivered inactive read read-self played played-self sender retry hist_sync peer_msg',
  call: 'offer offer_notice terminate preaccept transport relaylatency reject accept',
  'stream:error': 'conflict',
  'content protocolMessage':
    'REVOKE MESSAGE_EDIT EPHEMERAL_SETTING HISTORY_SYNC_NOTIFICATION APP_STATE_SYNC_KEY_SHARE GROUP_MEMBER_LABEL_CHANGE ' +
    'PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE LID_MIGRATION_MAPPING_SYNC',
};

/** Names of what nobody handles, and is known to exist (docs/platform-protocol.md, 19). */
const UNHANDLED: Record<string, string> = {
  notification:
    'business passkey_prologue_request crsc_continuation contacts disappearing_mode registration retry server status text pay psa ' +
    'offer_notice waffle hosted w:growth digital_commerce_subscription fbid:devices',
  'notification account_sync': 'username privacy status picture devices',
  'notification w:gp2':
    'delete link unlink suspended growth_locked membership_approval_request change_number auto_add_disabled ' +
    'limit_sharing_enabled',
  ib: 'thread_metadata attestation fbip gpia',
  iq: 'urn:xmpp:ping',
  message: 'cstoken tctoken bot biz hsm meta reporting franking participants',
  'message enc': 'msmsg',
  receipt: 'server-error',
  'stream:error': 'ack',
};

/** Tags of which there is one kind, and which the library handles. */
const PLAIN_TAGS = ['ack', 'success', 'failure', 'presence', 'chatstate', 'xmlstreamend'];

const HANDLED_NAMES: ReadonlySet<string> = new Set([...PLAIN_TAGS, ...namesIn(HANDLED)]);
/** Full names of what nobody handles, and is known to exist. */
export const UNHANDLED_NAMES: readonly string[] = namesIn(UNHANDLED);

const unhandled = new Set(UNHANDLED_NAMES);
/** First words that are not yet a name: it takes another one. */
const BEGINNINGS: ReadonlySet<string> = new Set([...Object.keys(HANDLED), ...Object.keys(UNHANDLED)]);

/** Says whether more words belong to a name. */
export const isBeginning = (words: string): boolean => BEGINNINGS.has(words);

/** Says whether somebody handles what has this name; or, where nobody does, whether that is known. */
export function knowledgeOf(name: string): 'handled' | 'known' | 'new' {
  if (HANDLED_NAMES.has(name)) return 'handled';
  return unhandled.has(name) ? 'known' : 'new';
}

function namesIn(table: Record<string, string>): string[] {
  return Object.entries(table).flatMap(([words, last]) => last.split(' ').map((word) => `${words} ${word}`));
}
