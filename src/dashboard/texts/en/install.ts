/** English texts outside the scripts: for browsers without JavaScript, and of the manifests. */
export const install = {
  noScript: 'This page needs JavaScript. So does the API page; the API itself does not.',
  apiPage: 'API page',
  app: { name: 'Multitude', description: 'Who is here, and everything about your system' },
  shortcut: 'Switch',
  watch: { name: 'Who is here', description: 'Who is here now, live' },
}
