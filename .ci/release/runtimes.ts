import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { $ } from 'bun'

/** Platforms of a release. */
export const targets = [
  'linux-x64',
  'linux-arm64',
  'linux-x64-musl',
  'linux-arm64-musl',
  'darwin-x64',
  'darwin-arm64',
  'windows-x64',
] as const

export type Target = (typeof targets)[number]

const CACHE = `node_modules/.cache/bun-${Bun.version}`

/**
 * Downloads Bun's runtime for a target from the registry of npm, and caches it. The checksum in the
 * lock file protects against a changed download.
 */
export async function fetchRuntime(target: Target): Promise<string> {
  const runtime = join(CACHE, target)
  if (await Bun.file(runtime).exists()) return runtime
  const name = `@oven/bun-${target.replace('arm64', 'aarch64')}`
  const wanted = await lockedDigest(name)
  await mkdir(CACHE, { recursive: true })
  const folder = await mkdtemp(join(CACHE, 'fetching-'))
  try {
    const packed = await $`npm pack --silent ${name}@${Bun.version}`.cwd(folder).nothrow().quiet()
    if (packed.exitCode !== 0) throw new Error(`npm cannot download ${name}@${Bun.version}`)
    const archive = join(folder, packed.stdout.toString().trim())
    const digest = new Bun.CryptoHasher('sha512').update(await Bun.file(archive).arrayBuffer())
    if (`sha512-${digest.digest('base64')}` !== wanted)
      throw new Error(`${name} does not match its checksum in bun.lock`)
    await $`tar -xzf ${archive} -C ${folder}`.quiet()
    const file = join(folder, 'package/bin', target.startsWith('windows') ? 'bun.exe' : 'bun')
    await chmod(file, 0o755)
    await rename(file, runtime)
    return runtime
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function lockedDigest(name: string): Promise<string> {
  const lock = await Bun.file('bun.lock').text()
  const line = lock.split('\n').find((one) => one.includes(`["${name}@${Bun.version}"`))
  const [, digest] = /"(sha512-[^"]+)"/.exec(line ?? '') ?? []
  if (!digest) throw new Error(`bun.lock does not name ${name}@${Bun.version}`)
  return digest
}
