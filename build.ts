import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { $ } from 'bun'
import { bundlePage } from './src/web/bundle'
import { packFile } from './src/web/pages'

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

const page = await packPage()

const commit = (await $`git rev-parse --short HEAD`.nothrow().quiet().text()).trim() || 'unknown'

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
    files: page,
    // What is imported only when it is needed lies apart, and is not read until then.
    format: 'esm',
    splitting: true,
    define: { 'process.env.MULTITUDE_COMMIT': JSON.stringify(commit) },
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

/** The page as files that lie nowhere but in the executable, and the list of them. */
async function packPage(): Promise<Record<string, string | Uint8Array>> {
  const folder = join(import.meta.dir, 'src/web')
  const files: Record<string, string | Uint8Array> = {}
  const imports: string[] = []
  const entries = (await bundlePage()).map((bundled) => {
    const { path, type, isLasting, ways } = packFile(bundled, 'well')
    const names = Object.entries(ways).map(([encoding, bytes]) => {
      const name = `way${imports.length}`
      files[join(folder, `made/${name}.${encoding}`)] = bytes
      imports.push(`import ${name} from './made/${name}.${encoding}' with { type: 'file' }`)
      return `${encoding}: ${name}`
    })
    const said = JSON.stringify({ path, type, isLasting }).slice(1, -1)
    return `{ ${said}, ways: { ${names.join(', ')} } }`
  })
  files[join(folder, 'made.ts')] =
    `${imports.join('\n')}\nexport const made = [${entries.join(',\n')}]\n`
  return files
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
