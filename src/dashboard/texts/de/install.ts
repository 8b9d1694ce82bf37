import type { Install } from '../catalogue'

export const install: Install = {
  noScript: 'Diese Seite braucht JavaScript. Die API-Seite auch; die API selbst nicht.',
  apiPage: 'API-Seite',
  app: { name: 'Multitude', description: 'Wer da ist, und alles über dein System' },
  shortcut: 'Wechseln',
  watch: { name: 'Wer ist da?', description: 'Wer gerade da ist, live' },
}
