export { EventLogGrew } from './event-log-grew.js';
