import { createMessageTools, type Word } from '../messages'

const { number, plural } = createMessageTools('en-GB')

/** Texts of Reminders. */
export const reminders = {
  /** In the list of pages. */
  more: 'At a time, or after a switch',
  none: 'No reminders yet. Add one for a time of day, or for some time after a switch.',
  add: 'Add reminder',
  editNamed: (name: string) => `Edit ${name}`,
  isDeleted: (name: string) => `${name} was deleted.`,
  text: 'Text',
  limit: 'You have as many reminders as fit. Delete one first.',
  when: 'When',
  kinds: { repeat: 'On some days', after_switch: 'After a switch' },
  everyDays: 'Repeat every … days',
  daysProblem: 'Enter a number of days from 1 to 365.',
  time: 'Time',
  timeMissing: 'Enter a time.',
  from: 'From',
  dateMissing: 'Enter a day.',
  howLong: 'How long after',
  unit: 'Unit',
  units: { minutes: 'minutes', hours: 'hours', days: 'days' },
  afterProblem: 'Enter a time from 1 minute to 30 days.',
  who: 'After who comes to the front',
  fronters: {
    members: (word: Word) => word.a,
    custom_fronts: () => 'a custom front',
    any: (word: Word) => `${word.a} or a custom front`,
  },
  /** The rule in a sentence. */
  repeats: (days: number, time: string) =>
    plural(days, { one: `Every day at ${time}`, other: `Every ${number(days)} days at ${time}` }),
  follows: (length: string, fronter: string) => `${length} after ${fronter} comes to the front`,
  /** When it is due next. */
  off: 'Off',
  waits: 'Waits for the next switch',
  isDue: 'Due now',
  today: (time: string) => `Next: today, ${time}`,
  tomorrow: (time: string) => `Next: tomorrow, ${time}`,
  onDay: (day: string, time: string) => `Next: ${day}, ${time}`,
  isOn: (name: string) => `${name} is on.`,
  isOff: (name: string) => `${name} is off.`,
  /** Offer to turn on reminders that were imported. */
  offered: 'Reminders that are off',
  offer: (count: number) =>
    plural(count, {
      one: `${number(count)} reminder is off. Reminders from an import arrive turned off.`,
      other: `${number(count)} reminders are off. Reminders from an import arrive turned off.`,
    }),
  turnOn: (count: number) => plural(count, { one: 'Turn on', other: 'Turn on all' }),
  areOn: (count: number) =>
    plural(count, {
      one: `${number(count)} reminder is on.`,
      other: `${number(count)} reminders are on.`,
    }),
  notNow: 'Not now',
  noZone: 'Your system has no time zone, so reminders follow UTC.',
  useZone: (zone: string) => `Use ${zone}`,
  zoneIsSet: (zone: string) => `Your time zone is ${zone}.`,
}
