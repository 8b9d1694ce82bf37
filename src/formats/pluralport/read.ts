import type { JsonObject } from '../../model/core/entity'
import { isObject } from '../../model/core/validation'
import { type Bundle, type BundleExtRow, type ReadOptions, UnreadableFile } from '../bundle'
import { ImportLog } from '../importLog'
import { EXT_VERSION } from '../pluralkit/ext'
import { readPluralkit } from '../pluralkit/read'
import { readRef } from '../repair'
import { archiveOthers, requireLists } from './collections'
import { isBlank, objectsIn } from './entry'
import { PLURALPORT_VERSION, versionKeys } from './format'
import { readBoard, readMessages, readRooms } from './readChat'
import { ReadContext } from './readContext'
import { readFields } from './readFields'
import { readFronts } from './readFronts'
import { readGroups, readTerms } from './readGroups'
import { readMembers, readSystem } from './readMembers'
import { readNotes } from './readNotes'

export function isPluralport(file: JsonObject): boolean {
  return versionKeys.some((key) => Object.hasOwn(file, key))
}

/**
 * Parses a PluralPort file. It is converted to the form of our own exports, whose reader validates
 * and repairs the values.
 */
export function readPluralport(file: JsonObject, options: ReadOptions): Bundle {
  requireVersion(file)
  requireLists(file)
  const log = new ImportLog()
  const context = new ReadContext(file, options, log)
  const converted = toOwnForm(context)
  archiveOthers(context)
  const bundle = readPluralkit(converted, options, log)
  const { pictures } = context.assets
  return withOrigins({ ...bundle, format: 'pluralport', pictures }, context)
}

function requireVersion(file: JsonObject): void {
  const version = versionKeys.map((name) => file[name]).find((value) => !isBlank(value))
  const text = typeof version === 'number' ? String(version) : readRef(version)
  if (text === PLURALPORT_VERSION) return
  const isNumber = text !== undefined && /^\d[\d.]{0,15}$/.test(text)
  throw new UnreadableFile(
    'broken',
    `The file has PluralPort version ${isNumber ? text : 'of another kind'}, this server reads ${PLURALPORT_VERSION}.`,
  )
}

/** Converts the file to the form of our own exports. */
function toOwnForm(context: ReadContext): JsonObject {
  const { own, file } = context
  const system = readSystem(context)
  const members = readMembers(context)
  const groups = readGroups(context)
  const fronts = readFronts(context)
  const fields = readFields(context)
  const { ext: storedExt, version: _, config, ...extras }: JsonObject = own ?? {}
  const ext = {
    ...(isObject(storedExt) ? storedExt : { version: EXT_VERSION }),
    members: members.exts,
    groups: groups.exts,
    fields: fields.rows,
    values: fields.values,
    front_notes: fronts.notes,
    notes: readNotes(context),
    rooms: readRooms(context),
    posts: [...readMessages(context), ...readBoard(context)],
  }
  // After all records that may name an asset.
  context.assets.archiveOthers(objectsIn(file.assets))
  return {
    ...system,
    config,
    accounts: [],
    members: members.rows,
    groups: [...groups.rows, ...readTerms(context)],
    switches: fronts.switches,
    multitude: { ...extras, switches: fronts.uuids, ext },
  }
}

/** Replaces the temporary UUIDs of rows of other apps by their origins. */
function withOrigins(bundle: Bundle, { origins }: ReadContext): Bundle {
  const replace = <T extends { uuid?: string }>(row: T): T => {
    const { uuid, ...rest } = row
    const origin = origins.get(uuid ?? '')
    return origin === undefined ? row : ({ ...rest, ...(origin && { origin }) } as T)
  }
  const ext = Object.fromEntries(
    Object.entries(bundle.ext).map(([part, rows]) => [part, rows.map(replace<BundleExtRow>)]),
  ) as Bundle['ext']
  return {
    ...bundle,
    system: replace(bundle.system),
    members: bundle.members.map(replace),
    groups: bundle.groups.map(replace),
    ext,
  }
}
