import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeManual } from '../../../src/cli/completion/man'
import { flagsOf } from '../../../src/cli/flags'
import { commands } from '../../../src/cli/run'
import { run } from '../../tools/runInProcess'
import { emptyFolder } from '../../tools/serverProcess'
import { describe, expect, test } from '../../tools/test'

const cwd = emptyFolder()
writeFileSync(join(cwd, 'old backup.db'), '')

const scripts = new Map<string, string>()
for (const shell of ['bash', 'zsh', 'fish']) {
  const { code, out } = await run(['completion', shell], { cwd })
  expect(code).toBe(0)
  const file = join(cwd, `completion.${shell}`)
  writeFileSync(file, out)
  scripts.set(shell, file)
}
const scriptOf = (shell: string) => scripts.get(shell) ?? ''

describe('completion', () => {
  test.each([...scripts.keys()])('the %s script has every command and flag', (shell) => {
    const script = readFileSync(scriptOf(shell), 'utf8')
    const words = commands.flatMap(({ name }) => name.split(' '))
    const flags = commands.flatMap((command) => flagsOf(command).map(({ name }) => name))
    const missing = [...new Set([...words, ...flags])].filter((word) => !script.includes(word))
    expect(missing).toEqual([])
  })
})

describe('the manual page', () => {
  const manual = writeManual(commands)
  const file = join(cwd, 'multitude.1')
  writeFileSync(file, manual)

  test('man prints the manual page', async () => {
    expect((await run(['man'], { cwd })).out).toBe(manual)
  })
})
