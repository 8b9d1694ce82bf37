import type { Ext } from '../catalogue'

export const push: Ext['push'] = {
  heading: 'Benachrichtigungen auf diesem Gerät',
  isOffHere: 'Benachrichtigungen sind auf diesem Server ausgeschaltet.',
  offer:
    'Erhalte eine Benachrichtigung, wenn eine Erinnerung fällig ist, jemand an ein Mitglied schreibt, das gerade da ist, oder in einem befreundeten System jemand nach vorne kommt.',
  offerToWatch: 'Erhalte eine Benachrichtigung, wenn jemand anderes nach vorne kommt.',
  turnOn: 'Benachrichtigungen einschalten',
  turnOff: 'Benachrichtigungen ausschalten',
  sendTest: 'Test senden',
  isTestSent: 'Eine Testbenachrichtigung ist unterwegs.',
  testFailed:
    'Der Test hat dieses Gerät nicht erreicht. Schalte Benachrichtigungen aus und wieder ein.',
  cannotTurnOn:
    'Dieser Browser konnte Benachrichtigungen nicht einschalten. Versuch es noch einmal oder nimm einen anderen Browser.',
  names: 'Namen zeigen',
  namesMore: 'Alle, die deinen Bildschirm sehen, können sie lesen.',
  kinds: {
    reminders: { label: 'Erinnerungen', hint: 'Wenn eine Erinnerung fällig ist.' },
    posts: { label: 'Beiträge', hint: 'Wenn jemand an ein Mitglied schreibt, das gerade da ist.' },
    own_front: {
      label: 'Wer da ist',
      hint: 'Eine stille Benachrichtigung, die immer zeigt, wer gerade da ist.',
    },
    friends: {
      label: 'Freundeskreis',
      hint: 'Wenn in einem befreundeten System jemand nach vorne kommt. In welchen, wählst du im Freundeskreis mit „Benachrichtigen“.',
    },
  },
  support: {
    none: 'Dieser Browser kann keine Benachrichtigungen zeigen, oder diese Seite ist nicht mit https geöffnet.',
    install:
      'Füge diese Seite auf einem iPhone oder iPad zuerst zum Home-Bildschirm hinzu: Tippe auf Teilen und dann auf „Zum Home-Bildschirm“. Öffne sie von dort und schalte Benachrichtigungen ein.',
    denied:
      'Dieser Browser blockiert Benachrichtigungen dieser Seite. Erlaube sie in den Einstellungen des Browsers für diese Seite und lade sie dann neu.',
  },
}
