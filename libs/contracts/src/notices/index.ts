export { SendPermissionsChanged, SendPermissionsChangedV1 } from './gateway-notices.js';
export {
  DispatcherPartitionFreed,
  EndpointChanged,
  EndpointChangedV1,
  EventLogGrew,
  EventLogGrewV1,
  ReplayStarted,
} from './dispatcher-notices.js';
export { WorkerPartitionFreed } from './worker-notices.js';
