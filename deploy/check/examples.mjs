// Rules for the examples, which are values and objects of other projects: they parse, they name fixed versions, and they tell no secret.
import { parseAllDocuments } from 'yaml';

const USERS = 'deploy/examples/nats/users.conf';
const NATS = 'deploy/examples/nats/values.yaml';

/** Lists what is wrong with deploy/examples. */
export function wrongExamples(files) {
  return [...wrongTexts(files), ...missingPasswords(files)];
}

/** Users of NATS whose password its server is not given. */
function missingPasswords(files) {
  const lines = files[USERS].split('\n');
  return lines.flatMap((line, index) => {
    const [, user, name] = /user: (\S+), password: \$(\w+)/.exec(line) ?? [];
    const given = `${name}:\n      valueFrom: { secretKeyRef: { name: nats-users, key: ${user} } }`;
    return name && !files[NATS].includes(given)
      ? [`${USERS}:${index + 1}: ${NATS} does not give ${name}.`]
      : [];
  });
}

function wrongTexts(files) {
  return Object.entries(files)
    .filter(([path]) => path.startsWith('deploy/examples/') && path.endsWith('.yaml'))
    .flatMap(([path, text]) => [
      ...parseAllDocuments(text).flatMap(({ errors }) =>
        errors.map(({ linePos, message }) => `${path}:${linePos[0].line}: ${message.split('\n')[0]}`),
      ),
      ...text
        .split('\n')
        .flatMap((line, index) =>
          /^\s*(imageName|image|tag): (?!\S*\d+\.\d+)\S/.test(line)
            ? [`${path}:${index + 1}: an image or tag that is not pinned to a version.`]
            : [],
        ),
    ]);
}
