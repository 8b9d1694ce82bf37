import type { JsonObject } from '../../model/core/entity'
import { isObject } from '../../model/core/validation'
import { UnreadableFile } from '../bundle'
import type { ImportLog } from '../importLog'
import { isBlank } from './entry'
import { archiveName, NAMESPACE, versionKeys } from './format'
import type { ReadContext } from './readContext'

/** Lists of a file that are read. */
const lists = [
  'systems',
  'members',
  'groups',
  'group_memberships',
  'taxonomy_terms',
  'taxonomy_assignments',
  'custom_fields',
  'custom_field_values',
  'front_periods',
  'front_events',
  'front_comments',
  'notes',
  'assets',
] as const

/** Lists that are read of the modules, which are objects. */
const modules = { chat: ['conversations', 'messages'], boards: ['posts'] } as const

/** Throws if values that should be lists are none; the message names all of them. */
export function requireLists(file: JsonObject): void {
  const problems: string[] = []
  const check = (value: unknown, name: string) => {
    if (value !== undefined && value !== null && !Array.isArray(value))
      problems.push(`"${name}" is not a list.`)
  }
  for (const name of lists) check(file[name], name)
  for (const [module, names] of Object.entries(modules)) {
    const value = file[module]
    if (isObject(value)) for (const name of names) check(value[name], `${module}.${name}`)
    else if (value !== undefined && value !== null) problems.push(`"${module}" is not an object.`)
  }
  if (!isBlank(file.extensions) && !isObject(file.extensions))
    problems.push('"extensions" is not an object.')
  if (problems.length > 0) throw new UnreadableFile('broken', problems.join(' '))
}

/** Keys of the file that are not archived: those that are read, and what describes the file. */
const knownKeys: ReadonlySet<string> = new Set([
  ...versionKeys,
  ...lists,
  'exported_at',
  'producer',
  'capabilities',
  'warnings',
  'extensions',
])

/** Archives the modules that have no counterpart here, row by row. */
export function archiveOthers({ file, log }: ReadContext): void {
  for (const [name, value] of Object.entries(file)) {
    if (knownKeys.has(name)) continue
    const read = Object.hasOwn(modules, name) ? modules[name as keyof typeof modules] : []
    archiveModule([name], value, read, log)
  }
  for (const [app, value] of Object.entries(isObject(file.extensions) ? file.extensions : {}))
    if (app !== NAMESPACE && !isBlank(value)) log.archive(archiveName('extensions'), { app, value })
}

function archiveModule(
  path: readonly string[],
  value: unknown,
  read: readonly string[],
  log: ImportLog,
): void {
  if (isBlank(value)) return
  if (Array.isArray(value)) for (const row of value) log.archive(archiveName(...path), row)
  else if (isObject(value) && path.length === 1)
    for (const [name, inner] of Object.entries(value)) {
      if (!read.includes(name)) archiveModule([...path, name], inner, [], log)
    }
  else log.archive(archiveName(...path), value)
}
