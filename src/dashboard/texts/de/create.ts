import type { Rest } from '../catalogue'

export const create: Rest['create'] = {
  heading: 'System anlegen',
  setupHeading: 'Willkommen auf deinem neuen Server',
  setupMore: 'Lege das erste System an. Du kannst später alles ändern.',
  setupIsOver:
    'Dieser Link zum Einrichten wurde schon benutzt oder ist abgelaufen. Solange es kein System gibt, gibt dieser Befehl einen neuen aus:',
  closed:
    'Hier kann gerade niemand ein System anlegen. Frag die Person, die diesen Server betreibt.',
  name: 'Name des Systems',
  nameMore: 'Du kannst das leer lassen.',
  invite: 'Einladungscode',
  wrongInvite:
    'Diese Einladung funktioniert nicht. Prüfe, ob du sie ganz kopiert hast, oder bitte um eine neue.',
  start: 'Wie möchtest du anfangen?',
  starts: { import: 'Datei importieren', empty: 'Leer anfangen' },
  startsMore: {
    import:
      'Aus PluralKit, Tupperbox, Simply Plural, einem anderen Multitude oder einer App mit PluralPort. Die Datei wählst du im nächsten Schritt.',
    empty: 'Du fügst alle selbst hinzu.',
  },
  visibility: 'Wer darf es sehen?',
  visibilities: {
    private: 'Privat',
    front: 'Nur wer gerade da ist',
    public: 'Öffentlich',
  },
  visibilitiesMore: {
    private:
      'Andere sehen nicht, wer da ist, und weder eure Listen noch euren Verlauf. Wer die ID von jemandem hat, kann trotzdem den Namen nachschlagen.',
    front:
      'Wer eure ID hat, sieht, wer gerade da ist, mit Namen. Eure Listen und euer Verlauf sind privat.',
    public: 'Wer eure ID hat, sieht alle, eure Gruppen und euren Verlauf.',
  },
  chooseVisibility: 'Wähle, wer es sehen darf.',
  visibilityLater: 'Das kannst du jederzeit unter Mehr → Privatsphäre ändern.',
  create: 'System anlegen',
  toLogin: 'Ich habe schon ein System',
  isCreated: 'Dein System ist fertig',
  token: 'Dein Token',
  tokenMore:
    'Kopiere es jetzt, du siehst es nicht noch einmal. Es ist wie ein Passwort: Damit kannst du dich auf jedem Gerät anmelden.',
  toImport: 'Weiter zum Import',
  toNow: 'Weiter',
  logInAs: (name) => `Als ${name} anmelden?`,
  linkIsOver: 'Dieser Link wurde schon benutzt oder ist abgelaufen.',
  otherLogin: 'Anders anmelden',
}
