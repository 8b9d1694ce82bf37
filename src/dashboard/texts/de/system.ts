import type { Rest } from '../catalogue'
import { createMessageTools } from '../messages'

const { number, plural } = createMessageTools('de')

export const system: Rest['system'] = {
  publicPage: 'Was andere sehen',
  noName: 'Noch kein Name',
  settings: 'Einstellungen',
  changeSettings: 'Einstellungen ändern',
  allDefaults: 'Alles wie voreingestellt.',
  toPrivacy: 'Festlegen, was andere sonst noch sehen',
  time: 'Zeit',
  proxying: 'Proxy',
  newOnes: (word) => `Neue ${word.many} und Gruppen`,
  shownByBots: 'Anzeige durch Bots',
  thisDevice: (zone) => `Dieses Gerät: ${zone}`,
  template: (at) => `Vorlage ${number(at)}`,
  templates: (count) => plural(count, { one: '1 Vorlage', other: `${number(count)} Vorlagen` }),
  choices: {
    off: 'Aus',
    left: 'Links aufgefüllt',
    right: 'Rechts aufgefüllt',
    new: 'Dorthin wechseln',
    add: 'Dazukommen lassen',
  },
  switchOff: 'Nichts tun',
  latchDefault: (length) => `${length} (voreingestellt)`,
  latchNever: 'Nie',
  on: 'An',
  off: 'Aus',

  webhook: 'Webhook',
  webhookMore: 'Ereignisse an eine URL senden.',
  address: 'Adresse',
  addWebhook: 'Webhook hinzufügen',
  noAddress: 'Gib eine Adresse ein.',
  states: {
    none: 'Noch kein Webhook.',
    pending: 'Noch nicht bestätigt. Bis dahin wird nichts gesendet.',
    active: 'Aktiv: Jedes Ereignis wird gesendet.',
    disabled: 'Angehalten.',
  },
  stopped: (why) => `Angehalten: ${why}`,
  failingSince: (ago) => `Das Ziel antwortet nicht richtig (zuerst ${ago}).`,
  expired: (count) =>
    plural(count, {
      one: '1 Ereignis ist abgelaufen.',
      other: `${number(count)} Ereignisse sind abgelaufen.`,
    }),
  signingToken: 'Signatur-Token',
  signingMore:
    'Es ist bei jeder Sendung dabei, damit das Ziel sie prüfen kann. Kopiere es jetzt. Du siehst es nicht noch einmal.',
  verify: 'Bestätigen',
  isVerified: 'Der Webhook ist aktiv.',
  resume: 'Fortsetzen',
  sendTest: 'Test senden',
  testAnswered: (status) => `Das Ziel hat mit ${status} geantwortet.`,
  testFailed: (why) => `Keine Antwort: ${why}`,
  deleteAsk: 'Webhook löschen?',
  deleteEffect:
    'Es wird nichts mehr gesendet. Wartende Ereignisse und das Signatur-Token werden auch gelöscht.',
  isDeleted: 'Webhook gelöscht.',
  log: 'Letzte Sendungen',
  noDeliveries: 'Noch nichts gesendet.',
  when: 'Wann',
  what: 'Was',
  answer: 'Antwort',
  attempt: (answer, attempt) => `${answer} · Versuch ${number(attempt)}`,

  accounts: 'Verknüpfte Konten',
  accountsMore: (word) =>
    `Nachrichten aus diesen Konten können für eure ${word.many} geproxyt werden. Lösen lässt sich eine Verknüpfung über den Bot.`,
  noAccounts: 'Noch keine Konten.',
  platformOf: (platform) => `auf ${platform}`,
  link: 'Weiteres Konto verknüpfen',
  linkMore:
    'Hol dir einen Code und gib ihn dort dem Bot. Dein Token ist nötig, weil ein verknüpftes Konto sich selbst ein Token holen kann. Es wird einmal benutzt und nirgends gespeichert.',
  getCode: 'Code holen',
  code: 'Code',
  codeMore: (time) => `Gib ihn dem Bot. Er gilt einmal, bis ${time}.`,
  limitedToken: 'Dieses Token hat keinen vollen Zugriff.',
  foreignToken: 'Dieses Token gehört zu einem anderen System.',
}
