import type { Db } from '../../../db/types'
import type { BundlePicture, Repair } from '../../../formats/bundle'
import { countIn } from '../../../formats/chunks'
import { importedPicture } from '../../../formats/pictures/importedPicture'
import type { Entity, JsonObject } from '../../../model/core/entity'
import { error } from '../../../model/core/errors'
import { isUrl } from '../../../model/core/field'
import { type Reason, reportReason } from '../../../model/core/reasonMessages'
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
import { type ImportRun, type PictureFiles, wants } from './importRun'
import type { ImportStep } from './importStep'

/** Values that may have addresses of pictures, with what the report calls them. */
interface Named {
  readonly kind: Repair['kind']
  readonly name: string | null
  readonly entity: Entity
  readonly values: JsonObject
}

/** Picture at an address of the file, or the reason why there is none. */
type FilePicture = Pick<BundlePicture, 'type' | 'base64'> | { readonly why: Reason }

/** Pictures inside the file, and those beside it. */
export class Pictures implements ImportStep {
  readonly reads = 'groups'
  /** Names of all that values of the file have, of which the system may have had some before. */
  readonly #names = new Set<string>()
  readonly #added: (NamedPicture & { readonly base64: string })[] = []

  constructor(readonly run: ImportRun) {}

  /**
   * Replaces the addresses of pictures in the file by those that they get here. Of pictures that are
   * not stored, addresses inside the file are removed, and others stay. A picture that the system has
   * is not added.
   */
  async plan(): Promise<void> {
    const { run } = this
    const { deps, file, report, systemId } = run
    const named = namedValues(run)
    const collections = new Map(
      file.pictures.map(({ address, collection }) => [address, collection]),
    )
    const pictures = new Map<string, FilePicture>(
      file.pictures.map((picture) => [picture.address, picture]),
    )
    if (run.options.pictures) await readPictures(run, run.options.pictures, named, pictures)
    const results = new Map<string, Result>()
    if (pictures.size > 0) {
      const wanted = new Set(
        pictures.values().flatMap((picture) => ('base64' in picture ? [picture.base64] : [])),
      )
      const existing = await findSamePictures(deps.db, systemId ?? 0, wanted, () => run.advance(0))
      const used = await usedPictureBytes(deps.db, systemId ?? 0)
      const space = { left: deps.quotas.pictures - used }
      for (const { kind, name, values } of named)
        for (const [field, address] of Object.entries(values)) {
          const picture = typeof address === 'string' && pictures.get(address)
          if (!picture) continue
          const collection = collections.get(address)
          const earlierResult = results.get(address)
          const result = earlierResult ?? this.#planPicture(picture, existing, space)
          if ('why' in result && !earlierResult && collection) countIn(report.skipped, collection)
          results.set(address, result)
          if ('url' in result) values[field] = result.url
          else {
            if (collection) Reflect.deleteProperty(values, field)
            const was = collection ? null : address
            report.repairs.push({ kind, name, field, was, now: was, ...reportReason(result.why) })
          }
          await run.advance(0)
        }
    }
    this.#count(results)
    // Frees what is not needed any more; a file may have 64 MiB of it.
    file.pictures.length = 0
  }

  /** Stores new pictures in batches. Without the rest of the import, no URL names them. */
  async stage(): Promise<void> {
    const { deps } = this.run
    if (this.#added.length === 0) return
    const staging = await this.run.staging()
    await writeInBatches(deps, staging, this.#added, async (tx, { name, base64, type }) => {
      const picture = { type, bytes: Buffer.from(base64, 'base64') }
      const stored = await storePicture(deps, tx, staging.systemId, picture, name)
      if ('problem' in stored) throw stored.problem
    })
  }

  /** Throws if a picture was deleted since. */
  async apply(tx: Db, systemId: number): Promise<boolean> {
    for (const name of this.#names)
      if (!(await isStored(tx, systemId, name)))
        throw error('conflict', 'pictures were changed by another request; import again')
    return false
  }

  /** Deletes the pictures of an import that failed. Those of a killed process are deleted as unused. */
  async cleanUp(isCommitted: boolean): Promise<void> {
    const { deps, begun } = this.run
    if (isCommitted || !begun || this.#added.length === 0) return
    await deps.transact({ system: begun.systemId }, async (tx) => {
      for (const { name } of this.#added) await deleteStored(tx, begun.systemId, name)
    })
  }

  /** Counts distinct pictures, if the import has some beside the file. */
  #count(results: ReadonlyMap<string, Result>): void {
    const { options, report } = this.run
    if (!options.pictures) return
    const added = this.#added.length
    report.pictures = {
      added,
      unchanged: this.#names.size - added,
      left_out: new Set(
        [...results].flatMap(([address, result]) =>
          'why' in result ? [pictureNamesIn(address)[0] ?? address] : [],
        ),
      ).size,
    }
  }

  #planPicture(
    picture: FilePicture,
    existing: Map<string, NamedPicture>,
    space: { left: number },
  ): Result {
    const { publicUrl } = this.run.deps
    if ('why' in picture) return picture
    const { base64, type } = picture
    if (publicUrl === '') return { why: NO_ADDRESS }
    const plan = ({ name, type }: NamedPicture) => {
      this.#names.add(name)
      return { url: pictureUrl(publicUrl, name, type) }
    }
    const samePicture = existing.get(base64)
    if (samePicture) return plan(samePicture)
    const size = Buffer.byteLength(base64, 'base64')
    if (size > space.left) return NO_SPACE
    space.left -= size
    const added = { name: newPictureName(), type }
    this.#added.push({ ...added, base64 })
    // Several addresses may have the same picture.
    existing.set(base64, added)
    return plan(added)
  }
}

/** Address that a picture gets here, or the reason why it is not stored. */
type Result = { readonly url: string } | { readonly why: Reason }

/** Reads the pictures beside the file that its addresses name, up to the limit of the system. */
async function readPictures(
  run: ImportRun,
  files: PictureFiles,
  named: readonly Named[],
  pictures: Map<string, FilePicture>,
): Promise<void> {
  let bytes = 0
  const distinct = new Set<string>()
  for (const { entity, values } of named)
    for (const [key, field] of entity.entries) {
      const address = isUrl(field) ? values[key] : null
      const name = typeof address === 'string' ? pictureNamesIn(address)[0] : undefined
      if (typeof address !== 'string' || name === undefined || pictures.has(address)) continue
      const read = bytes > run.deps.quotas.pictures ? NO_SPACE : await files.read(name)
      const picture = 'why' in read ? read : readPicture(read)
      pictures.set(address, picture)
      if ('base64' in picture && !distinct.has(picture.base64)) {
        distinct.add(picture.base64)
        bytes += (picture.base64.length * 3) / 4
      }
      await run.advance(0)
    }
}

function readPicture(bytes: Uint8Array): FilePicture {
  const picture = importedPicture(bytes)
  if ('why' in picture) return picture
  return { type: picture.type, base64: Buffer.from(picture.bytes).toString('base64') }
}

const NO_SPACE = { why: 'no_space_for_pictures' } as const
const NO_ADDRESS = 'no_public_url'

function namedValues(run: ImportRun): Named[] {
  const { file, options } = run
  const { head, members, groups } = file
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
    ...(wants(run, 'members') ? members : []).map(
      ({ values }): Named => ({ kind: 'member', name: values.name, entity: member, values }),
    ),
    ...(wants(run, 'groups') ? groups : []).map(
      ({ values }): Named => ({ kind: 'group', name: values.name, entity: group, values }),
    ),
  ]
}
