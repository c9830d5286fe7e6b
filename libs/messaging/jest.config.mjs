import { withServers } from '../../jest.preset.mjs';

export default withServers('messaging', {
  testTimeout: 60_000,
});
