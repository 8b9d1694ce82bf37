import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder } from '../tools/serverProcess'
import { describe, expect, test } from '../tools/test'

const root = join(import.meta.dir, '../..')
/** A port that nothing listens on. */
const REGISTRY = 'http://127.0.0.1:1'

/** Creates a folder like a new clone of the repository: without packages and with empty caches. */
function emptyClone(): string {
  const folder = emptyFolder('clone-')
  for (const file of ['package.json', 'bun.lock']) cpSync(join(root, file), join(folder, file))
  return folder
}

/** Creates a clone in which only Bun is installed. */
function cloneWithBun(): string {
  const folder = emptyClone()
  const bun = join(folder, 'node_modules/bun')
  mkdirSync(join(bun, 'bin'), { recursive: true })
  mkdirSync(join(folder, 'node_modules/.bin'))
  cpSync(join(root, 'node_modules/bun/package.json'), join(bun, 'package.json'))
  symlinkSync(process.execPath, join(bun, 'bin/bun.exe'))
  symlinkSync('../bun/bin/bun.exe', join(folder, 'node_modules/.bin/bun'))
  return folder
}

async function npm(folder: string, command: string) {
  const { PATH = '' } = process.env
  const env = {
    // Without node_modules of this clone, so that its Bun is not found.
    PATH: PATH.split(':')
      .filter((path) => !path.includes('node_modules'))
      .join(':'),
    HOME: folder,
    npm_config_registry: REGISTRY,
    npm_config_fetch_retries: '0',
    BUN_CONFIG_REGISTRY: REGISTRY,
  }
  const child = Bun.spawn(['npm', ...command.split(' ')], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  return { err: await child.stderr.text(), code: await child.exited }
}

const CONCLUSION = 'The packages of Multitude could not be installed.'

describe('without a reachable registry', () => {
  test.each(['start', 'test', 'run build'])(
    'npm %s reports what failed without a registry',
    async (command) => {
      const { err, code } = await npm(emptyClone(), command)
      expect(code).toBe(1)
      expect(err).toContain(`request to ${REGISTRY}/bun failed`)
      expect(err).toContain(CONCLUSION)
    },
  )

  test('npm start reports what failed when only Bun is installed', async () => {
    const { err, code } = await npm(cloneWithBun(), 'start')
    expect(code).toBe(1)
    expect(err).toContain('ConnectionRefused downloading')
    expect(err).toContain(CONCLUSION)
  })
})
