import type { JsonObject } from '../../model/core/entity'
import type { Problems } from '../../model/core/errors'
import { Problem } from '../../model/core/validation'
import { parseValue } from '../../model/members/fieldValue'
import type { FieldDefinition, ParsedValues } from '../../store/members/fieldValueRows'

/** Parses values by the UUID of their field, and adds their problems to those found so far. */
export function parseValues(
  definitions: readonly FieldDefinition[],
  input: JsonObject,
  problems: Problems,
  under: string,
): ParsedValues {
  const byUuid = new Map(definitions.map((definition) => [definition.uuid, definition]))
  const values = new Map<number, string | null>()
  for (const [uuid, value] of Object.entries(input)) {
    const definition = byUuid.get(uuid.toLowerCase())
    const parsed = definition ? parseValue(definition, value) : new Problem('field_not_found')
    if (parsed instanceof Problem) problems[`${under}.${uuid}`] = [parsed]
    else if (definition) values.set(definition.id, parsed === null ? null : JSON.stringify(parsed))
  }
  return values
}
