import { commands } from '../../src/cli/run'
import { suggest } from '../../src/model/core/suggest'
import { version } from '../../src/runtime/version'
import { run } from '../tools/runInProcess'
import { emptyFolder } from '../tools/serverProcess'
import { describe, expect, test } from '../tools/test'

const USAGE_ERROR = 2
const here = { cwd: emptyFolder() }
const ask = (line: string) => run(line === '' ? [] : line.split(' '), here)

describe('the version', () => {
  test('version, --version and -v print the version', async () => {
    const ended = await Promise.all(['version', '--version', '-v'].map(ask))
    const expected = { code: 0, out: `multitude ${version} (unknown)\n`, err: '' }
    expect(ended).toEqual([expected, expected, expected])
    expect(JSON.parse((await ask('--version --json')).out)).toMatchObject({ version })
  })
})

describe('help', () => {
  test('help COMMAND, --help and -h print the same help', async () => {
    const [one, ...others] = await Promise.all(
      ['help system create', 'system create --help', 'system create -h'].map(ask),
    )
    expect(one).toMatchObject({ code: 0, err: '' })
    expect(one?.out).toContain('usage: multitude system create [--name NAME]')
    for (const other of others) expect(other).toEqual(one as never)
  })

  const required: [line: string, flags: RegExp[]][] = [
    ['bot create', [/^ {2}--name NAME +.+ \(required\)$/m]],
    ['invite create', [/^ {2}--name NAME +.+ \(required\)$/m]],
    ['prune', [/^ {2}--unused-since UNUSED-SINCE +.+ \(required\)$/m]],
    [
      'import',
      [
        /^ {2}--system SYSTEM +.+ \(this or --new is required\)$/m,
        /^ {2}--new +.+ \(this or --system is required\)$/m,
      ],
    ],
  ]

  test('help marks required flags and no others', async () => {
    const ended = await Promise.all(commands.map(({ name }) => ask(`help ${name}`)))
    for (const [at, { out }] of ended.entries()) {
      const [, flags = []] = required.find(([line]) => line === commands[at]?.name) ?? []
      for (const flag of flags) expect(out).toMatch(flag)
      expect(out.match(/required\)/g) ?? []).toHaveLength(flags.length)
    }
  })

  test('help of a group lists its commands and no others', async () => {
    const lines = ['system', 'help system', 'system --help', 'system -h', '--help system']
    const own = commands.filter(({ name }) => name.startsWith('system ')).map(({ name }) => name)
    for (const { code, out, err } of await Promise.all(lines.map(ask))) {
      expect([code, err]).toEqual([0, ''])
      expect(out).toStartWith('usage: multitude system COMMAND [--help]\n\n')
      expect([...out.matchAll(/^ {2}(\S+ \S+)/gm)].map(([, name]) => name ?? '')).toEqual(own)
    }
  })
})

describe('a command that does not exist', () => {
  const lines: [line: string, named: string, hint: string | null][] = [
    ['dance', 'dance', null],
    ['system creat', 'system creat', '"multitude system create"'],
    ['systm list --json', 'systm list', '"multitude system list"'],
    ['create system --name X', 'create system', '"multitude system create"'],
    ['list', 'list', '"multitude system list" or "multitude token list" or "multitude bot list"'],
    ['exprot abcdef', 'exprot abcdef', '"multitude export"'],
    ['helth', 'helth', '"multitude health"'],
    ['system dance', 'system dance', null],
    ['help systme create', 'systme create', '"multitude system create"'],
  ]

  test('prints at most four lines for an unknown command and suggests the closest command', async () => {
    const ended = await Promise.all(lines.map(([line]) => ask(line)))
    for (const [at, { code, out, err }] of ended.entries()) {
      const [line = '', named, hint] = lines[at] ?? []
      expect([line, code, out]).toEqual([line, USAGE_ERROR, ''])
      const printed = err.trimEnd().split('\n')
      expect(printed.length).toBeLessThanOrEqual(4)
      expect(printed[0]).toBe(`multitude: unknown command "${named}"`)
      expect([line, printed[1]]).toEqual([
        line,
        hint ? `Did you mean ${hint}?` : (printed[1] ?? ''),
      ])
      expect(err.includes('Did you mean')).toBe(hint !== null)
      expect(printed.at(-1)).toMatch(/^Run "multitude help( system)?" for a list of commands\.$/)
    }
  })

  test('suggests nothing when no command is similar', () => {
    const names = commands.map(({ name }) => name)
    for (const typed of ['', 'x', 'zzzzzz', 'rm -rf', '💜', 'a'.repeat(1000)])
      expect([typed, suggest(names, typed)]).toEqual([typed, []])
  })
})
