import { run } from '../../tools/runInProcess'
import { emptyFolder } from '../../tools/serverProcess'
import { afterAll, describe, expect, test } from '../../tools/test'

const FAILED = 1
const USAGE_ERROR = 2
const cwd = emptyFolder()

describe('health of another server', () => {
  const other = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/unavailable/health')
        return new Response('{"status":"down"}', { status: 503 })
      if (pathname === '/full/health')
        return Response.json(
          { message: '503: Service Unavailable (the disk is full)', code: 0 },
          { status: 503 },
        )
      if (pathname === '/odd/health')
        return Response.json({ message: '500: Odd (\u001b[2J\n(odd))' }, { status: 500 })
      if (pathname === '/json/health') return Response.json(null)
      if (pathname === '/endless/health')
        return new Response(new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(4096)) }))
      return new Response('<h1>Hello</h1>')
    },
  })
  afterAll(() => other.stop(true))
  const base = `http://127.0.0.1:${other.port}`

  const answers: [path: string, problem: string][] = [
    ['/unavailable', 'is unhealthy: it answered with status 503'],
    ['/full', 'is unhealthy: the disk is full'],
    ['/odd', 'is unhealthy: [2J (odd)'],
    ['/json', 'answered, but is not Multitude'],
    ['/page', 'answered, but is not Multitude'],
    ['/endless', 'answered, but is not Multitude'],
  ]

  test('health fails when an unhealthy server or another program answers', async () => {
    const checks = answers.map(([path]) => run(['health', '--url', base + path], { cwd }))
    expect(await Promise.all(checks)).toEqual(
      answers.map(([path, problem]) => ({
        code: FAILED,
        out: '',
        err: `multitude: ${base}${path} ${problem}.\n`,
      })),
    )
  })

  test('health rejects an invalid --url and port 0', async () => {
    const lines = [
      ['--url', 'x'],
      ['--url', ''],
      ['--url', 'ftp://x'],
      ['--port', '0'],
    ]
    for (const { code, err } of await Promise.all(
      lines.map((words) => run(['health', ...words], { cwd })),
    )) {
      expect(code).toBe(USAGE_ERROR)
      expect(err).toMatch(/^multitude: --url[^\n]+\nusage: multitude health \[--url URL\]\n$/)
    }
  })
})
