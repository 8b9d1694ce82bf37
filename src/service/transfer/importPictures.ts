import type { Db } from '../../db/types'
import type { BundlePicture, Repair } from '../../formats/bundle'
import { countIn } from '../../formats/chunks'
import { error } from '../../model/errors'
import { pictureUrl } from '../../model/ext/picture'
import {
  deleteStored,
  findSamePictures,
  isStored,
  type NamedPicture,
  newPictureName,
  storePicture,
  usedPictureBytes,
} from '../extRows/pictures'
import { writeInBatches } from '../staging'
import type { Import } from './importContext'
import { wants } from './importEntities'

/** Values of the system, a member or a group, with what the report calls it. */
interface Named {
  readonly kind: Repair['kind']
  readonly name: string | null
  readonly values: object
}

/**
 * Replaces the addresses of pictures inside the file by those that they get here, and removes the
 * addresses of pictures for which there is no space. A picture that the system has is not added.
 */
export async function planPictures(work: Import): Promise<void> {
  if (work.pictures.length === 0) return
  const { deps, report } = work
  const given = new Map(work.pictures.map((picture) => [picture.address, picture]))
  const wanted = new Set(work.pictures.map(({ base64 }) => base64))
  const existing = await findSamePictures(deps.db, work.systemId ?? 0, wanted, () => work.step(0))
  const results = new Map<string, { url: string } | { why: string }>()
  const used = await usedPictureBytes(deps.db, work.systemId ?? 0)
  const space = { left: deps.quotas.pictures - used }
  for (const { kind, name, values } of namedValues(work))
    for (const [field, address] of Object.entries(values)) {
      const picture = given.get(address)
      if (!picture) continue
      const result = results.get(address) ?? planPicture(work, picture, existing, space)
      if ('why' in result && !results.has(address)) countIn(report.skipped, picture.collection)
      results.set(address, result)
      // In place, because matching again in the last transaction copies the entry.
      if ('url' in result) Object.assign(values, { [field]: result.url })
      else {
        Reflect.deleteProperty(values, field)
        report.repairs.push({ kind, name, field, was: null, now: null, why: result.why })
      }
      await work.step(0)
    }
  // Frees what is not needed any more; a file may have 64 MiB of it.
  work.pictures.length = 0
}

function namedValues(work: Import): Named[] {
  const { head, members, groups, options } = work
  const { patch } = head.system
  return [
    ...(options.only === null
      ? [{ kind: 'system', name: patch.name ?? null, values: patch } as const]
      : []),
    ...(wants(work, 'members') ? members : []).map(
      ({ values }) => ({ kind: 'member', name: values.name, values }) as const,
    ),
    ...(wants(work, 'groups') ? groups : []).map(
      ({ values }) => ({ kind: 'group', name: values.name, values }) as const,
    ),
  ]
}

function planPicture(
  { deps, imported }: Import,
  { base64, type }: BundlePicture,
  existing: ReadonlyMap<string, NamedPicture>,
  space: { left: number },
): { url: string } | { why: string } {
  if (deps.publicUrl === '') return { why: 'the server has no PUBLIC_URL' }
  const plan = ({ name, type }: NamedPicture) => {
    imported.names.add(name)
    return { url: pictureUrl(deps.publicUrl, name, type) }
  }
  const found = existing.get(base64)
  if (found) return plan(found)
  const size = Buffer.byteLength(base64, 'base64')
  if (size > space.left) return { why: 'no space is left for pictures of this system' }
  space.left -= size
  const name = newPictureName()
  imported.added.push({ name, base64, type })
  return plan({ name, type })
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
