// Jest `setupFiles` of mutation tests: a property is tried for half a second at most, always with the same values, and is not made smaller when
// it fails. Thousands of tries for each of a thousand changes would take hours, and more of them notice hardly more.
import fc from 'fast-check';

fc.configureGlobal({ interruptAfterTimeLimit: 500, endOnFailure: true, seed: 1 });
