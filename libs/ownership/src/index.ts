export { type Fence, FENCE_SQL, fenceParameters, LeaseLostError } from './fence.js';
export { leaseTablesSql } from './lease-table.js';
export { OwnerLine } from './owner-line.js';
export { LEASES, leasesModule, ownershipProviders } from './ownership-providers.js';
export { type OwnerOptions, PartitionOwner } from './partition-owner.js';
export { type LossReason, type PartitionWork } from './partition-work.js';
