import { createMessageTools, type Word } from '../messages'

const { number, plural } = createMessageTools('en')

/** Texts of custom fronts, long descriptions and archived members. */
export const memberExt = {
  customFront: 'Custom front',
  descriptionHint: (isLong: boolean) =>
    isLong
      ? `Longer than ${number(1000)} characters: bots and other apps show only the beginning.`
      : `Bots and other apps show up to ${number(1000)} characters of it.`,
  customFrontEffect: (word: Word) =>
    `For a state such as Asleep or Blurry. It gets its own row on Now and isn’t counted among the ${word.many}.`,
  reallyEveryone: 'Everyone includes custom fronts and those who are archived.',
  countOfCustomFronts: (count: number) =>
    plural(count, { one: '1 custom front', other: `${number(count)} custom fronts` }),

  archiveHeading: 'Archive',
  archive: 'Archive',
  restore: 'Restore',
  reason: 'Reason',
  archiveEffect:
    'Archived ones are no longer suggested or listed with the others; a search still finds them. History, groups and privacy stay as they are.',
  archiveAsk: (name: string) => `Archive ${name}?`,
  archiveWhileHere: (name: string) =>
    `${name} is here now, and stays logged as here until the next switch.`,
  isArchived: (name: string) => `${name} is archived.`,
  isRestored: (name: string) => `${name} is no longer archived.`,
  archivedOn: (day: string) => `Archived on ${day}.`,
}
