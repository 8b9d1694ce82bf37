import type { Ext } from '../catalogue'
import { createMessageTools } from '../messages'

const { countOf, number, plural } = createMessageTools('de')

export const fields: Ext['fields'] = {
  more: 'Was ihr übereinander festhaltet',
  intro: (word) => `Was ihr über eure ${word.many} festhaltet, neben Name und Pronomen.`,
  none: (word) =>
    `Noch keine Felder. Füg eins hinzu für alles, was ihr über eure ${word.many} festhalten wollt: eine Rolle, ein Alter, eine Lieblingsfarbe.`,
  add: 'Feld hinzufügen',
  editNamed: (name) => `${name} bearbeiten`,
  movedTo: (name, position, count) =>
    `${name} steht jetzt an Stelle ${number(position)} von ${number(count)}.`,
  type: 'Art',
  types: {
    text: 'Text',
    markdown: 'Text mit Formatierung',
    color: 'Farbe',
    date: 'Datum',
    month: 'Monat',
    year: 'Jahr',
    month_year: 'Monat und Jahr',
    month_day: 'Tag und Monat',
    moment: 'Datum und Uhrzeit',
    number: 'Zahl',
    flag: 'Ja oder nein',
    url: 'Link',
    choice: 'Eine von mehreren Möglichkeiten',
    choices: 'Beliebig viele Möglichkeiten',
  },
  about: (type, count, word) =>
    count === 0 ? `${type} · noch keine Werte` : `${type} · ${countOf(count, word)}`,
  options: 'Möglichkeiten',
  option: (at) => `Möglichkeit ${number(at)}`,
  optionName: 'Name der Möglichkeit',
  addOption: 'Möglichkeit hinzufügen',
  removeOption: (at) => `Möglichkeit ${number(at)} entfernen`,
  colourOf: (at) => `Farbe von Möglichkeit ${number(at)}`,
  optionMissing: 'Füg mindestens eine Möglichkeit hinzu.',
  privacy: 'Sichtbarkeit',
  privacyMore: {
    public: 'Alle können dieses Feld und seine Werte sehen.',
    private: 'Fremde sehen dieses Feld und seine Werte nicht.',
  },
  typeFixed: (count, word) =>
    plural(count, {
      one: `${countOf(count, word)} hat einen Wert, deshalb ist nur ein Wechsel zu Text möglich.`,
      other: `${countOf(count, word)} haben einen Wert, deshalb ist nur ein Wechsel zu Text möglich.`,
    }),
  becomesText: (count, word) =>
    plural(count, {
      one: `Der Wert von ${countOf(count, word)} wird zu Text. Das lässt sich nicht rückgängig machen.`,
      other: `Die Werte von ${countOf(count, word)} werden zu Text. Das lässt sich nicht rückgängig machen.`,
    }),
  keepsText: 'Die Werte bleiben, wie sie sind.',
  losesOptions: (count, word) =>
    plural(count, {
      one: `Entfernte Möglichkeiten verschwinden bei ${countOf(count, word)}.`,
      other: `Entfernte Möglichkeiten verschwinden bei ${countOf(count, word)}.`,
    }),
  isDeleted: (name) => `${name} ist gelöscht.`,
  deleteAsk: (name) => `${name} löschen?`,
  deleteEffect: (count, word) =>
    count === 0
      ? 'Niemand hat einen Wert. Das Feld wird gelöscht. Das lässt sich nicht rückgängig machen.'
      : plural(count, {
          one: `${countOf(count, word)} hat einen Wert. Das Feld und dieser Wert werden gelöscht. Das lässt sich nicht rückgängig machen.`,
          other: `${countOf(count, word)} haben einen Wert. Das Feld und diese Werte werden gelöscht. Das lässt sich nicht rückgängig machen.`,
        }),
  limit: 'Mehr Felder sind nicht möglich: Ihr habt schon 100.',
  typeInUse: 'Die Art lässt sich nicht ändern, weil es inzwischen Werte gibt.',

  yes: 'Ja',
  no: 'Nein',
  noValue: 'Kein Wert',
  month: 'Monat',
  day: 'Tag',
  year: 'Jahr',
  partOf: (part, field) => `${field}: ${part}`,
  noFields: 'Ihr habt noch keine Felder.',
  toFields: 'Zu euren Feldern',
}
