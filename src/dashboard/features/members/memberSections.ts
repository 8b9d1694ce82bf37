import { isArchived, isCustomFront, type Member } from '../../api/types'
import { listStrings, strings } from '../../texts/texts'

/** Members of one kind under their heading; members that are not archived have none. */
export type Section = readonly [heading: string, members: readonly Member[]]

/** Splits members into sections and leaves out empty ones. */
export function listSections(some: readonly Member[]): Section[] {
  const present = some.filter((member) => !isArchived(member))
  const sections: Section[] = [
    ['', present.filter((member) => !isCustomFront(member))],
    [strings.customFronts, present.filter(isCustomFront)],
    [listStrings.archived, some.filter(isArchived)],
  ]
  return sections.filter(([, inside]) => inside.length > 0)
}
