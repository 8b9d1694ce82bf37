import { closeSync, openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createSystemdNotifier, readSystemdEnvironment } from '../../../src/cli/commands/systemd'
import { commandLine, emptyFolder } from '../../tools/serverProcess'
import { describe, expect, test } from '../../tools/test'
import { createTestClock } from '../../tools/testClock'
import { until } from '../../tools/until'

const { run, startServer, words } = commandLine()
const python = Bun.which('python3')
const title = (text: string) => (python ? text : `${text} (skipped: python3 is not installed)`)

/** Python program that prints each datagram of a socket as a line of JSON. */
const LISTENER = `
import json, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1].replace('@', chr(0)))
print('bound', flush=True)
while True: print(json.dumps(s.recv(4096).decode()), flush=True)
`

async function listen(path: string) {
  const child = Bun.spawn([python ?? '', '-c', LISTENER, path], { stdout: 'pipe' })
  const received: string[] = []
  const bound = Promise.withResolvers<void>()
  const done = (async () => {
    let text = ''
    for await (const chunk of child.stdout) {
      text += Buffer.from(chunk).toString()
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) line === 'bound' ? bound.resolve() : received.push(JSON.parse(line))
    }
  })()
  await bound.promise
  return {
    received,
    async until(part: string) {
      await until(() => received.some((message) => message.includes(part)))
    },
    async end() {
      child.kill()
      await done
    },
  }
}

describe('started by systemd', () => {
  test.skipIf(!python).each(['a file', 'an abstract name'])(
    title('the server notifies systemd through %s of readiness, liveness and stopping'),
    async (kind) => {
      const cwd = emptyFolder()
      const path = kind === 'a file' ? join(cwd, 'notify') : `@multitude-test-${process.pid}`
      const listener = await listen(path)
      const server = await startServer([], {
        cwd,
        // Twice a second: the kernel drops messages when ten wait for a listener on a busy machine.
        env: { NOTIFY_SOCKET: path, WATCHDOG_USEC: '1000000' },
      })
      await listener.until('READY=1')
      await listener.until('WATCHDOG=1')
      expect(listener.received[0]).toBe(`READY=1\nSTATUS=Listening on ${server.address}`)
      server.kill('SIGTERM')
      await listener.until('STOPPING=1')
      expect((await server.end()).code).toBe(0)
      await listener.end()
    },
  )

  test.skipIf(!python).each([
    ['sends a watchdog message twice per interval', process.pid, 2],
    ['sends no watchdog message when WATCHDOG_PID is another process', 1, 0],
  ])(title('the server %s'), async (_, watched, expected) => {
    const path = join(emptyFolder(), 'notify')
    const listener = await listen(path)
    const clock = createTestClock()
    const env = { NOTIFY_SOCKET: path, WATCHDOG_USEC: '10000', WATCHDOG_PID: String(watched) }
    const warnings: string[] = []
    const warn = (message: string) => warnings.push(message)
    const notifier = await createSystemdNotifier(readSystemdEnvironment(env), warn, clock)
    notifier.ready('Listening')
    await clock.advance(10)
    notifier.stopping()
    await listener.until('STOPPING=1')
    const watchdog = listener.received.filter((message) => message.includes('WATCHDOG'))
    expect([watchdog.length, warnings]).toEqual([expected, []])
    await listener.end()
  })

  test('the server starts when the notification socket does not exist', async () => {
    const cwd = emptyFolder()
    const server = await startServer([], { cwd, env: { NOTIFY_SOCKET: join(cwd, 'nobody') } })
    expect((await fetch(`${server.address}/health`)).status).toBe(200)
    server.kill('SIGTERM')
    expect((await server.end()).code).toBe(0)
  })
})

describe('a line of the log', () => {
  /** Starts a server with standard error in a file, stops it, and returns the file. */
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
    await until(() => readFileSync(file, 'utf8').includes('listening'))
    child.kill('SIGTERM')
    await child.exited
    closeSync(descriptor)
    return readFileSync(file, 'utf8')
  }

  test.each(['text', 'json'])(
    'a %s log line begins with its priority in the journal',
    async (format) => {
      const lines = (await logOf(format, true)).trimEnd().split('\n')
      expect(lines.length).toBeGreaterThanOrEqual(3)
      expect(lines.filter((line) => !/^<6>[{\d]/.test(line))).toEqual([])
    },
  )

  test('a log line has no priority when standard error is not the journal', async () => {
    expect(await logOf('text', false)).not.toContain('<6>')
  })
})

describe('a command', () => {
  test('a command other than serve ignores NOTIFY_SOCKET', async () => {
    const cwd = emptyFolder()
    const { code } = await run(['version'], { cwd, env: { NOTIFY_SOCKET: join(cwd, 'nobody') } })
    expect(code).toBe(0)
  })
})
