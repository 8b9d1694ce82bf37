import { and, eq, sql } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { fields, fieldValues } from '../../db/tables'
import type { Db } from '../../db/types'
import type { JsonObject } from '../../model/core/entity'
import { error, type Problems } from '../../model/core/errors'
import { storedBytes } from '../../model/core/textSize'
import { Problem } from '../../model/core/validation'
import {
  type CustomFieldPatch,
  type CustomFieldType,
  type customField,
  customFieldTypes,
  hasOptions,
} from '../../model/members/customField'
import {
  type FieldValue,
  isTextType,
  valueAsText,
  withoutRemoved,
} from '../../model/members/fieldValue'
import { unknownOptions, withOptionIds } from '../core/optionIds'
import { listRowsInOrder, type OwnedRow, type OwnedRowKind, ownedRowFacts } from '../core/ownedRows'
import type { StoreDeps } from '../core/storeDeps'
import { addUsage } from '../core/usage'
import { bucketsOfRowSql } from '../friends/bucketLinks'
import { resolveBuckets, setBuckets } from '../friends/bucketRows'
import { insertValues } from './fieldValueRows'

type FieldRow = OwnedRow<typeof customField>

export const fieldKind: OwnedRowKind<typeof customField> = {
  ...ownedRowFacts('fields'),
  lists: {
    buckets: {
      uuids: (dialect, id, systemId) => bucketsOfRowSql(dialect, 'fields', id, systemId),
      async store(tx, systemId, id, uuids) {
        await setBuckets(tx, systemId, 'fields', id, await resolveBuckets(tx, systemId, uuids))
      },
    },
  },
  checkBody: checkOptions,
  chooseValues,
  onChange: adaptValues,
  async remove(tx, id) {
    const size = (await sizeOfValues(tx).get({ field: id }))?.size ?? 0
    await deleteFieldRow(tx).run({ id })
    return { text_bytes: -size }
  },
}

/** Lists all custom fields of a system in their order. */
export function allFields(db: Db, systemId: number): Promise<FieldRow[]> {
  return listRowsInOrder(db, fieldKind, systemId)
}

/** Returns problems of options: IDs that the field does not have, and a type without or with them. */
function checkOptions(body: JsonObject, before: FieldRow | null): Problems {
  const { type = before?.type } = body
  const problems = unknownOptions(body.options, before?.options)
  // The field table reports a wrong type.
  if (!customFieldTypes.some((knownType) => knownType === type)) return problems
  const isChoice = hasOptions(type as CustomFieldType)
  const isKept = body.options === undefined && before !== null && hasOptions(before.type)
  const isMissing = (body.options ?? null) === null && !isKept
  if (isChoice && isMissing) problems.options = [new Problem('options_required')]
  if (!isChoice && (body.options ?? null) !== null)
    problems.options = [new Problem('options_only_for_choices')]
  return problems
}

/** Returns the values that the server chooses: IDs of options, and none for other types. */
async function chooseValues(
  _tx: Db,
  _systemId: number,
  { type, options }: CustomFieldPatch,
  before: FieldRow | null,
): Promise<CustomFieldPatch> {
  const isDropped =
    before !== null && type !== undefined && !hasOptions(type) && options === undefined
  return {
    ...(options && { options: withOptionIds(options) }),
    ...(isDropped && { options: null }),
  }
}

/** Adapts the values of a field to its new type and options. */
async function adaptValues(deps: StoreDeps, tx: Db, before: FieldRow, after: FieldRow) {
  const isConverted = after.type !== before.type
  const remaining = new Set(after.options?.map(({ id }) => id))
  const hasLost = before.options?.some(({ id }) => !remaining.has(id)) ?? false
  if (!isConverted && !hasLost) return {}
  const stored = await valuesOf(tx).all({ field: before.id })
  if (isConverted && !isTextType(after.type) && stored.length > 0) throw error('typeInUse')
  const isSameText = isTextType(before.type) && isTextType(after.type)
  const changes = stored.flatMap(({ member_id, value }) => {
    const parsed: FieldValue = JSON.parse(value)
    const adapted = isSameText
      ? parsed
      : isConverted
        ? valueAsText(before, parsed)
        : withoutRemoved(parsed, after.options ?? [])
    const json = adapted === null ? null : JSON.stringify(adapted)
    return json === value ? [] : [{ member_id, value, json }]
  })
  if (changes.length > 0) {
    const members = JSON.stringify(changes.map(({ member_id }) => member_id))
    await deleteSomeValues(tx).run({ field: before.id, members })
    const kept = changes.flatMap(({ member_id, json }) =>
      json === null ? [] : [{ member_id, field_id: before.id, value: json }],
    )
    await insertValues(tx, kept)
    const grown = changes.reduce(
      (sum, { value, json }) => sum + storedBytes(json) - storedBytes(value),
      0,
    )
    await addUsage(deps, tx, before.system_id, { text_bytes: grown })
  }
  return { cleared: changes.length }
}

const { field_id, member_id, value } = fieldValues

const valuesOf = query((db, { field }: Placeholders<'field'>) =>
  db.select({ member_id, value }).from(fieldValues).where(eq(field_id, field)),
)

const deleteSomeValues = query(
  (db, { field, members }: Placeholders<'field' | 'members'>, { inJsonNumbers }) =>
    db.delete(fieldValues).where(and(eq(field_id, field), inJsonNumbers(member_id, members))),
)

const sizeOfValues = query((db, { field }: Placeholders<'field'>, { size }) =>
  db
    .select({ size: sql<number>`coalesce(sum(${size(value)}), 0)`.as('size') })
    .from(fieldValues)
    .where(eq(field_id, field)),
)

const deleteFieldRow = query((db, { id }: Placeholders<'id'>) =>
  db.delete(fields).where(eq(fields.id, id)),
)
