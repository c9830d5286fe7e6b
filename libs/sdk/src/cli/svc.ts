#!/usr/bin/env node
import { runSvc } from './run-svc.js';

void runSvc(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
