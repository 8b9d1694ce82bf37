/** Texts of History. */
export const history = {
  days: 'Days',
  list: 'List',
  month: 'Month',
  view: 'View',
  addPast: 'Add a past switch',
  edit: 'Edit',
  editNamed: (time: string, names: string) => `Edit switch, ${time}, ${names}`,
  editSwitch: 'Edit switch',
  addSomeone: 'Add someone',
  remove: (name: string) => `Remove ${name}`,
  soFar: (length: string) => `${length} so far`,
  earlierDays: 'Show earlier days',
  noSwitches: 'No switches in this period.',
  toLast: (day: string) => `Go to the last switch, ${day}`,
  previousMonth: 'Previous month',
  nextMonth: 'Next month',
  effects: 'What this changes',
  noEffect: 'No changes yet.',
  changesUntilNow: (from: string, before: string, after: string) =>
    `${after} instead of ${before} from ${from} until now.`,
  changes: (from: string, to: string, before: string, after: string) =>
    `${after} instead of ${before} from ${from} to ${to}.`,
  nobody: 'nobody',
  noRecord: 'no record',
  ifDeleted: (effects: string) => `If you delete it: ${effects}`,
  ifDeletedNothing: 'If you delete it, nothing else changes.',
}
