import { plugin } from 'bun'

/**
 * Sets a long default timeout, because tests on busy cores are slow. Bun applies a default only to
 * the file that sets it, so this is done for every test file.
 */
plugin({
  name: 'default timeout',
  setup({ onLoad }) {
    onLoad({ filter: /\.(test|browser|server|cluster)\.ts$/ }, async ({ path }) => ({
      // On the first line, so that line numbers do not change.
      contents: `import { setDefaultTimeout as _setTimeout } from 'bun:test'; _setTimeout(60_000); ${await Bun.file(path).text()}`,
      loader: 'ts',
    }))
  },
})
