export { ReconcileSessionV1, ReconcileSession } from './reconcile-session.js';
export { SendMessageV1, SendMessage } from './send-message.js';
