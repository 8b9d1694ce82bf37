import type { Ext } from '../catalogue'
import { createMessageTools } from '../messages'

const { number, plural } = createMessageTools('de')

export const reminders: Ext['reminders'] = {
  more: 'Zu einer Uhrzeit oder nach einem Wechsel',
  none: 'Noch keine Erinnerungen. Füg eine hinzu, für eine Uhrzeit oder für einige Zeit nach einem Wechsel.',
  add: 'Erinnerung hinzufügen',
  editNamed: (name) => `${name} bearbeiten`,
  isDeleted: (name) => `${name} ist gelöscht.`,
  text: 'Text',
  limit: 'Mehr Erinnerungen passen nicht. Lösch erst eine.',
  when: 'Wann',
  kinds: { repeat: 'An manchen Tagen', after_switch: 'Nach einem Wechsel' },
  everyDays: 'Alle … Tage wiederholen',
  daysProblem: 'Gib eine Zahl von 1 bis 365 ein.',
  time: 'Uhrzeit',
  timeMissing: 'Gib eine Uhrzeit ein.',
  from: 'Ab',
  dateMissing: 'Gib einen Tag ein.',
  howLong: 'Wie lange danach',
  unit: 'Einheit',
  units: { minutes: 'Minuten', hours: 'Stunden', days: 'Tage' },
  afterProblem: 'Gib eine Zeit von 1 Minute bis 30 Tage ein.',
  who: 'Nachdem nach vorn kommt',
  fronters: {
    members: (word) => `jemand von den ${word.many}`,
    custom_fronts: () => 'ein Custom Front',
    any: (word) => `jemand von den ${word.many} oder ein Custom Front`,
  },
  repeats: (days, time) =>
    plural(days, { one: `Jeden Tag um ${time}`, other: `Alle ${number(days)} Tage um ${time}` }),
  follows: (length, fronter) => `${length}, nachdem ${fronter} nach vorn kommt`,
  off: 'Aus',
  waits: 'Wartet auf den nächsten Wechsel',
  isDue: 'Jetzt fällig',
  today: (time) => `Nächstes Mal: heute, ${time}`,
  tomorrow: (time) => `Nächstes Mal: morgen, ${time}`,
  onDay: (day, time) => `Nächstes Mal: ${day}, ${time}`,
  isOn: (name) => `${name} ist an.`,
  isOff: (name) => `${name} ist aus.`,
  offered: 'Ausgeschaltete Erinnerungen',
  offer: (count) =>
    plural(count, {
      one: `${number(count)} Erinnerung ist aus. Importierte Erinnerungen sind erst einmal ausgeschaltet.`,
      other: `${number(count)} Erinnerungen sind aus. Importierte Erinnerungen sind erst einmal ausgeschaltet.`,
    }),
  turnOn: (count) => plural(count, { one: 'Einschalten', other: 'Alle einschalten' }),
  areOn: (count) =>
    plural(count, {
      one: `${number(count)} Erinnerung ist an.`,
      other: `${number(count)} Erinnerungen sind an.`,
    }),
  notNow: 'Nicht jetzt',
  noZone: 'Dein System hat keine Zeitzone. Die Erinnerungen richten sich nach UTC.',
  useZone: (zone) => `${zone} verwenden`,
  zoneIsSet: (zone) => `Deine Zeitzone ist ${zone}.`,
}
