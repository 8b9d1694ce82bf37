import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder, runCommand } from './serverProcess'
import { expect, test } from './test'

const slowTests = `
  import { describe, withTimeout } from '${join(import.meta.dir, './test.ts')}'
  const { test, ...hooks } = withTimeout(300)
  const wait = () => Bun.sleep(600)
  test('test', wait)
  test('test with a timeout of its own', wait, 10_000)
  test.each([1])('each %d', wait)
  test.if(true)('if', wait)
  test.skipIf(true)('skipIf', wait)
  test.skipIf(false).each([2])('skipIf each %d', wait)
  test.concurrent.each([3])('concurrent each %d', wait)
  describe.each(Object.entries(hooks))('%s', (_, hook) => {
    hook(wait)
    test('fast test', () => {})
  })
`

test('withTimeout applies to hooks and to tests of every form', async () => {
  const cwd = emptyFolder()
  writeFileSync(join(cwd, 'slow.test.ts'), slowTests)
  const { err } = await runCommand([process.execPath, 'test'], { cwd })
  const results = [...err.matchAll(/^\((pass|fail|skip)\) (.*?)(?: \[.*)?$/gm)]
  expect(results.map(([, result, title]) => `${result}: ${title}`)).toEqual([
    'fail: test',
    'pass: test with a timeout of its own',
    'fail: each 1',
    'fail: if',
    'skip: skipIf',
    'fail: skipIf each 2',
    'fail: concurrent each 3',
    'fail: beforeAll > (unnamed)',
    'fail: beforeEach > fast test',
    'pass: afterAll > fast test',
    'fail: afterAll > (unnamed)',
    'fail: afterEach > fast test',
  ])
})
