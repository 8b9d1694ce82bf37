import { Database } from 'bun:sqlite'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, runJson } from '../../tools/runInProcess'
import { commandLine, emptyFolder, type Server, startServer } from '../../tools/serverProcess'
import { describe, expect, test } from '../../tools/test'
import { until } from '../../tools/until'

const { words, startServer: startInPipe } = commandLine()

/** Runs the rest of the words in a terminal, whose output is standard error of this command. */
const inTerminal = ['/bin/sh', '-c', 'exec script -qfec "$*" /dev/null >&2', 'sh']

const LINK = /(http:\/\/\S+)\/#\/setup\/([\w-]{43})/

function linkIn(text: string): { address: string; code: string } | null {
  const [, address, code] = LINK.exec(text) ?? []
  return address && code ? { address, code } : null
}

/** Kills the terminal at once, because it waits for seconds after other signals. */
async function stop(server: Server) {
  server.kill('SIGKILL')
  await server.end()
}

function countCodes(cwd: string): number {
  const database = new Database(join(cwd, 'data', 'multitude.db'), { readonly: true })
  const { all } = database.query('select count(*) as "all" from setup_codes').get() as {
    all: number
  }
  database.close()
  return all
}

async function createSystem(address: string, code: string) {
  const body = JSON.stringify({ name: 'Lantern Hill', visibility: 'private', code })
  const response = await fetch(`${address}/web/systems`, { method: 'POST', body })
  return response.status
}

describe('set-up link of serve', () => {
  test.each([
    ['127.0.0.1', []],
    ['0.0.0.0', ['--host', '0.0.0.0']],
  ])('serve on %s prints a link on a terminal, until there is a system', async (_, flags) => {
    const cwd = emptyFolder()
    const server = await startServer([...inTerminal, ...words], flags, { cwd })
    const { port } = new URL(server.address)
    const link = linkIn(server.output())
    expect(link?.address).toBe(`http://127.0.0.1:${port}`)
    const code = link?.code ?? ''
    expect(server.output().split(code)).toHaveLength(2)
    expect(server.output()).toContain("system create --name 'My system'")
    expect(await createSystem(link?.address ?? '', code)).toBe(201)
    expect(await createSystem(link?.address ?? '', code)).toBe(401)
    expect(server.output().split(code)).toHaveLength(2)
    await stop(server)
    const again = await startServer([...inTerminal, ...words], flags, { cwd })
    expect(again.output()).toContain('Listening on')
    expect(again.output()).not.toContain('/#/setup/')
    await stop(again)
  })

  test('serve prints PUBLIC_URL in the link', async () => {
    const flags = ['--public-url', 'https://home.example']
    const server = await startServer([...inTerminal, ...words], flags, { cwd: emptyFolder() })
    expect(server.output()).toMatch(/\n {4}https:\/\/home\.example\/#\/setup\/[\w-]{43}\r?\n/)
    await stop(server)
  })

  test('serve prints no link into a pipe, but the command that prints one', async () => {
    const cwd = emptyFolder()
    const server = await startInPipe([], { cwd })
    expect(server.output()).toContain('There are no systems yet.')
    expect(server.output()).toMatch(/\n {4}\S.* login --setup --database \S+multitude\.db\n/)
    expect(server.output()).not.toContain('/#/setup/')
    expect(countCodes(cwd)).toBe(0)
    server.kill('SIGTERM')
    const { out, err } = await server.end()
    expect(out + err).not.toContain('/#/setup/')
  })

  test.each([
    ['the log is a file', ['/bin/sh', '-c', 'exec script -qfec "$* 2>log" /dev/null', 'sh'], []],
    ['the output is JSON', inTerminal, ['--json']],
  ])('serve on a terminal prints no link when %s', async (_, terminal, flags) => {
    const cwd = emptyFolder()
    const command = [
      ...terminal,
      ...words,
      'serve',
      '--port',
      '0',
      '--log-format',
      'json',
      ...flags,
    ]
    const child = Bun.spawn(command, { cwd, env: {}, stdout: 'pipe', stderr: 'pipe' })
    const path = join(cwd, 'log')
    const text = terminal === inTerminal ? readUntilListening(child.stderr) : pollLog(path)
    expect(await text).not.toContain('/#/setup/')
    child.kill('SIGKILL')
    await child.exited
    expect(countCodes(cwd)).toBe(0)
  })
})

async function readUntilListening(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes('"address"')) break
  }
  return text
}

async function pollLog(path: string): Promise<string> {
  const read = () => (existsSync(path) ? readFileSync(path, 'utf8') : '')
  await until(async () => read().includes('"address"'))
  return read()
}

describe('login --setup', () => {
  test('login --setup prints a link that creates the first system of a running server', async () => {
    const cwd = emptyFolder()
    const server = await startInPipe([], { cwd })
    const { port } = new URL(server.address)
    const { out } = await run(['login', '--setup', '--port', port], { cwd })
    expect(out).toContain('Creates the first system in a browser, once, within 24 hours.')
    const link = linkIn(out)
    expect(link?.address).toBe(server.address)
    const json = await runJson<{ url: string; expires: string }>(['login', '--setup'], { cwd })
    expect(json.url).toMatch(LINK)
    expect(json.expires).toEndWith('Z')
    expect(await createSystem(server.address, link?.code ?? '')).toBe(201)
    expect(await createSystem(server.address, linkIn(json.url)?.code ?? '')).toBe(401)
    await stop(server)
  })
})
