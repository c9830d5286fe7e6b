import { withServers } from '../../jest.preset.mjs';

// 1,200 sends at once take seconds, on a slow machine half a minute.
export default withServers('limits', { testTimeout: 120_000 });
