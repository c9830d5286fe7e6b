// Type-checks the tests of all apps and libs by `tsconfig.specs.json`, as `npm run typecheck` does. The compiler alone refuses a list of projects
// of which one is not there; here the others do not mind. What has not changed since the last time is not looked at again.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(import.meta.dirname, '..');
const format = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => ROOT,
  getNewLine: () => '\n',
};
const stop = (diagnostic) => {
  throw new Error(ts.formatDiagnostic(diagnostic, format));
};
const known = { incremental: true, tsBuildInfoFile: join(ROOT, '.data/specs.tsbuildinfo') };
const config = ts.getParsedCommandLineOfConfigFile(join(ROOT, 'tsconfig.specs.json'), known, {
  ...ts.sys,
  onUnRecoverableConfigFileDiagnostic: stop,
});
const program = ts.createIncrementalProgram({
  rootNames: config.fileNames,
  options: config.options,
  projectReferences: config.projectReferences.filter(({ path }) => existsSync(path)),
  configFileParsingDiagnostics: ts.getConfigFileParsingDiagnostics(config),
});
const found = [
  ...program.getConfigFileParsingDiagnostics(),
  ...program.getOptionsDiagnostics(),
  ...program.getSyntacticDiagnostics(),
  ...program.getGlobalDiagnostics(),
  ...program.getSemanticDiagnostics(),
];
program.emit();
process.stderr.write(ts.formatDiagnosticsWithColorAndContext(found, format));
process.exitCode = found.length > 0 ? 1 : 0;
