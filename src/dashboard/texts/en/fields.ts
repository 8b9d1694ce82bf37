import { createMessageTools, type Word } from '../messages'

const { countOf, number, plural } = createMessageTools('en')

/** Texts of custom fields: the page Fields, and their values on the pages of members. */
export const fields = {
  /** In the list of pages. */
  more: 'What you note about each other',
  intro: (word: Word) => `What you note about your ${word.many}, beside name and pronouns.`,
  none: (word: Word) =>
    `No fields yet. Add one for anything you want to note about your ${word.many}: a role, an age, a favourite colour.`,
  add: 'Add field',
  editNamed: (name: string) => `Edit ${name}`,
  movedTo: (name: string, position: number, count: number) =>
    `${name} is now ${number(position)} of ${number(count)}.`,
  type: 'Type',
  types: {
    text: 'Text',
    markdown: 'Text with formatting',
    color: 'Colour',
    date: 'Date',
    month: 'Month',
    year: 'Year',
    month_year: 'Month and year',
    month_day: 'Day and month',
    moment: 'Date and time',
    number: 'Number',
    flag: 'Yes or no',
    url: 'Link',
    choice: 'One of several options',
    choices: 'Any of several options',
  },
  /** Type, number of members with a value, and some of the values. */
  about: (type: string, count: number, word: Word) =>
    count === 0 ? `${type} · no values yet` : `${type} · ${countOf(count, word)}`,
  options: 'Options',
  option: (at: number) => `Option ${number(at)}`,
  optionName: 'Name of the option',
  addOption: 'Add option',
  removeOption: (at: number) => `Remove option ${number(at)}`,
  colourOf: (at: number) => `Colour of option ${number(at)}`,
  optionMissing: 'Add at least one option.',
  privacy: 'Privacy',
  privacyMore: {
    public: 'Everyone can see this field and its values.',
    private: 'Strangers don’t see this field or its values.',
  },
  typeFixed: (count: number, word: Word) =>
    plural(count, {
      one: `${countOf(count, word)} has a value, so only a change to text is possible.`,
      other: `${countOf(count, word)} have a value, so only a change to text is possible.`,
    }),
  becomesText: (count: number, word: Word) =>
    plural(count, {
      one: `The value of ${countOf(count, word)} becomes text. It can’t be changed back.`,
      other: `The values of ${countOf(count, word)} become text. They can’t be changed back.`,
    }),
  keepsText: 'Values stay as they are.',
  losesOptions: (count: number, word: Word) =>
    plural(count, {
      one: `A removed option disappears from ${countOf(count, word)}.`,
      other: `Removed options disappear from ${countOf(count, word)}.`,
    }),
  isDeleted: (name: string) => `${name} was deleted.`,
  deleteAsk: (name: string) => `Delete ${name}?`,
  deleteEffect: (count: number, word: Word) =>
    count === 0
      ? 'No one has a value. The field will be deleted. This can’t be undone.'
      : plural(count, {
          one: `${countOf(count, word)} has a value. The field and this value will be deleted. This can’t be undone.`,
          other: `${countOf(count, word)} have a value. The field and these values will be deleted. This can’t be undone.`,
        }),
  limit: 'You have as many fields as possible: 100.',
  typeInUse: 'The type can’t be changed, because some have a value meanwhile.',

  // Values.
  yes: 'Yes',
  no: 'No',
  noValue: 'No value',
  month: 'Month',
  day: 'Day',
  year: 'Year',
  partOf: (part: string, field: string) => `${field}: ${part}`,
  noFields: 'You have no fields yet.',
  toFields: 'To your fields',
}
