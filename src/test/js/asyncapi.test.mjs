// The specification's own parser finds no fault in src/docs/asyncapi.yaml. It is no part of the build: the schema of the
// specification is checked there, too, by a test in Java.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';

function parser() {
  try {
    return createRequire(import.meta.url)('@asyncapi/parser');
  } catch {
    return undefined;
  }
}

test('asyncapi.yaml has no errors and no warnings', async (t) => {
  const found = parser();
  if (!found) return t.skip('@asyncapi/parser is not there; npm install --no-save --ignore-scripts @asyncapi/parser');
  const { document, diagnostics } = await new found.Parser()
    .parse(readFileSync(new URL('../../docs/asyncapi.yaml', import.meta.url), 'utf8'));
  // 0 is an error, 1 a warning; below that it recommends newer versions of the specification.
  assert.deepEqual(diagnostics.filter(({ severity }) => severity < 2), []);
  assert.equal(document.operations().all().length, 19);
});
