import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commands } from '../../src/cli/run'
import { fixture } from '../formats/fixture'
import { commandLine, emptyFolder } from '../program'

// Processes take their time on a busy machine.
setDefaultTimeout(30_000)

const FAILED = 1
const { run, startServer } = await commandLine()

describe('a database that is not there', () => {
  const cwd = emptyFolder()
  const path = join(cwd, 'gone', 'multitude.db')
  const here = { cwd, env: { DATABASE_URL: 'file:gone/multitude.db' } }
  const file = join(cwd, 'system.json')
  writeFileSync(file, fixture('pluralkit.json'))

  const refusing = [
    'system list',
    'system show abcdef',
    'system delete abcdef --yes',
    'system disable abcdef',
    'system enable abcdef',
    'prune --unused-since 2020-01-01 --yes',
    'stats',
    'invite create --name friends',
    'invite list',
    'invite revoke friends --yes',
    'front abcdef',
    'insights abcdef',
    'token create abcdef',
    'token list abcdef',
    'login abcdef',
    'token revoke abcdef default --yes',
    'bot create --name discord',
    'bot list',
    'bot revoke discord --yes',
    'account link abcdef 1234567',
    'account unlink abcdef 1234567 --yes',
    `import ${file} --system abcdef`,
    'export abcdef',
    'backup copy.db',
    'doctor',
    'doctor --fix',
    'copy file:other.db',
  ]

  test('is refused by every command that looks for one, in a line that names the path', async () => {
    const ended = await Promise.all(refusing.map((line) => run(line.split(' '), here)))
    for (const [at, { code, out, err }] of ended.entries()) {
      expect([refusing[at], code, out]).toEqual([refusing[at], FAILED, ''])
      expect(err).toMatch(/^multitude: [^\n]+\n$/)
      expect(err).toContain(`There is no database ${path}`)
    }
    expect(readdirSync(cwd)).toEqual(['system.json'])
  })

  const harmless = [
    'config',
    'openapi',
    'version',
    'health --port 1',
    'completion bash',
    'completion zsh',
    'completion fish',
    'man',
  ]

  test('is no matter to those that need none', async () => {
    const ended = await Promise.all(harmless.map((line) => run(line.split(' '), here)))
    for (const { err } of ended) expect(err).not.toContain('database')
    expect(readdirSync(cwd)).toEqual(['system.json'])
  })

  const making = ['migrate', 'system create --name Hill', `import ${file} --new`]

  test.each(making)('is made by %s, which says so once', async (line) => {
    const folder = emptyFolder()
    const made = join(folder, 'data', 'multitude.db')
    const words = line.split(' ')
    const first = await run(words, { cwd: folder })
    expect([first.code, first.err]).toEqual([0, `multitude: a new database was made: ${made}\n`])
    expect(existsSync(made)).toBe(true)
    const again = await run([...words, '--json'], { cwd: folder })
    expect(again.err).not.toContain('new database')
  })

  test('is made by serve, which says so in its greeting and its log', async () => {
    const folder = emptyFolder()
    const made = join(folder, 'data', 'multitude.db')
    const [words, json] = [await startServer([], { cwd: folder }), emptyFolder()]
    expect(words.said()).toContain(`Data (new)    ${made}\n`)
    const silent = await startServer(['--json'], { cwd: json })
    expect(silent.said()).toContain(
      `"message":"a new database was made","path":"${join(json, 'data', 'multitude.db')}"`,
    )
    for (const server of [words, silent]) {
      server.kill('SIGTERM')
      expect((await server.end()).code).toBe(0)
    }
  })

  test('is told by status, which shows all the rest', async () => {
    const { code, out } = await run(['status', '--port', '1'], here)
    expect(code).toBe(FAILED)
    expect(out).toContain(`CANNOT BE USED: There is no database ${path}`)
    expect(out).toContain('Server')
  })

  test('is thought of by every command there is', () => {
    const tried = ['status', ...refusing, ...harmless, ...making, 'serve', 'restore']
    const untried = commands.filter(({ name }) => !tried.some((line) => line.startsWith(name)))
    expect(untried.map(({ name }) => name)).toEqual([])
  })
})
