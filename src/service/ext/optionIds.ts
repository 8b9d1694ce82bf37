import { randomUUID } from 'node:crypto'
import { throwIfInvalid } from '../../model/entity'
import type { Problems } from '../../model/errors'
import type { Option } from '../../model/field'
import { Problem } from '../../model/validation'

/** Gives an ID to each new option. Throws if an option has an ID that is not among the known ones. */
export function withOptionIds(
  options: readonly Option[],
  known: readonly Option[] | null | undefined,
): Option[] {
  const ids = new Set(known?.map(({ id }) => id))
  const problems: Problems = {}
  for (const [at, { id }] of options.entries())
    if (id !== '' && !ids.has(id)) problems[`options.${at}.id`] = [new Problem('Option not found.')]
  throwIfInvalid(problems)
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
