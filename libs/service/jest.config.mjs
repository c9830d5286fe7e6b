import { withServers } from '../../jest.preset.mjs';

export default withServers('service', {
  testTimeout: 60_000,
});
