import type { Db } from '../../../db/types'
import type { BundlePicture, Repair } from '../../../formats/bundle'
import { countIn } from '../../../formats/chunks'
import { importedPicture } from '../../../formats/pictures/importedPicture'
import type { Entity, JsonObject } from '../../../model/core/entity'
import { error } from '../../../model/core/errors'
import { isUrl } from '../../../model/core/field'
import { group } from '../../../model/groups/group'
import { member } from '../../../model/members/member'
import { pictureNamesIn, pictureUrl } from '../../../model/pictures/picture'
import { memberGuild, systemGuild } from '../../../model/proxy/guild'
import { system } from '../../../model/systems/system'
import {
  deleteStored,
  findSamePictures,
  isStored,
  type NamedPicture,
  newPictureName,
  storePicture,
  usedPictureBytes,
} from '../../../store/pictures/pictureRows'
import { writeInBatches } from '../../systems/staging'
import type { Import, PictureFiles } from './importContext'
import { wants } from './importEntities'

/** Values that may have addresses of pictures, with what the report calls them. */
interface Named {
  readonly kind: Repair['kind']
  readonly name: string | null
  readonly entity: Entity
  readonly values: JsonObject
}

/** Picture at an address of the file, or the reason why there is none. */
type Given = Pick<BundlePicture, 'type' | 'base64'> | { readonly why: string }

/**
 * Replaces the addresses of pictures inside the file, and of those beside it, by those that they get
 * here. Of pictures that are not stored, addresses inside the file are removed, and others stay. A
 * picture that the system has is not added.
 */
export async function planPictures(work: Import): Promise<void> {
  const { deps, options, report } = work
  const named = namedValues(work)
  const collections = new Map(work.pictures.map(({ address, collection }) => [address, collection]))
  const given = new Map<string, Given>(work.pictures.map((picture) => [picture.address, picture]))
  if (options.pictures) await readPictures(work, options.pictures, named, given)
  if (given.size > 0) {
    const wanted = new Set(given.values().flatMap((one) => ('base64' in one ? [one.base64] : [])))
    const existing = await findSamePictures(deps.db, work.systemId ?? 0, wanted, () => work.step(0))
    const results = new Map<string, { url: string } | { why: string }>()
    const used = await usedPictureBytes(deps.db, work.systemId ?? 0)
    const space = { left: deps.quotas.pictures - used }
    for (const { kind, name, values } of named)
      for (const [field, address] of Object.entries(values)) {
        const picture = typeof address === 'string' && given.get(address)
        if (!picture) continue
        const collection = collections.get(address)
        const known = results.get(address)
        const result = known ?? planPicture(work, picture, existing, space)
        if ('why' in result && !known && collection) countIn(report.skipped, collection)
        results.set(address, result)
        // In place, because matching again in the last transaction copies the entry.
        if ('url' in result) values[field] = result.url
        else {
          if (collection) Reflect.deleteProperty(values, field)
          const was = collection ? null : address
          report.repairs.push({ kind, name, field, was, now: was, why: result.why })
        }
        await work.step(0)
      }
    countPictures(work, results)
  } else countPictures(work, new Map())
  // Frees what is not needed any more; a file may have 64 MiB of it.
  work.pictures.length = 0
}

/** Counts distinct pictures, if the import has some beside the file. */
function countPictures(
  { options, report, imported }: Import,
  results: ReadonlyMap<string, { url: string } | { why: string }>,
): void {
  if (!options.pictures) return
  const added = imported.added.length
  report.pictures = {
    added,
    unchanged: imported.names.size - added,
    left_out: new Set(
      [...results].flatMap(([address, result]) =>
        'why' in result ? [pictureNamesIn(address)[0] ?? address] : [],
      ),
    ).size,
  }
}

