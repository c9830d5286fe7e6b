import preset from '../../jest.preset.mjs';

export default preset('simulator', {
  // The client under test leaves a 30 s timer behind each upload of keys; nothing of ours is left running.
  forceExit: true,
  // Those need a package and a Node of their own: npm run test:second-client.
  testPathIgnorePatterns: ['/node_modules/', '/test/second-client/'],
});
