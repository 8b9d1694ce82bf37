import { describe, expect, test } from 'bun:test'
import { closeSync, openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { commandLine, emptyFolder } from '../serverProcess'

const { run, startServer, words } = await commandLine()
const python = Bun.which('python3')
const title = (text: string) => (python ? text : `${text} (skipped: there is no python3 here)`)

/** Hears what is sent to a socket, as systemd does: a line of JSON for each message. */
const HEAR = `
import json, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1].replace('@', chr(0)))
print('bound', flush=True)
while True: print(json.dumps(s.recv(4096).decode()), flush=True)
`

async function hear(path: string) {
  const child = Bun.spawn([python ?? '', '-c', HEAR, path], { stdout: 'pipe' })
  const heard: string[] = []
  const bound = Promise.withResolvers<void>()
  const done = (async () => {
    let text = ''
    for await (const chunk of child.stdout) {
      text += Buffer.from(chunk).toString()
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) line === 'bound' ? bound.resolve() : heard.push(JSON.parse(line))
    }
  })()
  await bound.promise
  return {
    heard,
    async until(part: string) {
      while (!heard.some((message) => message.includes(part))) await Bun.sleep(10)
    },
    async end() {
      child.kill()
      await done
    },
  }
}

describe('started by systemd', () => {
  test.skipIf(!python).each(['a file', 'an abstract name'])(
    title('it tells through %s that it is ready, lives and stops'),
    async (kind) => {
      const cwd = emptyFolder()
      const path = kind === 'a file' ? join(cwd, 'notify') : `@multitude-test-${process.pid}`
      const ear = await hear(path)
      const server = await startServer([], {
        cwd,
        env: { NOTIFY_SOCKET: path, WATCHDOG_USEC: '100000' },
      })
      await ear.until('READY=1')
      await ear.until('WATCHDOG=1')
      expect(ear.heard[0]).toBe(`READY=1\nSTATUS=Listening on ${server.address}`)
      server.kill('SIGTERM')
      await ear.until('STOPPING=1')
      expect((await server.end()).code).toBe(0)
      await ear.end()
    },
  )

  test.skipIf(!python)(
    title('a child of the one that is watched gives no sign of life'),
    async () => {
      const cwd = emptyFolder()
      const ear = await hear(join(cwd, 'notify'))
      const server = await startServer([], {
        cwd,
        env: { NOTIFY_SOCKET: join(cwd, 'notify'), WATCHDOG_USEC: '10000', WATCHDOG_PID: '1' },
      })
      await ear.until('READY=1')
      await Bun.sleep(100)
      server.kill('SIGTERM')
      await ear.until('STOPPING=1')
      expect(ear.heard.filter((message) => message.includes('WATCHDOG'))).toEqual([])
      await server.end()
      await ear.end()
    },
  )

  test('it serves also where nobody hears', async () => {
    const cwd = emptyFolder()
    const server = await startServer([], { cwd, env: { NOTIFY_SOCKET: join(cwd, 'nobody') } })
    expect((await fetch(`${server.address}/health`)).status).toBe(200)
    server.kill('SIGTERM')
    expect((await server.end()).code).toBe(0)
  })
})

describe('a line of the log', () => {
  /** Serves with standard error in a file, until it was asked once. */
  async function logOf(format: string, isJournal: boolean): Promise<string> {
    const cwd = emptyFolder()
    const file = join(cwd, 'log')
    const descriptor = openSync(file, 'w')
    const { dev, ino } = statSync(file)
    const child = Bun.spawn([...words, 'serve', '--port', '0', '--log-format', format, '--json'], {
      cwd,
      env: { JOURNAL_STREAM: isJournal ? `${dev}:${ino}` : '1:1' },
      stdio: ['ignore', 'ignore', descriptor],
    })
    while (!readFileSync(file, 'utf8').includes('listening')) await Bun.sleep(20)
    child.kill('SIGTERM')
    await child.exited
    closeSync(descriptor)
    return readFileSync(file, 'utf8')
  }

  test.each(['text', 'json'])('has its priority in the journal, as %s', async (format) => {
    const lines = (await logOf(format, true)).trimEnd().split('\n')
    expect(lines.length).toBeGreaterThanOrEqual(3)
    expect(lines.filter((line) => !/^<6>[{\d]/.test(line))).toEqual([])
  })

  test('has none where standard error is led elsewhere', async () => {
    expect(await logOf('text', false)).not.toContain('<6>')
  })
})

describe('a command', () => {
  test('is no server, and tells nobody anything', async () => {
    const cwd = emptyFolder()
    const { code } = await run(['version'], { cwd, env: { NOTIFY_SOCKET: join(cwd, 'nobody') } })
    expect(code).toBe(0)
  })
})
