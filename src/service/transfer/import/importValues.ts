import type { Db } from '../../../db/types'
import { batches } from '../../../formats/chunks'
import type { JsonObject } from '../../../model/core/entity'
import { error } from '../../../model/core/errors'
import type { Option } from '../../../model/core/field'
import { storedBytes } from '../../../model/core/textSize'
import { Problem } from '../../../model/core/validation'
import { hasOptions } from '../../../model/members/customField'
import { type FieldType, type FieldValue, parseValue } from '../../../model/members/fieldValue'
import {
  countFields,
  fieldsOfSystem,
  valuesOfMembers,
  writeValues,
} from '../../../store/transfer/importExtRows'
import type { Entities } from './importEntities'
import { lastOfEach, type OwnedRows, writeAll } from './importRows'
import { type ImportRun, leaveOut, NO_SPACE, NOT_IMPORTED, wants } from './importRun'
import type { ImportStep } from './importStep'

interface ValueRow {
  member_id: number
  field_id: number
  value: string
}

/** Each of them may have a value of 100 fields. */
const MEMBERS_AT_ONCE = 20

/** A value may have 4,000 characters. */
const VALUES_AT_ONCE = 100

/** Values of custom fields. Those of existing fields and members are written last. */
export class Values implements ImportStep {
  readonly reads = 'ext'
  #staged: ValueRow[] = []
  readonly #visible: ValueRow[] = []

  constructor(
    readonly run: ImportRun,
    readonly entities: Entities,
    readonly fields: OwnedRows,
  ) {}

  async plan(): Promise<void> {
    const { run, fields } = this
    const { deps, file, ids, report, space, systemId } = run
    const { ext } = file
    if (!report.ext) return
    const tally = report.ext.values
    if (!wants(run, 'fields')) {
      tally.left_out += ext.values.length
      return
    }
    const isExisting = new Set(
      this.entities.members.flatMap(({ incoming, found }) => (found ? incoming.key : [])),
    )
    const stored = await this.#storedValues(deps.db)
    const definitions = new Map<number, FieldType>(
      (await fieldsOfSystem(deps.db, systemId ?? 0)).map((row) => [row.id, row]),
    )
    const fieldsOfFile = new Map(ext.fields.map(({ key, values }) => [key, values]))
    let [missing, unfit, above] = [0, 0, 0]
    // One value for each member and field: the last one counts.
    for (const { refs, values } of await lastOfEach(run, 'values', 'member', 'field')) {
      await run.advance(0)
      const [member, field] = [refs.member ?? '', refs.field ?? '']
      const [member_id, field_id] = [ids.members.get(member), ids.fields.get(field)]
      if (member_id === undefined || field_id === undefined) {
        missing += 1
        continue
      }
      const isNewField = fields.added.has(field)
      const definition = isNewField ? null : definitions.get(field_id)
      const converted = definition
        ? convertValue(definition, values.value, optionsOf(fieldsOfFile.get(field)))
        : withNewOptions(values.value, fields.options.get(field))
      if (converted instanceof Problem || converted === null) {
        unfit += 1
        continue
      }
      const value = JSON.stringify(converted)
      const isVisible = !isNewField && isExisting.has(member)
      const before = isVisible ? stored.get(`${member_id} ${field_id}`) : undefined
      if (before === value) tally.unchanged += 1
      else if (above > 0 || !space.take(storedBytes(value) - storedBytes(before))) above += 1
      else {
        tally[before === undefined ? 'added' : 'changed'] += 1
        if (!isVisible) space.countStaged({ text_bytes: storedBytes(value) })
        const rows = isVisible ? this.#visible : this.#staged
        rows.push({ member_id, field_id, value })
      }
    }
    leaveOut(run, 'values', missing, NOT_IMPORTED)
    leaveOut(run, 'values', unfit, 'other_field_type')
    leaveOut(run, 'values', above, NO_SPACE)
    await run.advance(ext.values.length)
  }

  async stage(): Promise<void> {
    await writeAll(this.run, this.#staged, writeValues)
    this.#staged = []
  }

  async apply(tx: Db): Promise<boolean> {
    const { run } = this
    const values = this.#visible
    if (values.length === 0) return false
    const fieldIds = [...new Set(values.map(({ field_id }) => field_id))]
    if ((await countFields(tx, fieldIds)) < fieldIds.length)
      throw error('conflict', 'fields were deleted by another request; import again')
    const stored = await this.#storedValues(tx)
    for (const { member_id, field_id, value } of values)
      run.space.countApplied(
        storedBytes(value) - storedBytes(stored.get(`${member_id} ${field_id}`)),
      )
    for (const batch of batches(values, VALUES_AT_ONCE)) {
      await writeValues(tx, JSON.stringify(batch))
      await run.advance(0)
    }
    return true
  }

  /** Returns the values of the existing members, by the row IDs of member and field. */
  async #storedValues(db: Db): Promise<Map<string, string>> {
    const stored = new Map<string, string>()
    const ids = this.entities.members.flatMap(({ found }) => found?.id ?? [])
    for (const batch of batches(ids, MEMBERS_AT_ONCE)) {
      for (const { member_id, field_id, value } of await valuesOfMembers(db, batch))
        stored.set(`${member_id} ${field_id}`, value)
      await this.run.advance(0)
    }
    return stored
  }
}

function optionsOf(field: JsonObject | undefined): readonly Option[] {
  return Array.isArray(field?.options) ? field.options : []
}

/** Replaces IDs of options, which a new field has only if they are UUIDs in the file. */
function withNewOptions(value: unknown, ids: ReadonlyMap<string, string> | undefined): unknown {
  const here = (id: unknown) => ids?.get(String(id)) ?? id
  return Array.isArray(value) ? value.map(here) : here(value)
}

/** Converts a value of the file to the type and the options that the field has here. */
function convertValue(
  definition: FieldType,
  value: unknown,
  ofFile: readonly Option[],
): FieldValue | Problem {
  const { type, options } = definition
  const nameOf = (id: unknown) => ofFile.find((option) => option.id === id)?.name
  if (hasOptions(type)) {
    const here = (id: unknown) =>
      options?.find((option) => option.id === id || option.name === nameOf(id))?.id ?? id
    return parseValue(definition, Array.isArray(value) ? value.map(here) : here(value))
  }
  if ((type === 'text' || type === 'markdown') && typeof value !== 'string') {
    const names = (Array.isArray(value) ? value : [value]).map((id) => nameOf(id) ?? String(id))
    return parseValue(definition, names.join(', '))
  }
  return parseValue(definition, value)
}
