import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { $ } from 'bun'

/** Makes the executable for this machine, or with --all those of every platform with checksums. */
const targets = [
  'linux-x64',
  'linux-arm64',
  'linux-x64-musl',
  'linux-arm64-musl',
  'darwin-x64',
  'darwin-arm64',
  'windows-x64',
] as const

const commit = (await $`git rev-parse --short HEAD`.nothrow().quiet().text()).trim() || 'unknown'
const builtOn =
  (await $`git log -1 --format=%cs`.nothrow().quiet().text()).trim() ||
  new Date().toISOString().slice(0, 10)

if (process.argv.includes('--all')) {
  const sums: string[] = []
  for (const target of targets) {
    const file = await compile(`dist/multitude-${target}`, `bun-${target}`)
    const hash = new Bun.CryptoHasher('sha256').update(await Bun.file(file).arrayBuffer())
    sums.push(`${hash.digest('hex')}  ${file.slice('dist/'.length)}`)
  }
  await Bun.write('dist/SHA256SUMS', `${sums.join('\n')}\n`)
  console.log('dist/SHA256SUMS')
}
await smoke(await compile('dist/multitude'))

async function compile(outfile: string, target?: string): Promise<string> {
  const result = await Bun.build({
    entrypoints: ['src/main.ts'],
    minify: true,
    bytecode: true,
    // What is imported only when it is needed lies apart, and is not read until then.
    format: 'esm',
    splitting: true,
    define: {
      'process.env.MULTITUDE_COMMIT': JSON.stringify(commit),
      'process.env.MULTITUDE_DATE': JSON.stringify(builtOn),
    },
    compile: {
      outfile,
      ...(target && { target: target as Bun.Build.CompileTarget }),
      // A bunfig.toml in the folder it is started from could make it run foreign code.
      autoloadBunfig: false,
      // It reads `.env` itself, as weighty as the README says.
      autoloadDotenv: false,
    },
  })
  const [executable] = result.outputs
  if (!executable) throw new Error(`nothing was built for ${target}`)
  const path = target?.includes('windows') ? `${outfile}.exe` : outfile
  console.log(`${path}  ${(Bun.file(path).size / 1024 / 1024).toFixed(0)} MiB`)
  return path
}

/** Starts what was built in an empty folder and asks it what a newcomer would. */
async function smoke(executable: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'multitude-'))
  const program = join(folder, 'multitude')
  await $`cp ${executable} ${program}`
  // Of a service on this machine, whose settings it would take from /etc, nothing is touched.
  const own = ['--database', `file:${join(folder, 'smoke.db')}`]
  const serve = ['--port', '0', '--host', '127.0.0.1', '--backup-dir', '', '--log-format', 'json']
  const server = Bun.spawn([program, ...serve, ...own], {
    cwd: folder,
    env: {},
    stderr: 'pipe',
  })
  try {
    const address = await addressOf(server.stderr)
    const { token } = await $`${program} system create --name Smoke --json ${own}`
      .cwd(folder)
      .env({})
      .json()
    await expectAnswer(`${address}/health`, 'ok')
    await expectAnswer(`${address}/docs`, 'swagger-ui')
    await expectAnswer(`${address}/docs/swagger-ui-bundle.js`, 'SwaggerUIBundle')
    await expectAnswer(`${address}/v2/systems/@me`, 'Smoke', token)
    server.kill('SIGTERM')
    if ((await server.exited) !== 0) throw new Error('the executable did not stop cleanly')
    console.log('It serves, migrates, makes a system and answers.')
  } finally {
    server.kill('SIGKILL')
    await server.exited
    await rm(folder, { recursive: true })
  }
}

async function addressOf(log: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of log) {
    text += Buffer.from(chunk).toString()
    const [, address] = /"address":"([^"]+)"/.exec(text) ?? []
    if (address) return address
  }
  throw new Error(`the executable did not start:\n${text}`)
}

async function expectAnswer(url: string, words: string, token = ''): Promise<void> {
  const response = await fetch(url, { headers: { authorization: token } })
  const text = await response.text()
  if (!response.ok || !text.includes(words)) throw new Error(`${url} answered ${response.status}`)
}
