import { randomUUID } from 'node:crypto'
import type { Problems } from '../../model/core/errors'
import type { Option } from '../../model/core/field'
import { isObject, Problem } from '../../model/core/validation'
import { MAX_OPTIONS } from '../../model/journal/poll'

/** Returns the problems of given options whose IDs are not among the known ones. */
export function unknownOptions(
  options: unknown,
  storedOptions: readonly Option[] | null | undefined,
): Problems {
  const ids = new Set(storedOptions?.map(({ id }) => id))
  const problems: Problems = {}
  for (const [index, option] of (Array.isArray(options) ? options : [])
    .slice(0, MAX_OPTIONS)
    .entries()) {
    const { id = '' }: { id?: unknown } = isObject(option) ? option : {}
    if (typeof id === 'string' && id !== '' && !ids.has(id))
      problems[`options.${index}.id`] = [new Problem('option_not_found')]
  }
  return problems
}

/** Gives an ID to each new option. */
export function withOptionIds(options: readonly Option[]): Option[] {
  return options.map((option) => (option.id === '' ? { ...option, id: randomUUID() } : option))
}

/** Lists the IDs of options that a change removes. */
export function removedOptions(
  before: readonly Option[] | null,
  after: readonly Option[] | null,
): string[] {
  const kept = new Set(after?.map(({ id }) => id))
  return (before ?? []).map(({ id }) => id).filter((id) => !kept.has(id))
}