/** Reads the pictures beside the file that its addresses name, up to the limit of the system. */
async function readPictures(
  work: Import,
  files: PictureFiles,
  named: readonly Named[],
  given: Map<string, Given>,
): Promise<void> {
  let bytes = 0
  const distinct = new Set<string>()
  for (const { entity, values } of named)
    for (const [key, field] of entity.entries) {
      const address = isUrl(field) ? values[key] : null
      const name = typeof address === 'string' ? pictureNamesIn(address)[0] : undefined
      if (typeof address !== 'string' || name === undefined || given.has(address)) continue
      const read = bytes > work.deps.quotas.pictures ? NO_SPACE : await files.read(name)
      const picture = 'why' in read ? read : readPicture(read)
      given.set(address, picture)
      if ('base64' in picture && !distinct.has(picture.base64)) {
        distinct.add(picture.base64)
        bytes += (picture.base64.length * 3) / 4
      }
      await work.step(0)
    }
}

function readPicture(given: Uint8Array): Given {
  const picture = importedPicture(given)
  if ('why' in picture) return picture
  return { type: picture.type, base64: Buffer.from(picture.bytes).toString('base64') }
}

const NO_SPACE = { why: 'no space is left for pictures of this system' }
const NO_ADDRESS = 'the server has no PUBLIC_URL'

function namedValues(work: Import): Named[] {
  const { head, members, groups, options } = work
  const { patch } = head.system
  const ofSystem: Named[] = [
    { kind: 'system', name: patch.name ?? null, entity: system, values: patch },
    ...head.systemGuilds.map(
      (values): Named => ({ kind: 'guild', name: values.guild_id, entity: systemGuild, values }),
    ),
    ...head.memberGuilds.map(
      (values): Named => ({ kind: 'guild', name: values.guild_id, entity: memberGuild, values }),
    ),
  ]
  return [
    ...(options.only === null ? ofSystem : []),
    ...(wants(work, 'members') ? members : []).map(
      ({ values }): Named => ({ kind: 'member', name: values.name, entity: member, values }),
    ),
    ...(wants(work, 'groups') ? groups : []).map(
      ({ values }): Named => ({ kind: 'group', name: values.name, entity: group, values }),
    ),
  ]
}

function planPicture(
  { deps, imported }: Import,
  given: Given,
  existing: Map<string, NamedPicture>,
  space: { left: number },
): { url: string } | { why: string } {
  if ('why' in given) return given
  const { base64, type } = given
  if (deps.publicUrl === '') return { why: NO_ADDRESS }
  const plan = ({ name, type }: NamedPicture) => {
    imported.names.add(name)
    return { url: pictureUrl(deps.publicUrl, name, type) }
  }
  const found = existing.get(base64)
  if (found) return plan(found)
  const size = Buffer.byteLength(base64, 'base64')
  if (size > space.left) return NO_SPACE
  space.left -= size
  const added = { name: newPictureName(), type }
  imported.added.push({ ...added, base64 })
  // Several addresses may have the same picture.
  existing.set(base64, added)
  return plan(added)
}

/** Stores new pictures in batches. Without the rest of the import, no URL names them. */
export async function stagePictures(work: Import): Promise<void> {
  const { deps, imported } = work
  if (imported.added.length === 0) return
  const staging = await work.staging()
  await writeInBatches(deps, staging, imported.added, async (tx, { name, base64, type }) => {
    const picture = { type, bytes: Buffer.from(base64, 'base64') }
    const stored = await storePicture(deps, tx, staging.systemId, picture, name)
    if ('problem' in stored) throw stored.problem
  })
}

/** Throws if a picture was deleted since, in the last transaction of the import. */
export async function requirePictures(
  { imported }: Import,
  tx: Db,
  systemId: number,
): Promise<void> {
  for (const name of imported.names)
    if (!(await isStored(tx, systemId, name)))
      throw error('conflict', 'pictures were changed by another request; import again')
}

/** Deletes the pictures of an import that failed. Those of a killed process are deleted as unused. */
export async function rollBackPictures({ deps, imported, begun }: Import): Promise<void> {
  if (!begun || imported.added.length === 0) return
  await deps.transact({ system: begun.systemId }, async (tx) => {
    for (const { name } of imported.added) await deleteStored(tx, begun.systemId, name)
  })
}
