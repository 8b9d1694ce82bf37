import type { Db } from '../../../db/types'
import { createYielder } from '../../../db/yieldToEventLoop'
import {
  type ConvertibleCollection,
  converterVersionOf,
  convertibleCollections,
  convertibleRow,
  longDescriptionOf,
  membersOfRow,
  sharedRest,
} from '../../../formats/simplyplural/archive'
import { areRemainsOfEncrypted } from '../../../formats/simplyplural/chat'
import type { AppRow } from '../../../formats/simplyplural/rows'
import type { JsonObject } from '../../../model/core/entity'
import { listRowsToConvert, type RowToConvert } from '../../../store/transfer/conversionRows'

export interface SourceRow {
  readonly id: number
  readonly collection: ConvertibleCollection
  readonly content: string
  readonly digest: string
  /** ID in the app; null if the row has nothing to convert. */
  readonly sourceId: string | null
  /** True if only versions that could not read the row have left it. */
  readonly isUnconverted: boolean
}

export interface SourceRows {
  readonly all: SourceRow[]
  /** The newest version of each row that can be converted, by ID, in the order of the first versions. */
  readonly newest: Record<ConvertibleCollection, Map<string, SourceRow>>
  /** Contents of the rows of members, custom fronts and groups. */
  readonly contents: Map<SourceRow, AppRow>
  /** IDs of the members that rows name. */
  readonly memberIds: Map<SourceRow, string[]>
  /** Keys of converted rows that say who could see them, by collection and ID. */
  readonly shared: Map<string, SharedRest>
  readonly descriptions: { row: SourceRow; name: string; text: string }[]
}

/** The newest version of what is left of a row, with all versions. */
export interface SharedRest {
  app: AppRow
  readonly versions: SourceRow[]
}

const PAGE = 200

/** Collections whose rows are needed as objects; the others may be long. */
const entityCollections: readonly ConvertibleCollection[] = ['members', 'frontStatuses', 'groups']

/** Reads the archived rows of all convertible collections. */
export async function loadSourceRows(db: Db, systemId: number): Promise<SourceRows> {
  const loaded: SourceRows = {
    all: [],
    newest: Object.fromEntries(
      convertibleCollections.map((collection) => [collection, new Map<string, SourceRow>()]),
    ) as SourceRows['newest'],
    contents: new Map(),
    memberIds: new Map(),
    shared: new Map(),
    descriptions: [],
  }
  const yieldIfDue = createYielder()
  for (const collection of convertibleCollections) {
    const messages: JsonObject[] = []
    for (let after = 0, isLast = false; !isLast; ) {
      const page = await listRowsToConvert(db, systemId, { collection, after, limit: PAGE })
      for (const row of page) {
        const app = addRow(loaded, collection, row)
        if (collection === 'chatMessages' && app)
          messages.push({ iv: app.iv, message: app.message })
        after = row.id
      }
      isLast = page.length < PAGE
      await yieldIfDue()
    }
    // What cannot be decrypted is no text.
    if (areRemainsOfEncrypted(messages)) loaded.newest[collection].clear()
  }
  return loaded
}

function addRow(
  loaded: SourceRows,
  collection: ConvertibleCollection,
  { id, content, digest, reader }: RowToConvert,
): AppRow | null {
  const value: unknown = JSON.parse(content)
  const app = convertibleRow(collection, value)
  const isUnconverted = reader < converterVersionOf(collection)
  const rest = sharedRest(collection, value)
  const sourceId = app?._id ?? rest?._id ?? null
  const row = { id, collection, content, digest, sourceId, isUnconverted }
  loaded.all.push(row)
  const description = collection === 'longTexts' ? longDescriptionOf(value) : null
  if (description) loaded.descriptions.push({ row, ...description })
  if (rest) {
    const key = `${collection} ${rest._id}`
    const { versions } = loaded.shared.get(key) ?? { versions: [] }
    loaded.shared.set(key, { app: rest, versions: [...versions, row] })
  }
  if (!app) return null
  loaded.newest[collection].set(app._id, row)
  const named = membersOfRow(collection, app)
  if (named.length > 0) loaded.memberIds.set(row, named)
  if (entityCollections.includes(collection)) loaded.contents.set(row, app)
  return app
}

/** Returns the version of a row that is converted; undefined if none is. */
export function newestVersion(
  { newest }: SourceRows,
  { collection, sourceId }: SourceRow,
): SourceRow | undefined {
  return sourceId === null ? undefined : newest[collection].get(sourceId)
}
