import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { ConfigError, type EnvFile } from '../config'

/**
 * Where the service of a machine has its settings, so that commands there find its database. The
 * source is no machine's service, and on Windows anybody could put a file there.
 */
export function serviceFileOf(isExecutable: boolean, platform: NodeJS.Platform): string | null {
  return isExecutable && platform !== 'win32' ? '/etc/multitude.env' : null
}

export interface EnvFiles {
  /** The weightiest first. */
  readonly files: readonly EnvFile[]
  /** Those that are there, but not for this user. */
  readonly closed: readonly string[]
}

/** Reads the files that may hold settings. Only the one that was named must be there. */
export function readEnvFiles(named: string | undefined, serviceFile: string | null): EnvFiles {
  const files: EnvFile[] = []
  const closed: string[] = []
  const paths = [named, '.env', serviceFile].filter((path) => typeof path === 'string')
  for (const path of paths) {
    try {
      files.push({ name: path, values: parseEnv(readText(path)) })
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException
      if (path === named) throw new ConfigError([`--env-file: ${explainClosed(path, code)}`])
      if (code === 'EACCES' || code === 'EPERM') closed.push(path)
    }
  }
  return { files, closed }
}

/** Editors of some systems put a byte order mark first. */
function readText(path: string): string {
  return readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
}

function explainClosed(path: string, code: string | undefined): string {
  if (code === 'ENOENT') return `there is no file ${JSON.stringify(path)}`
  if (code === 'EISDIR') return `${path} is a folder`
  return `${path} cannot be read`
}
