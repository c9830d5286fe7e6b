import { withServers } from '../../jest.preset.mjs';

export default withServers('database', {
  testTimeout: 60_000,
});
