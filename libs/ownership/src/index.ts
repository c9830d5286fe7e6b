export { LeaseTable, leaseTablesSql } from './lease-table.js';
export { type LeaseOptions, PartitionLeases } from './partition-leases.js';
