import type { PostLimits } from '../src/index.js';

/** Limits as deliveries have them. */
export const LIMITS: PostLimits = { timeoutMs: 10_000, headBytes: 4 * 1024, drainBytes: 64 * 1024 };
