import preset from '../../jest.preset.mjs';

// A start of the whole stack takes seconds, on a slow machine more than a minute.
export default preset('launcher', { testTimeout: 240_000 });
