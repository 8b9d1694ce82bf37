import { createSubstitute } from '../../src/cli/workers/substitutionWorker'
import { commandLine } from '../tools/serverProcess'
import { expect, test } from '../tools/test'

test('a worker process applies substitutions, and is killed if one takes exponential time', async () => {
  const { words } = commandLine()
  const substitute = createSubstitute(words, 60_000)
  const plain = { source: 'a', flags: 'g', replacement: 'o' }
  expect(await substitute(plain, 'banana')).toEqual({ text: 'bonono' })
  expect(await substitute({ ...plain, source: '(' }, 'banana')).toEqual({ failure: 'invalid' })
  const endless = { source: '(a+)+$', flags: '', replacement: '' }
  expect(await createSubstitute(words)(endless, `${'a'.repeat(40)}!`)).toEqual({
    failure: 'too slow',
  })
})
