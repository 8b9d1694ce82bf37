import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeManual } from '../../../src/cli/completion/man'
import { commands } from '../../../src/cli/run'
import { run } from '../../tools/runInProcess'
import { emptyFolder } from '../../tools/serverProcess'
import { describe, expect, test } from '../../tools/test'

const cwd = emptyFolder()
writeFileSync(join(cwd, 'old backup.db'), '')

/** Lines before and after Tab. */
const typed: [line: string, becomes: string][] = [
  ['multitude heal', 'multitude health'],
  ['multitude syst', 'multitude system'],
  ['multitude system cr', 'multitude system create'],
  ['multitude completion z', 'multitude completion zsh'],
  ['multitude help insi', 'multitude help insights'],
  ['multitude help token rev', 'multitude help token revoke'],
  ['multitude serve --log-l', 'multitude serve --log-level'],
  ['multitude --public', 'multitude --public-url'],
  ['multitude serve --port 80 --durability no', 'multitude serve --port 80 --durability normal'],
  ['multitude --log-format js', 'multitude --log-format json'],
  ['multitude serve --log-level=de', 'multitude serve --log-level=debug'],
  ['multitude import --onl', 'multitude import --only'],
  ['multitude import --only swi', 'multitude import --only switches'],
  ['multitude export abcdef --front-history ic', 'multitude export abcdef --front-history ics'],
  ['multitude system delete abcdef --y', 'multitude system delete abcdef --yes'],
  ['multitude migrate --no', 'multitude migrate --no-backup'],
  // A command that is also a group.
  ['multitude discord ch', 'multitude discord check'],
  ['multitude discord --web-r', 'multitude discord --web-registration'],
  ['multitude discord check --discord-a', 'multitude discord check --discord-api'],
  ['multitude restore old', 'multitude restore old\\ backup.db'],
  ['multitude export abcdef --out old', 'multitude export abcdef --out old\\ backup.db'],
  // Values that cannot be completed.
  ['multitude system show ol', 'multitude system show ol'],
  ['multitude serve --host ol', 'multitude serve --host ol'],
  ['multitude help system create x', 'multitude help system create x'],
]

const scripts = new Map<string, string>()
for (const shell of ['bash', 'zsh', 'fish']) {
  const { code, out } = await run(['completion', shell], { cwd })
  expect(code).toBe(0)
  const file = join(cwd, `completion.${shell}`)
  writeFileSync(file, out)
  scripts.set(shell, file)
}
const scriptOf = (shell: string) => scripts.get(shell) ?? ''

/** Replaces the last word of the line if there is exactly one completion. */
function complete(line: string, found: string[]): string {
  const [only, ...others] = found
  if (only === undefined || others.length > 0) return line
  const start = /^.*[ =]/.exec(line)?.[0] ?? ''
  const includesFlag = only.startsWith('--') && only.includes('=')
  return `${includesFlag ? line.slice(0, line.lastIndexOf(' ') + 1) : start}${only}`
}

function completeInBash(line: string): string {
  const words = line.split(/(=)| /).filter((word) => word !== undefined && word !== '')
  const helper = join(import.meta.dir, './completeInBash.bash')
  const { stdout, stderr } = Bun.spawnSync(['bash', '--norc', helper, scriptOf('bash'), ...words], {
    cwd,
  })
  expect(`${stderr}`).toBe('')
  return complete(line, `${stdout}`.split('\n').filter(Boolean))
}

function completeInFish(line: string): string {
  const { stdout, stderr } = Bun.spawnSync(
    [
      'fish',
      '--no-config',
      '-c',
      'source $argv[1]; complete --escape -C $argv[2]',
      scriptOf('fish'),
      line,
    ],
    { cwd, env: { HOME: cwd, PATH: process.env.PATH } },
  )
  expect(`${stderr}`).toBe('')
  const found = `${stdout}`.split('\n').filter(Boolean)
  return complete(
    line,
    found.map((one) => one.split('\t')[0] ?? ''),
  )
}

function completeInZsh(lines: string[]): string[] {
  const out = join(cwd, 'zsh.out')
  const { exitCode } = Bun.spawnSync(
    ['zsh', '-f', join(import.meta.dir, './typeInZsh.zsh'), scriptOf('zsh'), out, ...lines],
    { cwd, env: { HOME: cwd, PATH: process.env.PATH, TERM: 'xterm', LC_ALL: 'C.UTF-8' } },
  )
  expect(exitCode).toBe(0)
  // zsh appends a space or an equals sign to a complete word.
  return readFileSync(out, 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/[ =]$/, ''))
}

const titleOf = (title: string, tool: string) =>
  Bun.which(tool) ? title : `${title} (skipped: ${tool} is not installed)`

describe('completion', () => {
  test.skipIf(!Bun.which('bash')).each(typed)(
    titleOf('bash completes %p', 'bash'),
    (line, becomes) => {
      expect(completeInBash(line)).toBe(becomes)
    },
  )

  test.skipIf(!Bun.which('fish')).each(typed)(
    titleOf('fish completes %p', 'fish'),
    (line, becomes) => {
      expect(completeInFish(line)).toBe(becomes)
    },
  )

  test.skipIf(!Bun.which('zsh'))(titleOf('zsh completes all lines', 'zsh'), () => {
    const found = completeInZsh(typed.map(([line]) => line))
    expect(found).toEqual(typed.map(([, becomes]) => becomes))
  })
})

describe('the manual page', () => {
  const manual = writeManual(commands)
  const file = join(cwd, 'multitude.1')
  writeFileSync(file, manual)

  const checkers: [tool: string, words: string[]][] = [
    ['man', ['man', '--warnings', '-l', file]],
    ['groff', ['groff', '-man', '-Tutf8', '-ww', '-z', file]],
    ['mandoc', ['mandoc', '-Tlint', '-Wwarning', file]],
  ]

  for (const [tool, words] of checkers)
    test.skipIf(!Bun.which(tool))(
      titleOf(`the manual page passes the checks of ${tool}`, tool),
      () => {
        const { stdout, stderr, exitCode } = Bun.spawnSync(words, {
          env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', MANWIDTH: '200', PAGER: 'cat' },
        })
        expect([`${stderr}`, exitCode]).toEqual(['', 0])
        if (tool !== 'man') return expect(`${stdout}`).toBe('')
        const page = `${stdout}`.replaceAll(/\s+/g, ' ')
        for (const { name, summary } of commands) {
          expect(page).toContain(`multitude ${name}`)
          expect(page).toContain(summary.replaceAll(/\s+/g, ' '))
        }
      },
    )
})
