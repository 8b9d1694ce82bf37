import { createMessageTools } from '../messages'

const { list, number, plural } = createMessageTools('en-GB')

/** Texts of Insights. */
export const insights = {
  span: 'Period',
  spans: {
    week: '7 days',
    fortnight: '14 days',
    month: '30 days',
    year: '1 year',
    all: 'All',
    own: 'Custom',
  },
  noSwitches: {
    week: 'No switches in the last 7 days.',
    fortnight: 'No switches in the last 14 days.',
    month: 'No switches in the last 30 days.',
    year: 'No switches in the last year.',
    all: 'No switches yet.',
    own: 'No switches in this period.',
  },
  showSpan: {
    week: 'Show last 7 days',
    fortnight: 'Show last 14 days',
    month: 'Show last 30 days',
    year: 'Show last year',
    all: 'Show all',
    own: 'Show this period',
  },
  nobodyHere: 'No one was here in this period.',
  toNow: 'Log the first switch',
  wrongOrder: '“From” can’t be after “To”.',
  notYet: 'This period is in the future.',
  noDays: 'Enter two dates.',
  hideCustomFronts: 'Hide custom fronts',
  untilNow: (from: string) => `${from} until now`,
  fromTo: (from: string, to: string) => `${from} to ${to}`,

  summary: 'Summary',
  switches: (count: number) => plural(count, { one: 'switch', other: 'switches' }),
  perDay: 'per day',
  longestTime: (name: string) => `longest time here (${name})`,
  loaded: (span: string, count: number) =>
    plural(count, { one: `${span}: 1 switch`, other: `${span}: ${number(count)} switches` }),

  timeHere: 'Time here',
  longest: (name: string, time: string, share: string) =>
    `${name} was here longest: ${time}, ${share} of the time.`,
  timeOfDay: 'Time of day',
  peaks: (parts: readonly string[]) => `${list(parts)}.`,
  mostlyAround: (name: string, time: string) => `${name} mostly around ${time}`,
  atAllHours: (name: string) => `${name} at all hours`,
  together: 'Often together',
  mostTogether: (names: readonly string[], time: string) => `Most often: ${list(names)}, ${time}.`,
  nobodyTogether: 'No one shared time here.',
  times: (count: number) => plural(count, { one: 'once', other: `${number(count)} times` }),
  weeks: 'Weeks',
  months: 'Months',
  ledWeeks: (name: string, count: number, all: number) =>
    plural(all, {
      one: `${name} was here longest in ${number(count)} of 1 week.`,
      other: `${name} was here longest in ${number(count)} of ${number(all)} weeks.`,
    }),
  ledMonths: (name: string, count: number, all: number) =>
    plural(all, {
      one: `${name} was here longest in ${number(count)} of 1 month.`,
      other: `${name} was here longest in ${number(count)} of ${number(all)} months.`,
    }),
  others: 'Others',
  lessThanOne: 'less than 1%',
  percent: (share: number) => `${number(share)}%`,

  chart: (title: string, summary: string) => `${title}. ${summary}`,
  tableOf: (chart: string) => `${chart}: show as table`,
  chartOf: (chart: string) => `${chart}: show as chart`,
  csvOf: (chart: string) => `${chart}: CSV`,
  csv: 'CSV',
  sortedDown: (column: string) => `Sorted by ${column}, most first`,
  sortedUp: (column: string) => `Sorted by ${column}, least first`,
  sortedText: (column: string) => `Sorted by ${column}, from A to Z`,
  sortedBack: (column: string) => `Sorted by ${column}, from Z to A`,
  columns: {
    who: 'Who',
    time: 'Time',
    share: 'Share',
    stays: 'Times here',
    longest: 'Longest',
    shortest: 'Shortest',
    average: 'Average',
    median: 'Median',
    last: 'Last here',
    times: 'Times',
    week: 'Week from',
    month: 'Month',
    switches: 'Switches',
    nobody: 'Nobody',
  },
  none: '–',
  stillHere: 'still here',
}
