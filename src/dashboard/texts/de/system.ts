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
  reasons: {
    'Bad address: at most # characters.': 'Die Adresse ist zu lang: höchstens # Zeichen.',
    'Bad address: must be absolute and start with https://.':
      'Die Adresse muss mit https:// beginnen.',
    'Bad address: must start with https://.': 'Die Adresse muss mit https:// beginnen.',
    'Bad address: must not contain a user name or password.':
      'Die Adresse darf weder Benutzernamen noch Passwort enthalten.',
    'Bad address: not a host name.': 'Die Adresse hat keinen gültigen Hostnamen.',
    'Bad address: Discord webhooks cannot receive events.':
      'Webhooks von Discord können keine Ereignisse empfangen.',
    'Bad address: must have a host name instead of an IP address.':
      'Die Adresse braucht einen Hostnamen statt einer IP-Adresse.',
    'Bad address: must use port #.': 'Die Adresse muss Port # verwenden.',
    'Cannot resolve: the host name has no address.': 'Dieser Hostname hat keine Adresse.',
    'Address not public: the host name resolves to a private or reserved network.':
      'Dieser Host liegt in einem privaten Netz.',
    'The receiver answered #.': 'Das Ziel hat mit # geantwortet.',
    'The receiver accepted a wrong signing token.':
      'Das Ziel hat ein falsches Signatur-Token angenommen.',
    'Deliveries failed for too long': 'Sendungen sind zu lange gescheitert.',
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
