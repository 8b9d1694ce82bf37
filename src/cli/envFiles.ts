import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { ConfigError, type EnvFile } from '../runtime/config/config'

/**
 * Path of the settings of the machine's service, so that commands find its database. Not used from
 * source, which is not an installed service, and on Windows, where any user could create the file.
 */
export function serviceFileOf(isExecutable: boolean, platform: NodeJS.Platform): string | null {
  return isExecutable && platform !== 'win32' ? '/etc/multitude.env' : null
}

export interface EnvFiles {
  /** In order of precedence. */
  readonly files: readonly EnvFile[]
  /** Existing files that this user may not read. */
  readonly unreadable: readonly string[]
}

/** Reads the files of settings. Only the file of --env-file must exist. */
export function readEnvFiles(named: string | undefined, serviceFile: string | null): EnvFiles {
  const files: EnvFile[] = []
  const unreadable: string[] = []
  const paths = [named, '.env', serviceFile].filter((path) => typeof path === 'string')
  for (const path of paths) {
    try {
      files.push({ name: path, values: parseEnv(readText(path)) })
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException
      if (path === named) throw new ConfigError([`--env-file: ${explainUnreadable(path, code)}`])
      if (code === 'EACCES' || code === 'EPERM') unreadable.push(path)
    }
  }
  return { files, unreadable }
}

/** Removes the byte order mark that some editors write. */
function readText(path: string): string {
  return readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
}

function explainUnreadable(path: string, code: string | undefined): string {
  if (code === 'ENOENT') return `there is no file ${JSON.stringify(path)}`
  if (code === 'EISDIR') return `${path} is a directory`
  return `${path} cannot be read`
}
