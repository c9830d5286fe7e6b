export { SendPermissionsChanged, SendPermissionsChangedV1 } from './gateway-notices.js';
export {
  DispatcherPartitionFreed,
  EventLogGrew,
  EventLogGrewV1,
  ReplayStarted,
} from './dispatcher-notices.js';
export { WorkerPartitionFreed } from './worker-notices.js';
