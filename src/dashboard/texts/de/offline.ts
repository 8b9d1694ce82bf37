import type { Ext } from '../catalogue'
import { createMessageTools } from '../messages'

const { number, plural } = createMessageTools('de')

export const offline: Ext['offline'] = {
  waiting: (count) =>
    plural(count, {
      one: '1 Wechsel wartet darauf, gesendet zu werden.',
      other: `${number(count)} Wechsel warten darauf, gesendet zu werden.`,
    }),
  refused: (count) =>
    plural(count, {
      one: '1 Wechsel konnte nicht gespeichert werden.',
      other: `${number(count)} Wechsel konnten nicht gespeichert werden.`,
    }),
  incomplete: (count) =>
    plural(count, {
      one: '1 Wechsel wurde ohne jemanden gespeichert, der gelöscht wurde.',
      other: `${number(count)} Wechsel wurden ohne jemanden gespeichert, der gelöscht wurde.`,
    }),
  review: 'Durchsehen',
  reviewHeading: 'Wechsel auf diesem Gerät',
  nothingLeft: 'Alles ist gesendet.',
  willBeSent: 'Wird gesendet, sobald der Server antwortet',
  willBeUndone: 'Wird rückgängig gemacht, sobald der Server antwortet',
  nobodyLeft: 'Alle darin wurden gelöscht.',
  wasSentWithout: (count) =>
    plural(count, {
      one: 'Gespeichert ohne jemanden, der gelöscht wurde',
      other: `Gespeichert ohne ${number(count)}, die gelöscht wurden`,
    }),
  edit: 'Bearbeiten',
  editNamed: (time, who) => `${time}, ${who} bearbeiten`,
  discard: 'Verwerfen',
  discardNamed: (time, who) => `${time}, ${who} verwerfen`,
  ok: 'OK',
  okNamed: (time, who) => `OK, ${time}, ${who}`,
  foreignAsk: 'Wechsel eines anderen Systems verwerfen?',
  foreign: (count) =>
    plural(count, {
      one: '1 Wechsel eines anderen Systems wartet auf diesem Gerät. Er lässt sich nur senden, wenn du dich wieder als dieses System anmeldest.',
      other: `${number(count)} Wechsel eines anderen Systems warten auf diesem Gerät. Sie lassen sich nur senden, wenn du dich wieder als dieses System anmeldest.`,
    }),
  logOutAsk: 'Trotz ungesendeter Wechsel abmelden?',
  logOutEffect: (count) =>
    plural(count, {
      one: '1 Wechsel ist noch nicht gesendet. Beim Abmelden wird er gelöscht.',
      other: `${number(count)} Wechsel sind noch nicht gesendet. Beim Abmelden werden sie gelöscht.`,
    }),
  copy: 'Kopie auf diesem Gerät',
  copyMore:
    'Namen, Pronomen, Farben, Gruppen, Einstellungen, Statustexte und die letzten 200 Wechsel bleiben in diesem Browser, damit du sie ohne Netz ansehen und Wechsel eintragen kannst. Sie werden gelöscht, wenn du dich abmeldest oder nach 14 Tagen ohne Kontakt.',
  copyNeedsRemember:
    'Es gibt keine Kopie, weil du bei der Anmeldung nicht „Auf diesem Gerät angemeldet bleiben“ gewählt hast.',
  onlyLatest: 'Ohne Netz siehst du die letzten 200 Wechsel.',
  notOnDevice: 'Nicht auf diesem Gerät gespeichert. Du siehst es, wenn du wieder verbunden bist.',
}
